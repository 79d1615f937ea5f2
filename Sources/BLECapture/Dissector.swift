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
  /// The whole L2CAP frame that the latest packet completed; `nil` if it completed none.
  public internal(set) var frame: CapturedFrame?
  /// The Device Name that the latest packet carries from the server of a link.
  var deviceName: ArraySlice<UInt8>?
  /// The number of air packets that one of the keys has decrypted.
  public internal(set) var openedCount = 0
  /// The number of encrypted air packets that no key has decrypted.
  public internal(set) var sealedCount = 0

  /// - Parameter keys: the keys with which air packets are decrypted.
  public init(keys: CaptureKeys = CaptureKeys()) { decryption = AirDecryption(keys: keys) }

  /// The line of the next packet, without a newline.
  public func line(_ packet: CapturedPacket) -> String { line(packet, saying: text(packet)) }

  /// The line of a packet whose text is known.
  ///
  /// - Parameters:
  ///   - text: what `text(_:)` has said of it.
  ///   - interfaceName: the name of its interface, instead of the interface's number.
  ///   - deviceName: the name of the device that it concerns.
  public func line(
    _ packet: CapturedPacket, saying text: String, interfaceName: String? = nil, deviceName: String? = nil
  ) -> String {
    let mark =
      switch packet.content {
      case .hci(_, let direction): direction == .sent ? "<" : ">"
      case .air: "*"
      case .other: "?"
      }
    let number = packet.interface == 0 ? "" : "#\(packet.interface) "
    let interface = interfaceName.map { "\(PacketText.inert($0)) " } ?? number
    let device = deviceName.map { "[\(PacketText.inert($0))] " } ?? ""
    return "\(time(packet.timestamp)) \(interface)\(mark) \(device)\(text)"
  }

  /// The type of the attribute that the latest frame is about, if the capture has said it.
  func attributeType(of handle: AttributeHandle, in frame: CapturedFrame) -> BLEUUID? {
    let isFromServer = ATTOpcode(frame.payload.first ?? 0).isFromServer
    return links.type(of: handle, frame.link, isFromServer == (frame.direction == .received) ? .received : .sent)
  }

  /// The contents of the next packet in the highest layer, in characters that are harmless for a terminal.
  public func text(_ packet: CapturedPacket) -> String {
    if first == nil { first = packet.timestamp }
    frame = nil
    deviceName = nil
    let text =
      switch packet.content {
      case .hci(let hci, let direction): describe(hci, direction, interface: packet.interface)
      case .air(let air): describe(air)
      case .other(let linkType, let octets): "link type \(linkType): \(PacketText.of(octets: octets[...]))"
      }
    return PacketText.inert(text) + (packet.isCut ? " (cut)" : "")
  }

  /// Seconds since the first packet, to the microsecond.
  private func time(_ timestamp: CaptureTimestamp) -> String {
    let start = first ?? timestamp
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
