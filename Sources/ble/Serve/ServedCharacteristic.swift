import BLEProfileFiles
import BLESession
import CoreBluetooth

/// A published characteristic with its current value and subscribers.
@MainActor final class ServedCharacteristic {
  let profile: Profile.Characteristic
  let path: CharacteristicPath
  var value: [UInt8]
  /// The value after the writes of a request that are accepted so far.
  var written: [UInt8]?
  private(set) var subscribers: Set<UUID> = []
  /// The number of notifications so far, and of those that wait until the stack accepts them.
  var count = 0
  var waiting = 0
  private var timer: (any DispatchSourceTimer)?

  init(_ profile: Profile.Characteristic, at path: CharacteristicPath) {
    self.profile = profile
    self.path = path
    value = profile.value
  }

  var uuid: String { path.characteristic.uuidString }

  func subscribe(_ central: UUID) { subscribers.insert(central) }

  func unsubscribe(_ central: UUID) {
    subscribers.remove(central)
    if subscribers.isEmpty { stopTimer() }
  }

  func unsubscribeAll() {
    subscribers = []
    stopTimer()
  }

  /// Calls `tick` at each interval while there are subscribers.
  func startTimer(every interval: Double, _ tick: @escaping @MainActor () -> Void) {
    guard timer == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(1))
    timer.setEventHandler { MainActor.assumeIsolated(tick) }
    timer.resume()
    self.timer = timer
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }
}

extension Profile.Characteristic {
  /// The value is dynamic even if it never changes, so that each read can be reported.
  func makeCharacteristic() -> CBMutableCharacteristic {
    let made = CBMutableCharacteristic(
      type: CBUUID(uuid), properties: cbProperties, value: nil, permissions: cbPermissions)
    if descriptors.isEmpty { return made }
    made.descriptors = descriptors.map { descriptor in
      switch descriptor {
      case .userDescription(let text):
        CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: text)
      case .presentationFormat(let octets):
        CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data(octets))
      }
    }
    return made
  }

  var cbProperties: CBCharacteristicProperties {
    properties.reduce(into: []) { result, property in
      switch property {
      case .read: result.insert(.read)
      case .write: result.insert(.write)
      case .writeWithoutResponse: result.insert(.writeWithoutResponse)
      case .notify: result.insert(.notify)
      case .indicate: result.insert(.indicate)
      case .notifyEncryptionRequired: result.insert(.notifyEncryptionRequired)
      case .indicateEncryptionRequired: result.insert(.indicateEncryptionRequired)
      }
    }
  }

  var cbPermissions: CBAttributePermissions {
    permissions.reduce(into: []) { result, permission in
      switch permission {
      case .readable: result.insert(.readable)
      case .writeable: result.insert(.writeable)
      case .readEncryptionRequired: result.insert(.readEncryptionRequired)
      case .writeEncryptionRequired: result.insert(.writeEncryptionRequired)
      }
    }
  }
}
