import BLEDeviceFiles
import BLEProfileFiles
import BLEReports
import BLESession
import BLEText
import CoreBluetooth

/// Device files and clones as a peripheral.
extension Serving {
  /// Publishes the device of a file in place of what was published before.
  /// - Parameter name: advertised instead of the file's.
  /// - Throws: `invalid` where the file does not say how the device behaves.
  func start(_ file: DeviceFile, name: String?) throws(APIError) {
    let vendor: ServedVendor
    do throws(SessionError) {
      vendor = try ServedVendor(file, name: name, options: options(), clock: clock) { [weak self] in self?.take($0) }
    } catch {
      throw APIError(error)
    }
    end()
    self.vendor = vendor
    problem = vendor.problems.isEmpty ? nil : vendor.problems.joined(separator: "; ")
    if let data = vendor.manufacturerData { setManufacturerData(data) }
    vendor.start()
    hub.publish("serving", json)
  }

  /// - Throws: `unavailable` where no device file is published, `invalid` for a field or a value that its state does not have.
  func set(_ field: String, to text: String) throws(APIError) {
    try change { vendor throws(SessionError) in try vendor.set(field, to: text) }
  }

  /// Sends a notification of the published device.
  func send(_ notification: String) throws(APIError) {
    try change { vendor throws(SessionError) in try vendor.send(notification) }
  }

  private func change(_ work: (ServedVendor) throws(SessionError) -> Void) throws(APIError) {
    guard let vendor else { throw APIError(.unavailable, "no device file is published") }
    do throws(SessionError) {
      try work(vendor)
    } catch {
      throw APIError(error)
    }
    hub.publish("serving", json)
  }

  private func take(_ event: SimulationEvent) {
    switch event {
    case .advertising: problem = nil
    case .unavailable: problem = Self.unavailable
    case .failed(let error): problem = error.description
    case .subscribed(let central, let path): tellAccess(.subscribed, path, central, nil)
    case .unsubscribed(let central, let path): tellAccess(.unsubscribed, path, central, nil)
    case .read(let central, let path, let value): tellAccess(.read, path, central, Array(value))
    case .wrote(let central, let path, let value): tellAccess(.written, path, central, Array(value))
    case .command(let name, let fields, let outcome): tellCommand(name, outcome.rawValue, fields, nil)
    case .damaged(let octets): tellCommand(nil, "damaged", [], Array(octets))
    case .unknown(let octets): tellCommand(nil, "unknown", [], Array(octets))
    case .said(let name): tellCommand(name, "said", [], nil)
    }
    hub.publish("serving", json)
  }

  private func tellCommand(_ name: String?, _ outcome: String, _ fields: [FieldReading], _ octets: [UInt8]?) {
    hub.publish(
      "command",
      [
        "command": .string(orNull: name), "outcome": .string(outcome), "fields": fields.json,
        "value": octets.map { ValueText($0).json } ?? .null,
      ])
  }
}
