import BLECore
import BLEHCI
import BLETransports
import BLEVirtualRadio
import BLEWire

/// A controller at the end of a line: what it has for its host goes as a stream of octets, which a test cuts, merges and spoils,
/// and which the host's side takes apart as it does that of a socket or a serial line.
final class StreamedController: HCITransport, HCITransportReceiver, TimerTarget {
  let name = "streamed"
  let isSimulated = true
  /// Made of what is in the line before the host reads it, with how many octets it had read until then.
  var spoil: (_ octets: [UInt8], _ count: Int) -> [UInt8] = { octets, _ in octets }

  private let inner: VirtualController
  private let loop: any StackLoop
  /// The most that is read at once.
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

  /// What the host's side keeps of a packet that is not whole.
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

  /// What comes within a tenth of a millisecond is read together.
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
