import BLECore
import BLEWire

/// Converts the packets of a capture into lines for people, one for each: time, direction, and the contents in the highest layer.
/// Reassembles L2CAP frames, and learns the names of attributes from captured discoveries.
///
/// Pass it the packets of one capture in order. A capture is not trusted: its contents cannot make memory grow without limit or
/// reach a terminal unescaped.
public final class Dissector {
  private var first: CaptureTimestamp?
  var links = DissectorLinks()
  var decryption: AirDecryption
  /// The number of air packets that one of the keys has decrypted.
  public internal(set) var openedCount = 0
  /// The number of encrypted air packets that no key has decrypted.
  public internal(set) var sealedCount = 0

  /// - Parameter keys: the keys with which air packets are decrypted.
  public init(keys: CaptureKeys = CaptureKeys()) { decryption = AirDecryption(keys: keys) }

  /// The line of the next packet, without a newline.
  public func line(_ packet: CapturedPacket) -> String {
    let text: String
    let mark: String
    switch packet.content {
    case .hci(let hci, let direction):
      mark = direction == .sent ? "<" : ">"
      text = describe(hci, direction, interface: packet.interface)
    case .air(let air):
      mark = "*"
      text = describe(air)
    case .other(let linkType, let octets):
      mark = "?"
      text = "link type \(linkType): \(PacketText.of(octets: octets[...]))"
    }
    let interface = packet.interface == 0 ? "" : "#\(packet.interface) "
    let cut = packet.isCut ? " (cut)" : ""
    return "\(time(packet.timestamp)) \(interface)\(mark) \(PacketText.inert(text))\(cut)"
  }

  /// Seconds since the first packet, to the microsecond.
  private func time(_ timestamp: CaptureTimestamp) -> String {
    let start = first ?? timestamp
    first = start
    let microseconds = (timestamp.nanoseconds &- start.nanoseconds) / 1_000
    let magnitude = microseconds.magnitude
    let fraction = String(magnitude % 1_000_000)
    let text =
      (microseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000)."
      + String(repeating: "0", count: 6 - fraction.count) + fraction
    return String(repeating: " ", count: max(0, 12 - text.count)) + text
  }

  /// The text of a decoder, or its error.
  func understood(_ name: String, _ octets: ArraySlice<UInt8>, _ body: () throws -> String) -> String {
    do {
      let text = try body()
      return text.isEmpty ? name : "\(name) \(text)"
    } catch let error as DecodeError {
      return "\(name) malformed: \(error)"
    } catch {
      return "\(name) \(PacketText.of(octets: octets))"
    }
  }
}
