import BLECore
import BLECrypto
import BLEReports
import BLESession

/// Opens the measurements of sensors that encrypt them.
///
/// What is recorded on the air can be sent again by anyone, so that a sensor's counter has to rise. The last advertisement may come again: sensors
/// repeat each several times.
final class SensorKeys: Sendable {
  /// What a sensor has sealed in one way.
  private struct Seal {
    let cipher: AESCCM
    /// The last that was believed.
    var last: (counter: UInt32, data: [UInt8], plain: [UInt8])?

    mutating func open(
      _ measurements: SealedMeasurements, _ data: [UInt8], of address: DeviceAddress
    ) -> BeaconFrame.Opening {
      if let last, last.data == data { return .plain(last.plain) }
      let (nonce, additional) = (measurements.nonce(of: address), measurements.form.additional)
      guard let plain = cipher.open(measurements.sealed[...], nonce: nonce, additional: additional) else {
        return .refused("the sensor's key does not fit, or the octets were changed on their way")
      }
      // Looked at behind the check, so that a stranger cannot raise it.
      if let last, measurements.counter <= last.counter {
        return .refused("the counter is \(measurements.counter), and was \(last.counter) already: it was sent again")
      }
      last = (measurements.counter, data, plain)
      return .plain(plain)
    }
  }

  private struct Sensor {
    let key: SecretKey
    /// Each way counts for itself.
    var seals: [SealedMeasurements.Form: Seal] = [:]

    mutating func open(
      _ measurements: SealedMeasurements, _ data: [UInt8], of address: DeviceAddress
    ) -> BeaconFrame.Opening {
      let form = measurements.form
      var seal = seals[form] ?? Seal(cipher: AESCCM(key: key, nonceLength: form.nonceLength))
      defer { seals[form] = seal }
      return seal.open(measurements, data, of: address)
    }
  }

  /// By their addresses.
  private let sensors = Guarded<[UInt64: Sensor]>([:])

  /// Sensors whose key is the same keep their counters.
  func replace(_ keys: [UInt64: SecretKey]) {
    sensors.with { sensors in
      let former = sensors
      sensors = [:]
      for (address, key) in keys {
        sensors[address] = former[address].flatMap { $0.key == key ? $0 : nil } ?? Sensor(key: key)
      }
    }
  }

  /// Whether there is a key of the sensor with this address.
  func hasKey(of address: DeviceAddress?) -> Bool {
    address.map { address in sensors.with { $0[address.value] != nil } } ?? false
  }

  /// Whether there is a key, fitting or not, for the encrypted measurements of this advertisement.
  func hasKey(of sighting: Sighting) -> Bool { hasKey(of: sealed(in: sighting)?.address) }

  /// The frame of encrypted measurements; `nil` where there are none, or no key for them.
  func open(_ sighting: Sighting) -> BeaconFrame? {
    guard let (entry, measurements, address) = sealed(in: sighting) else { return nil }
    let opening = sensors.with { $0[address.value]?.open(measurements, entry.data, of: address) }
    return opening.flatMap { BeaconFrame(sensor: entry.service, data: entry.data, opening: $0) }
  }

  /// The encrypted measurements, and whose they are.
  private func sealed(
    in sighting: Sighting
  ) -> (entry: Sighting.ServiceData, measurements: SealedMeasurements, address: DeviceAddress)? {
    for entry in sighting.serviceData {
      guard let measurements = SealedMeasurements(service: entry.service, data: entry.data) else { continue }
      // What the frame says of itself counts: its check fails if it is of another.
      let own = measurements.address.map { DeviceAddress(octets: $0, kind: .public) }
      return (own ?? sighting.address).map { (entry, measurements, $0) }
    }
    return nil
  }
}
