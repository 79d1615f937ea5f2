import BLECore
import BLEHCI
import BLETransports
import BLEVirtualRadio
import BLEWire

/// A controller at the end of a line: its packets are sent as a stream of octets, which a test cuts, merges and corrupts, and
/// which the host's side parses as it does that of a socket or a serial line.
final class StreamedController: HCITransport, HCITransportReceiver, TimerTarget {
  let name = "streamed"
  let isSimulated = true
  /// Applied to the octets in the line before the host reads them, with how many octets it had read until then.
  var spoil: (_ octets: [UInt8], _ count: Int) -> [UInt8] = { octets, _ in octets }

  private let inner: VirtualController
  private let loop: any StackLoop
  /// The most that is read at one time.
  private let pieceLength: Int
  private weak var receiver: (any HCITransportReceiver)?
  private var parser = H4Parser(.toHost)
  private var line: [UInt8] = []
  private var readCount = 0

  init(_ inner: VirtualController, loop: any StackLoop, pieceLength: Int) {
    self.inner = inner
    self.loop = loop
    self.pieceLength = pieceLength
  }

  /// The octets of an incomplete packet that the host's side keeps.
  var pendingCount: Int { parser.pendingCount }

  func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    try inner.open(receiver: self)
  }
  func send(_ packet: HCIPacket) { inner.send(packet) }
  func close() {
    receiver = nil
    inner.close()
  }

  /// Octets that arrive within a tenth of a millisecond are read together.
  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    if line.isEmpty { loop.schedule(after: .microseconds(100), .work, self) }
    line += [packet.kind.rawValue] + packet.octets
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {
    receiver?.transport(self, didFail: error)
  }

  func timerFired(tag: Int) {
    let octets = spoil(line, readCount)
    readCount += line.count
    line = []
    var rest = octets[...]
    while !rest.isEmpty, receiver != nil {
      do throws(H4Parser.Desynchronized) {
        try parser.feed(rest.prefix(pieceLength)) { receiver?.transport(self, didReceive: $0) }
      } catch {
        receiver?.transport(self, didFail: TransportError(.malformed, "\(error)"))
        return
      }
      rest = rest.dropFirst(pieceLength)
    }
  }
}
