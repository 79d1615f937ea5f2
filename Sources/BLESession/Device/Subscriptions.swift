import CoreBluetooth

/// The application's listeners of notifications, kept over reconnections.
final class Subscriptions {
  private struct Listener {
    var path: CharacteristicPath
    var tell: (Data) -> Void
    var finish: () -> Void
  }

  private var listeners: [Int: Listener] = [:]
  private var next = 0
  /// The characteristics whose notifications are enabled on this link.
  private(set) var active: Set<CharacteristicPath> = []
  /// The characteristics whose notifications could not be enabled on this link.
  var refused: Set<CharacteristicPath> = []

  var wanted: Set<CharacteristicPath> { Set(listeners.values.map(\.path)) }

  func isWanted(_ path: CharacteristicPath) -> Bool { listeners.values.contains { $0.path == path } }

  func add(_ path: CharacteristicPath, tell: @escaping (Data) -> Void, finish: @escaping () -> Void) -> Int {
    defer { next += 1 }
    listeners[next] = Listener(path: path, tell: tell, finish: finish)
    return next
  }

  func remove(_ number: Int) -> CharacteristicPath? { listeners.removeValue(forKey: number)?.path }

  func setActive(_ path: CharacteristicPath, _ isActive: Bool) {
    if isActive { active.insert(path) } else { active.remove(path) }
  }

  func linkEnded() {
    active = []
    refused = []
  }

  func deliver(_ value: Data, from characteristic: CBCharacteristic, of peripheral: CBPeripheral) {
    let uuid = characteristic.uuid
    for number in listeners.keys.sorted() {
      // By the UUID first: to find a characteristic takes a way through all services, too long for each value and each listener.
      guard let listener = listeners[number], listener.path.characteristic == uuid,
        listener.path.find(in: peripheral) === characteristic
      else { continue }
      listener.tell(value)
    }
  }

  func finishAll() {
    let all = listeners.values
    listeners = [:]
    for listener in all { listener.finish() }
  }
}

extension Set<CharacteristicPath> {
  /// Sorted, so that the order is the same each time.
  var ordered: [CharacteristicPath] { sorted { $0.description < $1.description } }
}
