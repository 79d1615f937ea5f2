import BLECore
import BLEHCI
import BLEWire

/// What a scripted radio advertises: at most 31 octets each.
package struct ScriptedAdvertisement {
  let data: [UInt8]
  let scanResponse: [UInt8]
  let isConnectable: Bool
  let interval: AdvertisingInterval

  /// Every 100 ms, where nothing else is said.
  package static let standardInterval = AdvertisingInterval(rawValue: 0xA0)

  package init(
    data: [UInt8], scanResponse: [UInt8], isConnectable: Bool,
    interval: AdvertisingInterval = ScriptedAdvertisement.standardInterval
  ) {
    self.data = data
    self.scanResponse = scanResponse
    self.isConnectable = isConnectable
    self.interval = interval
  }

  var type: LEAdvertisingType {
    if isConnectable { return .connectable }
    return scanResponse.isEmpty ? .nonConnectable : .scannable
  }
}

/// Takes each PDU of a scripted radio's Attribute Protocol before it is sent or answered, and gives back what shall be (`transmit`,
/// `respond`). On the loop.
package protocol ScriptedGate: AnyObject {
  func linkOpened()
  func linkClosed()
  func take(_ pdu: [UInt8], isFromDevice: Bool)
}

/// A controller and the few commands that a device without a stack needs: it advertises, accepts a central, and exchanges frames of the
/// Attribute Protocol. On the loop.
package final class ScriptedRadio: HCITransportReceiver {
  /// Returns the response to one PDU of the Attribute Protocol, opcode first; `nil` for none.
  package typealias Answer = (_ request: [UInt8]) -> [UInt8]?

  package let controller: VirtualController
  package var answer: Answer?
  /// `nil` where all PDUs pass.
  package var gate: (any ScriptedGate)?
  /// Called when a central has connected.
  package var onConnected: (() -> Void)?
  /// Called when the link has ended.
  package var onDisconnected: (() -> Void)?
  /// Whether a Pairing Request is answered with Pairing Failed; otherwise it gets no answer.
  package var refusesPairing = false
  package private(set) var connectionCount = 0
  private var advertisement: ScriptedAdvertisement?
  private var link: ConnectionHandle?
  package var isConnected: Bool { link != nil }
  private var received: [UInt8] = []
  private var waiting: [HCIPacket] = []
  private var credits = 0

  package init(_ controller: VirtualController) { self.controller = controller }

  package func start() {
    do throws(TransportError) {
      try controller.open(receiver: self)
    } catch {
      // The air was released, and the test with it.
      return
    }
    command(HCIReset())
    command(HCISetEventMask(mask: HCIEventMask(rawValue: .max)))
    command(LESetEventMask(mask: LEEventMask(rawValue: .max)))
  }

  package func advertise(_ advertisement: ScriptedAdvertisement?) {
    if self.advertisement != nil { command(LESetAdvertisingEnable(isEnabled: false)) }
    self.advertisement = advertisement
    guard let advertisement else { return }
    command(
      LESetAdvertisingParameters(
        intervalMinimum: advertisement.interval, intervalMaximum: advertisement.interval, type: advertisement.type,
        ownAddressType: controller.address.kind == .random ? .random : .public, peerAddress: .none, channels: .all,
        filterPolicy: .all))
    command(LESetAdvertisingData(data: advertisement.data[...]))
    command(LESetScanResponseData(data: advertisement.scanResponse[...]))
    command(LESetAdvertisingEnable(isEnabled: true))
  }

  /// Sends a PDU of the Attribute Protocol, in pieces that the controller takes, as soon as it has room.
  package func send(_ pdu: [UInt8]) {
    guard let gate, link != nil else { return transmit(pdu) }
    gate.take(pdu, isFromDevice: true)
  }

  /// Sends a PDU that the gate has let pass.
  package func transmit(_ pdu: [UInt8]) { send(pdu, on: .attributeProtocol) }

  /// Asks the central for other parameters of the link (Core, Vol 3 Part A 4.20).
  package func ask(_ request: L2CAPConnectionParameterUpdateRequest) {
    var writer = ByteWriter()
    for value in [request.intervalMin, request.intervalMax, request.latency, request.timeout] { writer.append(value) }
    let head = [L2CAPSignalingCode.connectionParameterUpdateRequest.rawValue, 1, UInt8(writer.octets.count), 0]
    send(head + writer.octets, on: .lowEnergySignaling)
  }

  /// Sends a frame of a fixed channel.
  package func send(_ payload: [UInt8], on channel: ChannelIdentifier) {
    guard let link else { return }
    var writer = ByteWriter(capacity: L2CAPHeader.octetCount + payload.count)
    L2CAPFrame(channel: channel, informationPayload: payload[...]).encode(into: &writer)
    var rest = writer.octets[...]
    var boundary = HCIACLPacket.Boundary.firstNonFlushable
    while !rest.isEmpty {
      let piece = rest.prefix(Int(controller.configuration.aclPacketLength))
      waiting.append(HCIPacket(HCIACLPacket(connectionHandle: link, boundary: boundary, payload: piece)))
      rest = rest.dropFirst(piece.count)
      boundary = .continuing
    }
    sendWaiting()
  }

  private func sendWaiting() {
    while credits > 0, !waiting.isEmpty {
      credits -= 1
      controller.send(waiting.removeFirst())
    }
  }

  package func disconnect(reason: UInt8) {
    guard let link else { return }
    command(HCIDisconnect(connectionHandle: link, reason: HCIErrorCode(rawValue: reason)))
  }

  private func command(_ command: some HCICommand) { controller.send(HCIPacket(command)) }

  // MARK: From the controller

  package func transport(_ transport: any HCITransport, didFail error: TransportError) {}

  package func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    do throws(DecodeError) {
      switch packet.kind {
      case .event: receive(try HCIEvent(HCIEventPacket(packet.octets)))
      case .aclData: try receive(HCIACLPacket(packet))
      default: break
      }
    } catch {
      // An event that this device has no use for.
    }
  }

  private func receive(_ event: HCIEvent) {
    switch event {
    case .leEnhancedConnectionComplete(let event) where event.status.isSuccess: connected(event.connectionHandle)
    case .leConnectionComplete(let event) where event.status.isSuccess: connected(event.connectionHandle)
    case .disconnectionComplete(let event) where event.status.isSuccess && event.connectionHandle == link:
      link = nil
      waiting = []
      gate?.linkClosed()
      onDisconnected?()
      // A connection ends advertising; the next central has to find the device as well.
      if let advertisement {
        self.advertisement = nil
        advertise(advertisement)
      }
    case .numberOfCompletedPackets(let event):
      for entry in event.counts where entry.connectionHandle == link { credits += Int(entry.count) }
      sendWaiting()
    default: break
    }
  }

  private func connected(_ handle: ConnectionHandle) {
    link = handle
    received = []
    credits = Int(controller.configuration.aclPacketCount)
    connectionCount += 1
    gate?.linkOpened()
    onConnected?()
  }

  private func receive(_ packet: HCIACLPacket) throws(DecodeError) {
    if packet.boundary != .continuing { received = [] }
    received += packet.payload
    var reader = ByteReader(received[...], layer: "L2CAP")
    let header = try L2CAPHeader(from: &reader)
    guard received.count >= L2CAPHeader.octetCount + Int(header.length) else { return }
    let payload = Array(try reader.octets(Int(header.length), "Information Payload"))
    received = []
    guard let opcode = payload.first else { return }
    switch header.channel {
    case .attributeProtocol:
      if let gate { gate.take(payload, isFromDevice: false) } else { respond(to: payload) }
    case .securityManager where refusesPairing && opcode == SMPCode.pairingRequest.rawValue:
      // Pairing Failed: Pairing Not Supported (Core, Vol 3 Part H 3.5.5).
      send([SMPCode.pairingFailed.rawValue, 0x05], on: .securityManager)
    default: break
    }
  }

  /// Answers a PDU that the gate has let pass.
  package func respond(to request: [UInt8]) {
    guard let opcode = request.first else { return }
    if let answer {
      if let pdu = answer(request) { send(pdu) }
    } else if ATTOpcode(opcode).role == .request {
      send(ScriptedRadio.refusal(of: opcode))
    }
  }

  /// Error Response: Request Not Supported.
  private static func refusal(of opcode: UInt8) -> [UInt8] { [0x01, opcode, 0x00, 0x00, 0x06] }
}
