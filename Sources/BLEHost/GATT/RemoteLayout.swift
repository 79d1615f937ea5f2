import BLEAdapter
import BLECore
import BLEWire

/// The known attributes of a peer, and which handles were searched for what. A value that can be stored from one connection to the
/// next, together with the hash to which it belongs.
public struct RemoteLayout: Sendable {
  /// The hash of the peer's database at the time, least significant octet first; `nil` if it has none.
  public internal(set) var hash: [UInt8]?

  var services = HandleTable<RemoteService>()
  var includes = HandleTable<IncludeDeclaration>()
  var characteristics = HandleTable<DeclaredCharacteristic>()
  var descriptors = HandleTable<RemoteDescriptor>()

  /// Handles searched for primary services, includes, characteristics and client configurations.
  var searchedServices = HandleSet()
  var searchedIncludes = HandleSet()
  var searchedCharacteristics = HandleSet()
  var searchedConfigurations = HandleSet()
  /// Handles of which the attribute, or its absence, is known.
  var knownHandles = HandleSet()

  public init() {}

  /// Forgets the attributes of a range, extended to the whole of each service that overlaps it.
  mutating func forget(_ range: ClosedRange<AttributeHandle>) {
    var range = range
    for service in services.items where service.handles.overlaps(range) {
      let first = min(range.lowerBound, service.handles.lowerBound)
      range = first...max(range.upperBound, service.handles.upperBound)
    }
    services.remove(range)
    includes.remove(range)
    characteristics.remove(range)
    descriptors.remove(range)
    for path in [
      \RemoteLayout.searchedServices, \.searchedIncludes, \.searchedCharacteristics, \.searchedConfigurations,
      \.knownHandles,
    ] {
      self[keyPath: path].remove(range)
    }
    hash = nil
  }

  // MARK: Results

  mutating func add(_ found: [RemoteService], from first: AttributeHandle, through last: AttributeHandle) {
    for service in found {
      services.insert(service)
      knownHandles.insert(service.handles.lowerBound)
    }
    searchedServices.insert(first...max(first, last))
  }

  mutating func add(_ found: [IncludeDeclaration], from first: AttributeHandle, through last: AttributeHandle) {
    for include in found {
      includes.insert(include)
      knownHandles.insert(include.handle)
    }
    searchedIncludes.insert(first...max(first, last))
  }

  mutating func add(_ found: [DeclaredCharacteristic], from first: AttributeHandle, through last: AttributeHandle) {
    // A declaration whose value handle does not follow it is invalid.
    for characteristic in found where characteristic.valueHandle > characteristic.handle {
      characteristics.insert(characteristic)
      knownHandles.insert(characteristic.handle)
      knownHandles.insert(characteristic.valueHandle)
    }
    searchedCharacteristics.insert(first...max(first, last))
  }

  mutating func addConfigurations(
    _ handles: [AttributeHandle], from first: AttributeHandle, through last: AttributeHandle
  ) {
    for handle in handles {
      descriptors.insert(RemoteDescriptor(uuid: GATTType.clientCharacteristicConfiguration, handle: handle))
      knownHandles.insert(handle)
    }
    searchedConfigurations.insert(first...max(first, last))
  }

  mutating func add(_ found: [RemoteDescriptor], from first: AttributeHandle, through last: AttributeHandle) {
    for attribute in found where !knownHandles.contains(attribute.handle) { descriptors.insert(attribute) }
    knownHandles.insert(first...max(first, last))
  }

  // MARK: Looking up

  /// Whether every characteristic declaration among `handles` is known: where a search ended before the last of them, all that follow are
  /// known as something else, such as the value and the configuration of the last characteristic.
  func hasNoUnknownCharacteristic(in handles: ClosedRange<AttributeHandle>) -> Bool {
    guard let gap = searchedCharacteristics.firstGap(in: handles) else { return true }
    let rest = gap.lowerBound...handles.upperBound
    // A search by handle names declarations, too, without what they declare.
    return knownHandles.firstGap(in: rest) == nil
      && !descriptors.items(in: rest).contains { $0.uuid == GATTType.characteristic }
  }

  /// Returns the characteristics of a service of which all handles were searched, all or those with given UUIDs.
  func characteristics(_ uuids: [BLEUUID]? = nil, of service: RemoteService) -> [RemoteCharacteristic] {
    let declarations = characteristics.items(in: service.handles)
    var found: [RemoteCharacteristic] = []
    found.reserveCapacity(declarations.count)
    var end = service.handles.upperBound
    for declaration in declarations.reversed() where service.handles.contains(declaration.valueHandle) {
      if uuids.map({ $0.contains(declaration.uuid) }) ?? true {
        found.append(
          RemoteCharacteristic(
            uuid: declaration.uuid, declaration: declaration.handle, value: declaration.valueHandle,
            end: max(end, declaration.valueHandle), properties: declaration.properties))
      }
      end = AttributeHandle(declaration.handle.rawValue - 1)
    }
    found.reverse()
    return found
  }

  /// Whether nothing needs to be searched for the descriptors of a characteristic.
  func knowsDescriptors(of characteristic: RemoteCharacteristic) -> Bool {
    guard let handles = Self.descriptorHandles(of: characteristic) else { return true }
    return knownHandles.firstGap(in: handles) == nil
  }

  /// Returns the handles after a characteristic's value; `nil` if there are none.
  static func descriptorHandles(of characteristic: RemoteCharacteristic) -> ClosedRange<AttributeHandle>? {
    guard let first = characteristic.value.next, first <= characteristic.end else { return nil }
    return first...characteristic.end
  }
}

/// An item that is ordered by a handle in the peer's database.
protocol HandleOrdered: Sendable {
  var orderHandle: AttributeHandle { get }
}

extension RemoteService: HandleOrdered { var orderHandle: AttributeHandle { handles.lowerBound } }
extension IncludeDeclaration: HandleOrdered { var orderHandle: AttributeHandle { handle } }
extension DeclaredCharacteristic: HandleOrdered { var orderHandle: AttributeHandle { handle } }
extension RemoteDescriptor: HandleOrdered { var orderHandle: AttributeHandle { handle } }

/// Items in the order of their handles, at most one for each handle.
struct HandleTable<Item: HandleOrdered>: Sendable {
  private(set) var items: [Item] = []

  mutating func insert(_ item: Item) {
    let index = lowerBound(item.orderHandle)
    if index < items.count, items[index].orderHandle == item.orderHandle {
      items[index] = item
    } else {
      items.insert(item, at: index)
    }
  }

  mutating func remove(_ range: ClosedRange<AttributeHandle>) {
    items.removeAll { range.contains($0.orderHandle) }
  }

  func items(in range: ClosedRange<AttributeHandle>) -> ArraySlice<Item> {
    let start = lowerBound(range.lowerBound)
    let end = range.upperBound.next.map { lowerBound($0) } ?? items.count
    return items[start..<max(start, end)]
  }

  private func lowerBound(_ handle: AttributeHandle) -> Int {
    if let last = items.last, last.orderHandle < handle { return items.count }
    return items.partitionPoint(after: { $0.orderHandle < handle })
  }
}
