import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A software controller behind a transport whose packets a test can change.
final class WrappedTransport: HCITransport {
  private let inner: VirtualController
  /// Data reaches the host this much later than events: the end of a link comes before the data sent on it.
  let dataDelay: StackDuration
  private let loop: (any StackLoop)?
  let name = "serial:/dev/null"
  let isSimulated: Bool
  /// Why the controller is missing, where it is.
  private(set) var absence: TransportError?
  var isReady: Bool { absence == nil }
  let comesBack: Bool
  /// How often the controller was commanded to scan.
  private(set) var scanStarts = 0
  /// It confirms the scan, and reports nothing until it is commanded again.
  var isDeafUntilScanStarts = false

  init(
    _ inner: VirtualController, isSimulated: Bool = true, absence: TransportError? = nil,
    dataDelay: StackDuration = .zero, loop: (any StackLoop)? = nil
  ) {
    self.absence = absence
    comesBack = absence != nil
    self.inner = inner
    self.dataDelay = dataDelay
    self.loop = loop
    self.isSimulated = isSimulated
  }

  /// Delivers a packet to the host that the controller never sent.
  func inject(_ packet: HCIPacket) { forwarder?.inject(packet) }

  func open(receiver: any HCITransportReceiver) throws(TransportError) {
    let forwarder = Forwarder(receiver, self)
    self.forwarder = forwarder
    guard absence == nil else { return tellAbsence() }
    try inner.open(receiver: forwarder)
  }

  private func tellAbsence() {
    loop?.schedule(after: .zero, .work) { [weak self] in
      guard let self, let absence else { return }
      forwarder?.receiver?.transport(self, waitsBecause: absence)
    }
  }

  /// The controller is missing for another reason, or present.
  func change(_ absence: TransportError?) {
    self.absence = absence
    guard let forwarder, absence == nil else { return tellAbsence() }
    do throws(TransportError) { try inner.open(receiver: forwarder) } catch { return }
    forwarder.receiver?.transportIsReady(self)
  }
  func send(_ packet: HCIPacket) {
    // Enable is the first parameter of both commands (Core, Vol 4 Part E 7.8.11 and 7.8.65).
    if packet.kind == .command, packet.octets.count > 3, packet.octets[3] == 1,
      [LESetScanEnable.opcode.rawValue, LESetExtendedScanEnable.opcode.rawValue]
        .contains(UInt16(packet.octets[0]) | UInt16(packet.octets[1]) << 8)
    {
      scanStarts += 1
      isDeafUntilScanStarts = false
    }
    inner.send(packet)
  }
  private func isUnheard(_ packet: HCIPacket) -> Bool {
    isDeafUntilScanStarts && packet.kind == .event && packet.octets.count > 2
      && packet.octets[0] == 0x3E && [0x02, 0x0D].contains(packet.octets[2])
  }
  func close() { inner.close() }
  private var forwarder: Forwarder?

  private final class Forwarder: HCITransportReceiver {
    fileprivate weak var receiver: (any HCITransportReceiver)?
    private unowned let outer: WrappedTransport
    init(_ receiver: any HCITransportReceiver, _ outer: WrappedTransport) {
      self.receiver = receiver
      self.outer = outer
    }
    func inject(_ packet: HCIPacket) { receiver?.transport(outer, didReceive: packet) }
    func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
      if outer.isUnheard(packet) { return }
      guard packet.kind == .aclData, outer.dataDelay > .zero, let loop = outer.loop else {
        receiver?.transport(outer, didReceive: packet)
        return
      }
      loop.schedule(after: outer.dataDelay, .work) { [self] in receiver?.transport(outer, didReceive: packet) }
    }
    func transport(_ transport: any HCITransport, didFail error: TransportError) {
      receiver?.transport(outer, didFail: error)
    }
  }
}
