import BLECore
import BLEWire

/// The state of a dissector's links: incomplete frames, and the types of attributes.
struct DissectorLinks {
  typealias Key = CapturedFrames.Link

  /// What is known of the attributes of one side.
  struct Database {
    var types: [AttributeHandle: BLEUUID] = [:]
    /// The type in the last Read By Type Request.
    var typeAsked: BLEUUID?
    /// The attribute of the last request, if it had one.
    var handleAsked: AttributeHandle?
  }

  /// Limits for links with known attributes, and for the types of one link. At a limit all of that state is dropped.
  private static let linkLimit = 256
  private static let typeLimit = 4_096

  var frames = CapturedFrames()
  private var databases: [Key: [CaptureDirection: Database]] = [:]

  mutating func forget(_ key: Key) {
    frames.forget(key)
    databases[key] = nil
  }

  /// The type of an attribute of the side that responds with packets of `direction`.
  func type(of attribute: AttributeHandle?, _ key: Key, _ direction: CaptureDirection) -> BLEUUID? {
    attribute.flatMap { databases[key]?[direction]?.types[$0] }
  }

  /// The type in the last Read By Type Request to this side.
  func typeAsked(_ key: Key, _ direction: CaptureDirection) -> BLEUUID? { databases[key]?[direction]?.typeAsked }

  /// The attribute of the last request to this side.
  func handleAsked(_ key: Key, _ direction: CaptureDirection) -> AttributeHandle? {
    databases[key]?[direction]?.handleAsked
  }

  mutating func learn(_ key: Key, _ direction: CaptureDirection, _ body: (inout Database) -> Void) {
    if databases.count >= Self.linkLimit, databases[key] == nil { databases.removeAll() }
    body(&databases[key, default: [:]][direction, default: Database()])
    if databases[key]?[direction]?.types.count ?? 0 > Self.typeLimit {
      databases[key]?[direction]?.types.removeAll()
    }
  }
}
