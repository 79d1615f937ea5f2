import BLEAdapter
import BLECore

/// The links of a host in the order of their handles. The lookup by handle, needed for each packet, uses no hashing.
struct ConnectionTable {
  /// Indexed by handle, up to the highest used so far; at most 0x0EFF (Core, Vol 4 Part E 5.3).
  private var slots: [HostConnection?] = []
  private var byAddress: [UInt64: HostConnection] = [:]
  private(set) var count = 0
  private var peripheralCount = 0

  var isEmpty: Bool { count == 0 }
  /// Whether this device is the peripheral of any link.
  var hasPeripheralLinks: Bool { peripheralCount > 0 }

  subscript(handle: ConnectionHandle) -> HostConnection? {
    let index = Int(handle.rawValue)
    return index < slots.count ? slots[index] : nil
  }

  /// The link to `address`, including one being established or ended.
  subscript(address: DeviceAddress) -> HostConnection? { byAddress[address.key] }

  /// All links.
  var all: [HostConnection] { slots.compactMap { $0 } }

  mutating func insert(_ connection: HostConnection) {
    let index = Int(connection.handle.rawValue)
    if index >= slots.count { slots.append(contentsOf: repeatElement(nil, count: index + 1 - slots.count)) }
    remove(connection.handle)
    slots[index] = connection
    count += 1
    if connection.role == .peripheral { peripheralCount += 1 }
    byAddress[connection.peer.address.key] = connection
  }

  @discardableResult
  mutating func remove(_ handle: ConnectionHandle) -> HostConnection? {
    guard let connection = self[handle] else { return nil }
    slots[Int(handle.rawValue)] = nil
    count -= 1
    if connection.role == .peripheral { peripheralCount -= 1 }
    // With two links to one address, the address maps to the newer one.
    if byAddress[connection.peer.address.key] === connection { byAddress[connection.peer.address.key] = nil }
    return connection
  }

  /// Changes the peer, and with it the address, of a link.
  mutating func identify(_ connection: HostConnection, as peer: KnownPeer) {
    let old = connection.peer.address
    connection.identify(as: peer)
    if byAddress[old.key] === connection { byAddress[old.key] = nil }
    byAddress[peer.address.key] = connection
  }

  mutating func removeAll() { self = ConnectionTable() }
}
