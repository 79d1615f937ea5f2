import BLESession
import CoreBluetooth
import Foundation

/// A published characteristic with its current value and subscribers.
@MainActor package final class ServedCharacteristic {
  package let profile: Profile.Characteristic
  package let path: CharacteristicPath
  package var value: [UInt8]
  /// The value after the writes of a request that are accepted so far.
  var written: [UInt8]?
  package private(set) var subscribers: Set<UUID> = []
  /// The number of notifications so far, and of those that wait until the stack accepts them.
  var count = 0
  var waiting = 0
  private var timer: (any SessionTimer)?
  /// Those of timers that were stopped do nothing any more.
  private var generation = 0

  init(_ profile: Profile.Characteristic, at path: CharacteristicPath) {
    self.profile = profile
    self.path = path
    value = profile.value
  }

  package var uuid: String { path.characteristic.uuidString }

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
  func startTimer(every interval: Duration, by clock: any SessionClock, _ tick: @escaping @MainActor () -> Void) {
    guard timer == nil else { return }
    schedule(at: clock.now + interval, every: interval, by: clock, generation, tick)
  }

  private func schedule(
    at time: Duration, every interval: Duration, by clock: any SessionClock, _ generation: Int,
    _ tick: @escaping @MainActor () -> Void
  ) {
    timer = clock.schedule(after: max(.zero, time - clock.now), on: .main) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.generation == generation else { return }
        tick()
        // By the time at which it was due, so that delays do not add up; of intervals that were missed there is one call.
        let next = max(time + interval, clock.now)
        if self.generation == generation { self.schedule(at: next, every: interval, by: clock, generation, tick) }
      }
    }
  }

  private func stopTimer() {
    generation += 1
    timer?.cancel()
    timer = nil
  }
}

extension Profile.Characteristic {
  /// The value is dynamic even if it never changes, so that each read can be reported.
  package func makeCharacteristic() -> CBMutableCharacteristic {
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

  package var cbProperties: CBCharacteristicProperties {
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

  package var cbPermissions: CBAttributePermissions {
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
