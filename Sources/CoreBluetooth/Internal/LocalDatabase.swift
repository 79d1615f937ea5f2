internal import BLEAdapter
internal import BLECore

/// The published objects of a peripheral manager, by their numbers.
struct LocalDatabase {
  private struct Entry {
    let service: CBMutableService
    let number: PeripheralManagerSession.ServiceNumber
    let characteristics: [LocalCharacteristicIdentifier]
  }

  private var services: [ObjectIdentifier: Entry] = [:]
  private var characteristics: [LocalCharacteristicIdentifier: CBMutableCharacteristic] = [:]
  private var identifiers: [ObjectIdentifier: LocalCharacteristicIdentifier] = [:]
  private var lastService: PeripheralManagerSession.ServiceNumber = 0
  private var lastCharacteristic: UInt32 = 0

  func number(of service: CBService) -> PeripheralManagerSession.ServiceNumber? {
    services[ObjectIdentifier(service)]?.number
  }

  func identifier(of characteristic: CBMutableCharacteristic) -> LocalCharacteristicIdentifier? {
    identifiers[ObjectIdentifier(characteristic)]
  }

  func characteristic(_ identifier: LocalCharacteristicIdentifier) -> CBMutableCharacteristic? {
    characteristics[identifier]
  }

  var allCharacteristics: [CBMutableCharacteristic] { Array(characteristics.values) }

  /// Assigns numbers to the service and its characteristics.
  mutating func insert(
    _ service: CBMutableService, _ members: [CBMutableCharacteristic]
  ) -> (PeripheralManagerSession.ServiceNumber, [LocalCharacteristicIdentifier]) {
    lastService += 1
    let numbers = members.map { member in
      lastCharacteristic += 1
      let identifier = LocalCharacteristicIdentifier(rawValue: lastCharacteristic)
      characteristics[identifier] = member
      identifiers[ObjectIdentifier(member)] = identifier
      return identifier
    }
    services[ObjectIdentifier(service)] = Entry(service: service, number: lastService, characteristics: numbers)
    return (lastService, numbers)
  }

  /// Its number, and the characteristics that are no longer published.
  mutating func remove(_ service: CBMutableService) -> (
    PeripheralManagerSession.ServiceNumber, [CBMutableCharacteristic]
  )? {
    guard let entry = services.removeValue(forKey: ObjectIdentifier(service)) else { return nil }
    let members = entry.characteristics.compactMap { characteristics.removeValue(forKey: $0) }
    for member in members { identifiers[ObjectIdentifier(member)] = nil }
    return (entry.number, members)
  }

  mutating func removeAll() {
    services = [:]
    characteristics = [:]
    identifiers = [:]
  }
}
