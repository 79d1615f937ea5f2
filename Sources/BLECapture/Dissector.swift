import BLECore
import BLEWire

/// Turns the packets of a capture into lines for people, one for each: time, direction, and what the packet says in its
/// highest layer. Puts L2CAP frames together again, and remembers what attributes are called from the discovery it saw.
///
/// Feed it one capture's packets in order. What a capture says is taken for what it is: nothing from it can make memory grow
/// without limit or reach a terminal unescaped.
public final class Dissector {
  private var first: CaptureTimestamp?
  var links = DissectorLinks()
  var decryption: AirDecryption
  /// Packets of the air that were opened by one of the keys.
  public internal(set) var openedCount = 0
  /// Packets of the air that are encrypted and that no key opened.
  public internal(set) var sealedCount = 0

  /// - Parameter keys: what links of the air are decrypted with.
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

  /// What a decoder says, or why it cannot.
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
