import BLESession
import Foundation

extension ProfilePeripheral {
  /// The most notifications that wait until the stack accepts them.
  private static let mostWaiting = 256

  /// Sends a typed line to all subscribers.
  package func type(_ line: String) {
    for characteristic in characteristics where characteristic.profile.notifications == .input {
      characteristic.value = Array(line.utf8.prefix(ValueReader.longest))
      if characteristic.subscribers.isEmpty {
        note("\(characteristic.uuid) has no subscriber yet.")
      } else {
        notify(characteristic, TextPieces(of: line, atMost: longestNotification(of: characteristic)))
      }
    }
  }

  /// Sets a value, and notifies those who have subscribed to it.
  package func push(_ octets: [UInt8], to characteristic: ServedCharacteristic) {
    characteristic.value = Array(octets.prefix(ValueReader.longest))
    if !characteristic.subscribers.isEmpty { notify(characteristic, CollectionOfOne(characteristic.value)) }
  }

  func tick(_ characteristic: ServedCharacteristic, _ templates: [ValueTemplate]) {
    // A subscriber that is slower than the interval misses values; they are not queued.
    guard characteristic.waiting == 0 else { return }
    let value = templates[characteristic.count % templates.count].value(number: characteristic.count + 1)
    characteristic.count += 1
    characteristic.value = value
    notify(characteristic, CollectionOfOne(value))
  }

  /// The longest value that fits into one notification to every subscriber, in octets.
  private func longestNotification(of characteristic: ServedCharacteristic) -> Int {
    let longest = peripheral?.subscribers(of: characteristic.path).map(\.maximumLength).min()
    return max(1, min(longest ?? ValueReader.longest, ValueReader.longest))
  }

  func notify(_ characteristic: ServedCharacteristic, _ values: some Sequence<[UInt8]>) {
    let longest = longestNotification(of: characteristic)
    for value in values {
      guard characteristics.reduce(0, { $0 + $1.waiting }) < Self.mostWaiting else {
        return note("\(characteristic.uuid): too many values wait; one was dropped.")
      }
      let (reply, value) = (Reply<Void>(), Array(value.prefix(longest)))
      characteristic.waiting += 1
      reply.whenSucceeded = { [weak self] _ in
        MainActor.assumeIsolated {
          characteristic.waiting -= 1
          // Without subscribers nothing was sent.
          if !characteristic.subscribers.isEmpty { self?.report(.notified, characteristic, nil, value) }
        }
      }
      reply.whenFailed = { _ in MainActor.assumeIsolated { characteristic.waiting -= 1 } }
      peripheral?.push(Data(value), characteristic.path, nil, reply)
    }
  }
}
