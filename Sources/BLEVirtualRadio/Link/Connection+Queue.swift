import BLECore
import BLECrypto
import BLEWire

extension Connection {
  /// Queues a packet of the host.
  func send(_ payload: consuming ArraySlice<UInt8>, isStart: Bool) {
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
      current = Self.controlPDU(control.removeFirst()[...])
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
    if waiting.first.kind == .control {
      current = Self.controlPDU(waiting.removeFirst().payload)
    } else if waiting.first.payload.count <= transmitPayloadLimit {
      let whole = waiting.removeFirst()
      current = OutgoingPDU(kind: whole.kind, payload: whole.payload, endsHostPacket: true)
    } else {
      let head = waiting.first
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

  /// Processes the current PDU of the peer, received: its sequence numbers, then its contents.
  func take(from peer: Connection, at time: StackInstant) {
    guard isNew(from: peer, at: time) else { return }
    if peer.current.isEmpty { receiveCount &+= 1 } else { _ = accept(peer.current.payload, peer.current.kind) }
  }

  /// As `take`, of a PDU without contents.
  func takeEmpty(from peer: Connection, at time: StackInstant) {
    if isNew(from: peer, at: time) { receiveCount &+= 1 }
  }

  /// Processes the sequence numbers of a received PDU; whether it is not one that was received before.
  private func isNew(from peer: Connection, at time: StackInstant) -> Bool {
    lastHeard = time
    if !isEstablished { established() }
    if hasCurrent, peer.receiveCount & 1 != transmitCount & 1 { acknowledged() }
    return peer.transmitCount & 1 == receiveCount & 1
  }

  /// Accepts a PDU with the expected sequence number; false if there is no buffer for it.
  func accept(_ pdu: OutgoingPDU) -> Bool {
    if !pdu.isEmpty { return accept(pdu.payload, pdu.kind) }
    receiveCount &+= 1
    return true
  }

  /// Accepts the contents of a PDU with the expected sequence number; false if there is no buffer for it.
  private func accept(_ received: consuming ArraySlice<UInt8>, _ kind: DataChannelPDU.Kind) -> Bool {
    guard incoming.count < Self.incomingLimit, control.count < Self.incomingLimit, !encryption.hasFailed else {
      return false
    }
    var payload = consume received
    if let cipher = encryption.receiveCipher {
      guard let opened = opened(payload, kind, by: cipher) else { return false }
      payload = opened
    }
    guard kind == .control || controller.takeHostBuffer(for: self) else { return false }
    receiveCount &+= 1
    if encryption.receiveCipher != nil {
      encryption.receiveCounter += 1
      encryption.lastAuthenticated = lastHeard
      encryption.isPinging = false
    }
    if kind == .control, payload.first == TerminateIndication.opcode {
      terminationReceived = payload.dropFirst().first ?? 0x13
    }
    incoming.append(
      IncomingPDU(kind: kind, payload: payload, wasEncrypted: encryption.receiveCipher != nil))
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
    // What arrives meanwhile is delivered at the next call.
    for _ in 0..<incoming.count where isOpen && !incoming.isEmpty {
      let pdu = incoming.removeFirst()
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
  }
}
