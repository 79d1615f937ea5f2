import BLEProfileFiles
import CoreBluetooth

/// A published characteristic with its current value and subscribers.
@MainActor final class ServedCharacteristic {
  let profile: Profile.Characteristic
  let service: CBUUID
  let published: CBMutableCharacteristic
  var value: [UInt8]
  private(set) var subscribers: [CBCentral] = []
  /// The number of notifications so far.
  var count = 0
  private var timer: (any DispatchSourceTimer)?

  init(_ profile: Profile.Characteristic, of service: CBUUID) {
    self.profile = profile
    self.service = service
    value = profile.value
    // The value is dynamic even if it never changes, so that each read can be reported.
    published = CBMutableCharacteristic(
      type: CBUUID(profile.uuid), properties: profile.cbProperties, value: nil, permissions: profile.cbPermissions)
    if !profile.descriptors.isEmpty {
      published.descriptors = profile.descriptors.map { descriptor in
        switch descriptor {
        case .userDescription(let text):
          CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: text)
        case .presentationFormat(let octets):
          CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data(octets))
        }
      }
    }
  }

  func subscribe(_ central: CBCentral) {
    unsubscribe(central)
    subscribers.append(central)
  }

  func unsubscribe(_ central: CBCentral) {
    subscribers.removeAll { $0.identifier == central.identifier }
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
