import BLECore
import BLECrypto
import BLEWire

/// The attributes of a GATT server, ordered by handle. Everything on the loop.
///
/// Services are placed at handles that the caller chooses, or at free ones. Handles may have gaps, and the handle range of a
/// service may extend beyond its last attribute.
public final class AttributeDatabase {
  private var attributes: [Attribute] = []
  /// Incremented with each change of the structure.
  public private(set) var revision = 0
  private var hash: (revision: Int, octets: [UInt8])?

  public init() {}

  public var isEmpty: Bool { attributes.isEmpty }
  public var count: Int { attributes.count }

  // MARK: Looking up

  /// The attribute at `handle`.
  public subscript(handle: AttributeHandle) -> Attribute? {
    guard let index = index(of: handle) else { return nil }
    return attributes[index]
  }

  /// Returns the attributes with handles in a range, in order.
  public func attributes(from first: AttributeHandle, through last: AttributeHandle) -> ArraySlice<Attribute> {
    let start = lowerBound(first)
    var end = start
    if last == .last {
      end = attributes.count
    } else if last >= first {
      end = lowerBound(AttributeHandle(last.rawValue + 1))
    }
    return attributes[start..<max(start, end)]
  }

  /// All attributes in order.
  public var all: ArraySlice<Attribute> { attributes[...] }

  /// Whether an attribute requires keys: to encrypt the link, or to verify a signature.
  var hasProtection: Bool { attributes.contains { $0.permissions.requireKeys } }

  func index(of handle: AttributeHandle) -> Int? {
    let index = lowerBound(handle)
    guard index < attributes.count, attributes[index].handle == handle else { return nil }
    return index
  }

  /// Returns the index of the first attribute at or after `handle`.
  private func lowerBound(_ handle: AttributeHandle) -> Int {
    guard let first = attributes.first else { return 0 }
    if handle <= first.handle { return 0 }
    // Without gaps between handles, which is usual, the index follows from the handle.
    let guess = Int(handle.rawValue) - Int(first.handle.rawValue)
    if guess < attributes.count, attributes[guess].handle == handle { return guess }
    return attributes.prefix(guess).partitionPoint(after: { $0.handle < handle })
  }

  /// Whether the extended properties of the characteristic with this value handle permit reliable writes
  /// (Core, Vol 3 Part G 3.3.3.1).
  public func permitsReliableWrites(of value: AttributeHandle) -> Bool {
    guard let index = index(of: value) else { return false }
    for attribute in attributes[(index + 1)...] {
      switch attribute.type {
      case GATTType.characteristic, GATTType.primaryService, GATTType.secondaryService: return false
      case GATTType.characteristicExtendedProperties: return (attribute.storedValue?.first ?? 0) & 0x01 != 0
      default: continue
      }
    }
    return false
  }

  /// Returns the client configuration descriptor of the characteristic with this value handle.
  public func clientConfiguration(of value: AttributeHandle) -> Attribute? {
    guard let index = index(of: value) else { return nil }
    for attribute in attributes[(index + 1)...] {
      switch attribute.content {
      case .clientConfiguration(of: value, offers: _): return attribute
      default: if attribute.type == GATTType.characteristic { return nil }
      }
    }
    return nil
  }

  // MARK: Changing

  /// Inserts attributes at their handles.
  ///
  /// - Parameter new: in ascending order of handles.
  /// - Returns: false, with nothing changed, if a handle is 0 or out of order, or if their range contains attributes.
  @discardableResult
  public func place(_ new: [Attribute]) -> Bool {
    guard let first = new.first, let last = new.last else { return true }
    guard first.handle >= .first, zip(new, new.dropFirst()).allSatisfy({ $0.handle < $1.handle }),
      self.attributes(from: first.handle, through: last.handle).isEmpty
    else { return false }
    insert(new, at: lowerBound(first.handle))
    revision += 1
    return true
  }

  /// A small database takes exactly the room that it needs, of which a simulated world of many devices has many. In a larger one the room
  /// grows as the array decides, so that the time for many services is not in proportion to the square of their number.
  private func insert(_ new: [Attribute], at index: Int) {
    guard attributes.count <= Self.exactCount else { return attributes.insert(contentsOf: new, at: index) }
    var all: [Attribute] = []
    all.reserveCapacity(attributes.count + new.count)
    all += attributes[..<index]
    all += new
    all += attributes[index...]
    attributes = all
  }

  private static let exactCount = 64

  /// Removes the attributes of a range.
  public func remove(_ handles: ClosedRange<AttributeHandle>) {
    let slice = attributes(from: handles.lowerBound, through: handles.upperBound)
    guard !slice.isEmpty else { return }
    attributes.removeSubrange(slice.startIndex..<slice.endIndex)
    revision += 1
  }

  /// Returns `count` consecutive handles outside all attributes and services: after the last service, else in the first gap
  /// that is large enough; `nil` if there is none.
  ///
  /// - Parameter lowest: the lowest handle to consider.
  public func freeHandles(_ count: Int, from lowest: AttributeHandle = .first) -> ClosedRange<AttributeHandle>? {
    guard (1...Int(UInt16.max)).contains(count) else { return nil }
    var start = Int(lowest.rawValue)
    var gap: Int?
    var groupEnd = 0
    for attribute in attributes {
      let handle = Int(attribute.handle.rawValue)
      if gap == nil, handle - start >= count { gap = start }
      groupEnd = max(groupEnd, Int(attribute.groupEnd.rawValue))
      start = max(start, groupEnd + 1, handle + 1)
    }
    if start + count - 1 > Int(UInt16.max) {
      guard let gap else { return nil }
      start = gap
    }
    guard let first = UInt16(exactly: start), let last = UInt16(exactly: start + count - 1) else { return nil }
    return AttributeHandle(first)...AttributeHandle(last)
  }

  /// Returns the `count` consecutive handles from `first` on; `nil` if one of them is in use.
  func free(_ count: Int, at first: AttributeHandle) -> ClosedRange<AttributeHandle>? {
    guard count >= 1, let end = UInt16(exactly: Int(first.rawValue) + count - 1) else { return nil }
    let last = AttributeHandle(end)
    let isTaken = attributes.contains { attribute in
      attribute.handle <= last && max(attribute.handle, attribute.groupEnd) >= first
    }
    return isTaken ? nil : first...last
  }

  /// Replaces a stored value. Not for declarations: they are part of the structure, and the revision does not change.
  public func setValue(_ value: [UInt8], at handle: AttributeHandle) {
    guard let index = index(of: handle), case .value = attributes[index].content else { return }
    attributes[index].content = .value(value)
  }

  /// The database hash, least significant octet first as in the PDU (Core, Vol 3 Part G 7.3).
  public var databaseHash: [UInt8] {
    if let hash, hash.revision == revision { return hash.octets }
    var sum = DatabaseHash()
    for attribute in attributes {
      sum.append(handle: attribute.handle, type: attribute.type, value: attribute.storedValue ?? [])
    }
    let octets = sum.value.leastSignificantFirst
    hash = (revision, octets)
    return octets
  }
}
