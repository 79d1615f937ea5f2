import BLESession
import CoreBluetooth

/// One observation to be recorded.
public struct StoreEntry: Sendable {
  /// The kinds of entries.
  public enum Content: Sendable {
    /// A device advertised.
    case sighting(Advertisement)
    /// A link was established.
    case connected(ConnectionOrigin)
    /// The device is ready.
    case ready
    /// The link has ended.
    case disconnected(StoredConnection.Ending, error: String?)
    /// A value, its characteristic, and how it was obtained.
    case value(Data, from: CharacteristicPath, StoredValue.Source)
    /// In dBm.
    case signal(rssi: Int, smoothed: Double?, StoredSignal.Source)
    /// Any other event. `kind` is a word, `detail` is for people.
    case event(kind: String, detail: String?)
  }

  /// When it was observed.
  public var time: Date
  /// `nil` only for events without a device: other entries without one are not stored.
  public var device: UUID?
  /// The device's name, where it is known; at most 4,096 octets of it are stored.
  public var name: String?
  /// The device's address, where it is known.
  public var address: String?
  /// The observation.
  public var content: Content

  /// An observation at `time`.
  public init(
    _ content: Content, device: UUID?, name: String? = nil, address: String? = nil, at time: Date = Date()
  ) {
    self.content = content
    self.device = device
    self.name = name
    self.address = address
    self.time = time
  }

  /// The memory in octets that it is counted for while it waits.
  var weight: Int {
    switch content {
    case .value(let octets, _, _): 256 + octets.count
    case .event(_, let detail): 256 + (detail?.utf8.count ?? 0)
    case .sighting(let advertisement): 512 + (advertisement.manufacturerData?.count ?? 0)
    default: 256
    }
  }
}

/// Limits of stored texts and values from a radio or a system.
enum Bounds {
  /// Octets of a text; no name or error on the air is that long.
  static let text = 4_096
  /// Octets of a value; an attribute has at most 512.
  static let value = 1 << 20

  /// The text, cut before the first character that exceeds the limit.
  static func text(_ text: String) -> String {
    if text.utf8.count <= Self.text { return text }
    var end = text.utf8.index(text.utf8.startIndex, offsetBy: Self.text)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }
}
