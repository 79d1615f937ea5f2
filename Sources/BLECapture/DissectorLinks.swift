import BLECore
import BLEWire

/// The state of a dissector's links: incomplete frames, and the names of attributes.
struct DissectorLinks {
  struct Key: Hashable {
    let interface: Int
    let handle: ConnectionHandle
  }

  /// A frame whose beginning was captured.
  private struct Partial {
    var octets: [UInt8]
    let length: Int
  }

  /// What is known of the attributes of one side.
  struct Database {
    var names: [AttributeHandle: String] = [:]
    /// The type in the last Read By Type Request.
    var typeAsked: BLEUUID?
    /// The attribute of the last request, if it had one.
    var handleAsked: AttributeHandle?
  }

  /// Limits for links with incomplete frames, for links with known attributes, and for the names of one link. At a limit all of
  /// that state is dropped.
  private static let partialLimit = 64
  private static let linkLimit = 256
  private static let nameLimit = 4_096

  private var partials: [Key: [CaptureDirection: Partial]] = [:]
  private var databases: [Key: [CaptureDirection: Database]] = [:]

  mutating func forget(_ key: Key) {
    partials[key] = nil
    databases[key] = nil
  }

  /// The result of a piece of a frame.
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
      // The usual case: a whole frame, and no state is kept.
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

  /// The name of an attribute of the side that responds with packets of `direction`.
  func name(of attribute: AttributeHandle, _ key: Key, _ direction: CaptureDirection) -> String? {
    databases[key]?[direction]?.names[attribute]
  }

  /// The attribute of the last request to this side.
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
