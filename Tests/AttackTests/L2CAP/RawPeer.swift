import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A peer without a stack: it sends the frames that a test writes octet by octet, and keeps the received ones.
final class RawPeer: HCITransportReceiver {
  let controller: VirtualController
  private(set) var handle: ConnectionHandle?
  private(set) var isDisconnected = false
  /// Whole L2CAP frames that were received.
  private(set) var frames: [(channel: UInt16, payload: [UInt8])] = []
  private var partial: [UInt8] = []
  /// Packets that the controller has room for.
  private var room = 0
  private var waiting: [HCIACLPacket] = []
  /// Octets of data in one packet to the controller.
  private static let pieceLength = 251

  init(_ air: Air, address: DeviceAddress) throws {
    controller = air.makeController(address: address)
    try controller.open(receiver: self)
    send(HCIReset())
    send(HCISetEventMask(mask: HCIEventMask(rawValue: .max)))
    send(LESetEventMask(mask: LEEventMask(rawValue: .max)))
    send(LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2_120))
    send(LEReadBufferSize())
  }

  // MARK: The link

  func connect(to victim: DeviceAddress) {
    send(
      LECreateConnection(
        scanInterval: ScanInterval(rawValue: 0x30), scanWindow: ScanInterval(rawValue: 0x30),
        filterPolicy: .peerAddress, peerAddress: HCIAddress(victim), ownAddressType: .random,
        parameters: ConnectionParameters(
          intervalMinimum: ConnectionInterval(rawValue: 12), intervalMaximum: ConnectionInterval(rawValue: 12),
          latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 400), eventLengthMinimum: 0,
          eventLengthMaximum: 0)))
  }

  func advertise() {
    send(
      LESetAdvertisingParameters(
        intervalMinimum: AdvertisingInterval(rawValue: 0x40), intervalMaximum: AdvertisingInterval(rawValue: 0x40),
        type: .connectable, ownAddressType: .random, peerAddress: .none, channels: .all, filterPolicy: .all))
    send(LESetAdvertisingData(data: [2, 1, 6]))
    send(LESetAdvertisingEnable(isEnabled: true))
  }

  // MARK: Frames

  /// The payloads received on the signaling channel.
  var answers: [[UInt8]] { frames.filter { $0.channel == 0x0005 }.map(\.payload) }

  func forget() { frames = [] }

  /// A frame with its header, in as many pieces as it needs.
  func send(_ payload: [UInt8], on channel: UInt16) {
    send(
      raw: [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), UInt8(channel & 0xFF), UInt8(channel >> 8)]
        + payload)
  }

  /// A command on the signaling channel, its header included.
  func signal(_ command: [UInt8]) { send(command, on: 0x0005) }

  /// Octets that need not be a frame.
  func send(raw octets: [UInt8], isFirst: Bool = true) {
    guard let handle else { return }
    var start = 0
    repeat {
      let end = min(octets.count, start + Self.pieceLength)
      waiting.append(
        HCIACLPacket(
          connectionHandle: handle, boundary: isFirst && start == 0 ? .firstNonFlushable : .continuing,
          payload: octets[start..<end]))
      start = end
    } while start < octets.count
    pump()
  }

  private func pump() {
    while room > 0, !waiting.isEmpty {
      room -= 1
      controller.send(HCIPacket(waiting.removeFirst()))
    }
  }

  private func send(_ command: some HCICommand) { controller.send(HCIPacket(command)) }

  // MARK: Receiving

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    switch packet.kind {
    case .event:
      if let event = try? HCIEvent(HCIEventPacket(packet.octets)) { receive(event) }
    case .aclData:
      if let data = try? HCIACLPacket(packet.octets) { receive(data) }
    default: break
    }
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {}

  private func receive(_ event: HCIEvent) {
    switch event {
    case .leConnectionComplete(let event) where event.status.isSuccess: handle = event.connectionHandle
    case .leEnhancedConnectionComplete(let event) where event.status.isSuccess: handle = event.connectionHandle
    case .disconnectionComplete: isDisconnected = true
    case .numberOfCompletedPackets(let event):
      room += event.counts.reduce(0) { $0 + Int($1.count) }
      pump()
    case .commandComplete(let event) where event.opcode == LEReadBufferSize.opcode:
      // Status, length (two octets), count.
      room = Int(event.returnParameters.dropFirst(3).first ?? 0)
    default: break
    }
  }

  private func receive(_ data: HCIACLPacket) {
    if data.boundary != .continuing { partial = [] }
    partial += data.payload
    guard partial.count >= 4 else { return }
    let length = Int(partial[0]) | Int(partial[1]) << 8
    guard partial.count == 4 + length else { return }
    let channel = UInt16(partial[2]) | UInt16(partial[3]) << 8
    let payload = Array(partial[4...])
    frames.append((channel, payload))
    // So that a stack that is the central does not wait for a peer that never answers about its MTU.
    if channel == 0x0004, payload.first == 0x02 { send([0x03, 0x17, 0x00], on: 0x0004) }
  }
}
