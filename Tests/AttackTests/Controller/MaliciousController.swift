import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A controller that works, except for packets that a test changes, holds back, doubles or forges.
final class MaliciousController: HCITransport {
  let name = "malicious"
  let isSimulated = true
  /// Applied to each packet from the controller to its host.
  var toHost: (HCIPacket) -> [HCIPacket] = { [$0] }
  /// Applied to each packet from the host to its controller.
  var toController: (HCIPacket) -> [HCIPacket] = { [$0] }
  /// The handle of the latest connection.
  private(set) var handle: ConnectionHandle?

  private let inner: VirtualController
  private weak var receiver: (any HCITransportReceiver)?

  init(_ inner: VirtualController) { self.inner = inner }

  /// Delivers a packet to the host that the controller never sent, valid or not.
  func inject(_ packet: HCIPacket) { receiver?.transport(self, didReceive: packet) }
  func inject(_ event: some HCIEventParameters) { inject(HCIPacket(event)) }
  func inject(event octets: [UInt8]) { inject(HCIPacket(kind: .event, octets: octets)) }

  /// A Write Command for the attribute at `attribute`, as it arrives from a link.
  func injectWrite(
    _ text: String, to attribute: UInt8, on handle: ConnectionHandle, pieces: ClosedRange<Int> = 0...1
  ) {
    let pdu = [0x52, attribute, 0] + Array(text.utf8)
    let frame = [UInt8(pdu.count), 0, 4, 0] + pdu
    let halves = [frame.prefix(6), frame.dropFirst(6)]
    for piece in pieces {
      inject(
        HCIPacket(
          HCIACLPacket(
            connectionHandle: handle, boundary: piece == 0 ? .firstFlushable : .continuing, payload: halves[piece])))
    }
  }

  func injectConnection(_ handle: ConnectionHandle, from address: UInt64) {
    inject(
      LEConnectionCompleteEvent(
        status: .success, connectionHandle: handle, role: .peripheral,
        peerAddress: HCIAddress(type: .random, value: 0xC000_0000_0000 | address),
        interval: ConnectionInterval(rawValue: 24), latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 72),
        clockAccuracy: .ppm50))
  }

  func injectDisconnection(_ handle: ConnectionHandle) {
    inject(
      DisconnectionCompleteEvent(status: .success, connectionHandle: handle, reason: .remoteUserTerminated))
  }

  func injectCompletion(_ count: UInt16, of handle: ConnectionHandle) {
    inject(
      NumberOfCompletedPacketsEvent(
        counts: HCICompletedPackets([.init(connectionHandle: handle, count: count)])))
  }

  // MARK: The transport

  func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    try inner.open(receiver: self)
  }
  func send(_ packet: HCIPacket) { for packet in toController(packet) { inner.send(packet) } }
  func close() {
    receiver = nil
    inner.close()
  }
}

extension MaliciousController: HCITransportReceiver {
  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    note(packet)
    for packet in toHost(packet) { inject(packet) }
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {
    receiver?.transport(self, didFail: error)
  }

  private func note(_ packet: HCIPacket) {
    guard packet.kind == .event, let event = try? HCIEvent(HCIEventPacket(packet.octets)) else { return }
    if let complete = event.connectionComplete, complete.status.isSuccess { handle = complete.connectionHandle }
  }
}
