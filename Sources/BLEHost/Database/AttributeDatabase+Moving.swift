import BLECore
import BLEWire

extension AttributeDatabase {
  /// Moves all attributes from a handle on to handles that are higher by `count`, with the handles that their declarations name.
  ///
  /// - Returns: false, with nothing changed, if there is no room.
  func move(from first: AttributeHandle, by count: UInt16) -> Bool {
    let old = Array(attributes(from: first, through: .last))
    guard let last = old.map(\.groupEnd).max(), last.rawValue <= .max - count else { return false }
    remove(first...last)
    return place(old.map { $0.moved(by: count, from: first) })
  }
}

extension PublishedService {
  /// The same service at handles that are higher by `count`.
  func moved(by count: UInt16) -> PublishedService {
    PublishedService(
      uuid: uuid, handles: handles.lowerBound.moved(by: count)...handles.upperBound.moved(by: count),
      values: values.mapValues { $0.moved(by: count) })
  }
}

extension AttributeHandle {
  fileprivate func moved(by count: UInt16) -> AttributeHandle { AttributeHandle(rawValue &+ count) }
}

extension Attribute {
  fileprivate func moved(by count: UInt16, from first: AttributeHandle) -> Attribute {
    var content = content
    switch content {
    case .value(let value) where type == GATTType.characteristic && value.count >= 3:
      content = .value(value.movingHandle(at: 1, by: count, from: first))
    case .value(let value) where type == GATTType.include && value.count >= 4:
      content = .value(
        value.movingHandle(at: 0, by: count, from: first).movingHandle(at: 2, by: count, from: first))
    case .clientConfiguration(let value, let offers):
      content = .clientConfiguration(of: value.moved(by: count), offers: offers)
    default: break
    }
    return Attribute(
      handle: handle.moved(by: count), type: type, permissions: permissions, content: content,
      groupEnd: groupEnd.moved(by: count))
  }
}

extension [UInt8] {
  /// Adds `count` to the handle at an offset, if it is one of those that move.
  fileprivate func movingHandle(at offset: Int, by count: UInt16, from first: AttributeHandle) -> [UInt8] {
    let handle = AttributeHandle(UInt16(self[offset]) | UInt16(self[offset + 1]) << 8)
    guard handle >= first else { return self }
    var octets = self
    let moved = handle.moved(by: count).rawValue
    (octets[offset], octets[offset + 1]) = (UInt8(truncatingIfNeeded: moved), UInt8(moved >> 8))
    return octets
  }
}
