import BLECore
import BLEDeviceFiles
import BLEWire
import CoreBluetooth

/// The attributes of a recording as the Attribute Protocol sees them: types, values of declarations, and ends of groups.
struct ClonedTable: Sendable {
  struct Entry: Sendable {
    let handle: UInt16
    /// `nil`: not known. Discovery does not show such an attribute.
    let type: BLEUUID?
    /// The value of a declaration; `nil` for what is read from the recording.
    let declaration: [UInt8]?
    /// The last handle of the group that it opens; `nil` if it opens none.
    let groupEnd: UInt16?
    let recorded: RecordedAttribute
  }

  static let primaryService = BLEUUID(0x2800)
  static let secondaryService = BLEUUID(0x2801)
  static let include = BLEUUID(0x2802)
  static let characteristic = BLEUUID(0x2803)
  static let clientConfiguration = BLEUUID(0x2902)

  let entries: [Entry]
  /// The value that a Client Characteristic Configuration is about, by the descriptor's handle.
  let configured: [UInt16: UInt16]

  init(_ recording: RecordedDevice) {
    var entries: [Entry] = []
    var configured: [UInt16: UInt16] = [:]
    var value: UInt16?
    for attribute in recording.attributes {
      entries.append(Self.entry(attribute))
      switch attribute.kind {
      case .service: value = nil
      case .characteristic(_, let handle, _): value = handle
      case .included: break
      case .value(let type):
        if type.flatMap(Self.wire) == Self.clientConfiguration {
          // Without a declaration: of the attribute in front of it.
          let before = attribute.handle > 1 ? attribute.handle - 1 : nil
          configured[attribute.handle] = value ?? before
        }
      }
    }
    self.entries = entries
    self.configured = configured
  }

  static func wire(_ uuid: CBUUID) -> BLEUUID? { BLEUUID(octets: Array(uuid.data.reversed())) }

  private static func entry(_ attribute: RecordedAttribute) -> Entry {
    func entry(_ type: BLEUUID?, _ declaration: [UInt8]? = nil, end: UInt16? = nil) -> Entry {
      Entry(handle: attribute.handle, type: type, declaration: declaration, groupEnd: end, recorded: attribute)
    }
    switch attribute.kind {
    case .service(let uuid, let end, let isPrimary):
      return entry(isPrimary ? primaryService : secondaryService, Array(uuid.data.reversed()), end: end)
    case .included(let start, let end, let uuid):
      let ends = [start, end].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      return entry(include, ends + (uuid.map { Array($0.data.reversed()) } ?? []))
    case .characteristic(let uuid, let value, let properties):
      let head = [properties, UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      return entry(characteristic, head + uuid.data.reversed())
    case .value(let type): return entry(type.flatMap(wire))
    }
  }

  subscript(handle: UInt16) -> Entry? {
    let index = first(from: handle)
    return index < entries.count && entries[index].handle == handle ? entries[index] : nil
  }

  /// The entries of a range of handles, in their order.
  func range(_ first: UInt16, _ last: UInt16) -> ArraySlice<Entry> {
    let start = self.first(from: first)
    return entries[start...].prefix { $0.handle <= last }
  }

  private func first(from handle: UInt16) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
