internal import BLEAdapter

/// Keeps the objects that a scan has made last: a device that advertises again has its object still, also if the program keeps none. The table of
/// peripherals finds it.
///
/// Only such as nothing has been asked of yet. One to be connected belongs to the program alone: it is given up when the program releases it.
struct RecentPeripherals {
  /// So many are kept. With more devices around, objects of those that the program does not keep are made again now and then.
  private static let limit = 512
  private var peripherals: [PeerIdentifier: CBPeripheral] = [:]

  /// - Returns: what is not kept any more; to be released where no lock is held.
  mutating func keep(_ peripheral: CBPeripheral) -> [PeerIdentifier: CBPeripheral] {
    let dropped = peripherals.count < Self.limit ? [:] : takeAll()
    peripherals[peripheral.peerIdentifier] = peripheral
    return dropped
  }

  mutating func drop(_ identifier: PeerIdentifier) -> CBPeripheral? { peripherals.removeValue(forKey: identifier) }

  mutating func takeAll() -> [PeerIdentifier: CBPeripheral] {
    defer { peripherals = [:] }
    return peripherals
  }
}
