import BLECore
import BLECrypto
import BLEWire

extension Connection {
  /// Queues a packet of the host.
  func send(_ payload: ArraySlice<UInt8>, isStart: Bool) {
    outstanding += 1
    waiting.append(WaitingPacket(payload: payload, kind: isStart ? .start : .continuation))
    dataQueued()
  }

  /// Queues a control PDU: opcode and parameters.
  func send(control payload: [UInt8]) {
    control.append(payload)
    dataQueued()
  }

  /// Chooses the PDU to send, unless one is unacknowledged.
  func prepare() {
    if hasCurrent { return }
    hasCurrent = true
    if !control.isEmpty {
      current = Self.controlPDU(control.first[...])
      control.removeFirst()
    } else if !hasMoreData {
      current = .empty
      return
    } else {
      prepareData()
    }
    if encryption.transmitCipher != nil, !current.isEmpty { seal() }
  }

  private static func controlPDU(_ payload: ArraySlice<UInt8>) -> OutgoingPDU {
    OutgoingPDU(
      kind: .control, payload: payload, endsHostPacket: false,
      endsConnection: payload.first == TerminateIndication.opcode)
  }

  private func prepareData() {
    let head = waiting.first
    if head.kind == .control {
      current = Self.controlPDU(head.payload)
      waiting.removeFirst()
    } else if head.payload.count <= transmitPayloadLimit {
      current = OutgoingPDU(kind: head.kind, payload: head.payload, endsHostPacket: true)
      waiting.removeFirst()
    } else {
      current = OutgoingPDU(
        kind: head.kind, payload: head.payload.prefix(transmitPayloadLimit), endsHostPacket: false)
      waiting.first = WaitingPacket(payload: head.payload.dropFirst(transmitPayloadLimit), kind: .continuation)
    }
  }

  /// The number of octets of the next PDU.
  var nextPayloadCount: Int {
    if hasCurrent { return current.payload.count }
    guard hasMoreData else { return 0 }
    let count = control.isEmpty ? min(waiting.first.payload.count, transmitPayloadLimit) : control.first.count
    return encryption.transmitCipher == nil || count == 0 ? count : count + LinkCipher.checkLength
  }

  /// The peer has acknowledged the current PDU.
  func acknowledged() {
    transmitCount &+= 1
    hasCurrent = false
    if current.endsHostPacket {
      completed += 1
    } else if current.endsConnection {
      isTerminationAcknowledged = true
    }
    current = .empty
  }

  /// The maximum number of received PDUs that wait for delivery.
  private static let incomingLimit = 64

  /// Processes a received PDU of the peer: its sequence numbers, then its contents.
  func take(
    _ pdu: OutgoingPDU, sequence: Int, expects nextExpected: Int, at time: StackInstant
  ) {
    lastHeard = time
    if !isEstablished { established() }
    if hasCurrent, nextExpected & 1 != transmitCount & 1 { acknowledged() }
    guard sequence & 1 == receiveCount & 1 else { return }
    _ = accept(pdu)
  }

  /// Accepts a PDU with the expected sequence number; false if there is no buffer for it.
  func accept(_ pdu: OutgoingPDU) -> Bool {
    if pdu.isEmpty {
      receiveCount &+= 1
      return true
    }
    guard incoming.count < Self.incomingLimit, control.count < Self.incomingLimit, !encryption.hasFailed else {
      return false
    }
    var payload = pdu.payload
    if let cipher = encryption.receiveCipher {
      guard let opened = opened(pdu, by: cipher) else { return false }
      payload = opened
    }
    guard pdu.kind == .control || controller.takeHostBuffer(for: self) else { return false }
    receiveCount &+= 1
    if encryption.receiveCipher != nil {
      encryption.receiveCounter += 1
      encryption.lastAuthenticated = lastHeard
      encryption.isPinging = false
    }
    if pdu.kind == .control, payload.first == TerminateIndication.opcode {
      terminationReceived = payload.dropFirst().first ?? 0x13
    }
    incoming.append(
      IncomingPDU(kind: pdu.kind, payload: payload, wasEncrypted: encryption.receiveCipher != nil))
    return true
  }

  /// Delivers received and completed packets.
  func handOn() {
    guard isOpen else { return }
    if completed > 0 {
      let count = completed
      completed = 0
      outstanding -= count
      controller.reportCompleted(count, of: self)
    }
    guard !incoming.isEmpty else { return }
    var arrived: [IncomingPDU] = []
    swap(&arrived, &incoming)
    for pdu in arrived where isOpen {
      guard pdu.wasEncrypted == (encryption.receiveCipher != nil) else {
        // It was received before the PDU after which all or no PDUs are encrypted was processed.
        loseIntegrity()
        return
      }
      if pdu.kind == .control {
        receive(control: pdu.payload)
      } else if !encryption.isSettled, !encryption.mayPeerSend {
        loseIntegrity()
      } else {
        controller.reportData(pdu.payload, isStart: pdu.kind == .start, of: self)
      }
    }
    if isOpen, incoming.isEmpty {
      arrived.removeAll(keepingCapacity: true)
      swap(&arrived, &incoming)
    }
  }
}
