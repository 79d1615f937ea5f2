import BLECore
import BLEWire

/// What a dissector remembers of links: frames that are not complete, and what attributes are called.
struct DissectorLinks {
  struct Key: Hashable {
    let interface: Int
    let handle: ConnectionHandle
  }

  /// A frame whose beginning was seen.
  private struct Partial {
    var octets: [UInt8]
    let length: Int
  }

  /// What was learned of the attributes of one side.
  struct Database {
    var names: [AttributeHandle: String] = [:]
    /// What the last Read By Type Request asked for.
    var typeAsked: BLEUUID?
    /// What the last request was about, where it named one attribute.
    var handleAsked: AttributeHandle?
  }

  /// Frames that are being put together, links, and names of one link: beyond, the oldest knowledge is dropped at once.
  private static let partialLimit = 64
  private static let linkLimit = 256
  private static let nameLimit = 4_096

  private var partials: [Key: [CaptureDirection: Partial]] = [:]
  private var databases: [Key: [CaptureDirection: Database]] = [:]

  mutating func forget(_ key: Key) {
    partials[key] = nil
    databases[key] = nil
  }

  /// What a piece of a frame makes of it.
  enum Assembled {
    case frame(L2CAPHeader, ArraySlice<UInt8>)
    case incomplete(have: Int, of: Int)
    case stray
  }

  mutating func assemble(_ data: HCIACLPacket, _ key: Key, _ direction: CaptureDirection) -> Assembled {
    var partial: Partial
    if data.boundary == .continuing {
      guard let begun = partials[key]?[direction] else { return .stray }
      partial = begun
      partial.octets.append(contentsOf: data.payload)
    } else {
      var reader = ByteReader(data.payload, layer: "L2CAP")
      guard let header = try? L2CAPHeader(from: &reader) else { return .stray }
      let length = Int(header.length) + L2CAPHeader.octetCount
      // The usual case: a whole frame, and nothing to remember.
      if data.payload.count == length {
        partials[key]?[direction] = nil
        return .frame(header, reader.rest())
      }
      partial = Partial(octets: Array(data.payload), length: length)
    }
    if partial.octets.count > partial.length {
      partials[key]?[direction] = nil
      return .stray
    }
    if partial.octets.count < partial.length {
      if partials.count >= Self.partialLimit, partials[key] == nil { partials.removeAll() }
      partials[key, default: [:]][direction] = partial
      return .incomplete(have: partial.octets.count, of: partial.length)
    }
    partials[key]?[direction] = nil
    var reader = ByteReader(partial.octets, layer: "L2CAP")
    guard let header = try? L2CAPHeader(from: &reader) else { return .stray }
    return .frame(header, reader.rest())
  }

  /// The attributes of the side that answers by packets of `direction`.
  func name(of attribute: AttributeHandle, _ key: Key, _ direction: CaptureDirection) -> String? {
    databases[key]?[direction]?.names[attribute]
  }

  /// The attribute that the last request to this side named.
  func handleAsked(_ key: Key, _ direction: CaptureDirection) -> AttributeHandle? {
    databases[key]?[direction]?.handleAsked
  }

  mutating func learn(_ key: Key, _ direction: CaptureDirection, _ body: (inout Database) -> Void) {
    if databases.count >= Self.linkLimit, databases[key] == nil { databases.removeAll() }
    body(&databases[key, default: [:]][direction, default: Database()])
    if databases[key]?[direction]?.names.count ?? 0 > Self.nameLimit {
      databases[key]?[direction]?.names.removeAll()
    }
  }
}
