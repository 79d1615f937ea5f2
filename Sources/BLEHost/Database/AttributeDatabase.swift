import BLECore
import BLECrypto
import BLEWire

/// The attributes of a GATT server in the order of their handles. Everything on the loop.
///
/// Services are placed at handles that the caller chose, or where there is room. Handles may have gaps, and a service may
/// reach beyond its last attribute.
public final class AttributeDatabase {
  private var attributes: [Attribute] = []
  /// Grows with each change of the structure.
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

  /// The attributes with handles in a range, in order.
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

  /// Whether there is an attribute that wants keys: to encrypt the link, or to check what was signed.
  var hasProtection: Bool { attributes.contains { $0.permissions.wantKeys } }

  func index(of handle: AttributeHandle) -> Int? {
    let index = lowerBound(handle)
    guard index < attributes.count, attributes[index].handle == handle else { return nil }
    return index
  }

  /// The index of the first attribute at or behind `handle`.
  private func lowerBound(_ handle: AttributeHandle) -> Int {
    guard let first = attributes.first else { return 0 }
    if handle <= first.handle { return 0 }
    // Where handles have no gaps, which is the rule, the place is known at once.
    let guess = Int(handle.rawValue) - Int(first.handle.rawValue)
    if guess < attributes.count, attributes[guess].handle == handle { return guess }
    var low = 0
    var high = min(guess, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether the characteristic whose value this is may take part in a reliable write: its extended properties say so
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

  /// The client configuration of the characteristic whose value this is.
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

  /// Places attributes at their handles.
  ///
  /// - Parameter new: in ascending order.
  /// - Returns: false, and nothing is changed, where a handle is 0, taken, or out of order.
  @discardableResult
  public func place(_ new: [Attribute]) -> Bool {
    guard let first = new.first, let last = new.last else { return true }
    guard first.handle >= .first, zip(new, new.dropFirst()).allSatisfy({ $0.handle < $1.handle }),
      self.attributes(from: first.handle, through: last.handle).isEmpty
    else { return false }
    attributes.insert(contentsOf: new, at: lowerBound(first.handle))
    revision += 1
    return true
  }

  /// Takes the attributes of a range away.
  public func remove(_ handles: ClosedRange<AttributeHandle>) {
    let slice = attributes(from: handles.lowerBound, through: handles.upperBound)
    guard !slice.isEmpty else { return }
    attributes.removeSubrange(slice.startIndex..<slice.endIndex)
    revision += 1
  }

  /// `count` handles in a row that no attribute and no service has: behind the last service, else in the first gap that is
  /// large enough.
  ///
  /// - Parameter lowest: where to look from on.
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

  /// The row of `count` handles that begins at `first`; `nil` where something is there.
  func free(_ count: Int, at first: AttributeHandle) -> ClosedRange<AttributeHandle>? {
    guard count >= 1, let end = UInt16(exactly: Int(first.rawValue) + count - 1) else { return nil }
    let last = AttributeHandle(end)
    let isTaken = attributes.contains { attribute in
      attribute.handle <= last && max(attribute.handle, attribute.groupEnd) >= first
    }
    return isTaken ? nil : first...last
  }

  /// Replaces a stored value. The structure stays what it is; declarations are part of it and cannot be changed.
  public func setValue(_ value: [UInt8], at handle: AttributeHandle) {
    guard let index = index(of: handle), case .value = attributes[index].content else { return }
    attributes[index].content = .value(value)
  }

  /// The database hash, in the order in which it travels (Core, Vol 3 Part G 7.3).
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
