import BLEDeviceFiles
import BLEReports
import BLESession
import BLESessionCryptography
import Foundation

/// An open device with its device file: it is ready when the file's handshake has succeeded, its commands are performed by name, and what
/// it tells of its state is kept.
actor VendorDevice {
  let file: DeviceFile
  let device: DescribedDevice
  private let identifier: UUID
  private let hub: EventHub
  /// The last reading of each field, from notifications, answers and the handshake.
  private var state: [String: (reading: FieldReading, time: Duration)] = [:]
  private var tasks: [Task<Void, Never>] = []
  private let reports: AsyncStream<DeviceReport>

  init(
    _ file: DeviceFile, identifier: UUID, in central: Central, hub: EventHub
  ) throws(SessionError) {
    let (reports, reporting) = AsyncStream.makeStream(of: DeviceReport.self, bufferingPolicy: .bufferingNewest(64))
    self.file = file
    self.identifier = identifier
    self.hub = hub
    self.reports = reports
    device = try DescribedDevice(
      file.description, in: central, target: .device(identifier), cryptography: SystemCryptography()
    ) { reporting.yield($0) }
  }

  /// Follows what the device says.
  func begin() {
    guard tasks.isEmpty else { return }
    tasks = [
      Task { [weak self, reports] in for await report in reports { await self?.take(report) } },
      Task { [weak self, notifications = device.notifications()] in
        for await said in notifications { await self?.take(said.readings, from: said.name) }
      },
    ]
    hub.publish("vendor", about("attached", nil))
  }

  func end() {
    for task in tasks { task.cancel() }
    tasks = []
    hub.publish("vendor", about("detached", nil))
  }

  private func take(_ report: DeviceReport) {
    switch report {
    case .handshakeAnswered(let readings): take(readings, from: "handshake")
    case .handshakeTold, .handshakeRefused, .told: break
    }
  }

  private func take(_ readings: [FieldReading], from source: String) {
    let time = device.session.central.clock.now
    for reading in readings { state[reading.name] = (reading, time) }
    hub.publish(
      "vendor",
      .combined(about("state", source), ["fields": .object(readings.map { Self.member($0, time) })]))
  }

  /// - Throws: what `DescribedDevice.perform` throws.
  func perform(_ name: String, _ values: [String: FieldValue]) async throws(SessionError) -> JSONValue {
    let readings = try await device.perform(name, values)
    take(readings, from: name)
    return ["identifier": .string(identifier.uuidString), "command": .string(name), "answer": readings.json]
  }

  private func about(_ event: String, _ source: String?) -> JSONValue {
    [
      "identifier": .string(identifier.uuidString), "file": .string(file.name), "event": .string(event),
      "source": .string(orNull: source),
    ]
  }

  private static func member(_ reading: FieldReading, _ time: Duration) -> JSONValue.Member {
    JSONValue.Member(key: reading.name, value: .combined(reading.json, ["time_ms": .integer(time.milliseconds)]))
  }

  /// The file's content and the state's fields.
  var json: JSONValue {
    let fields = state.values.sorted { $0.reading.name < $1.reading.name }.map { Self.member($0.reading, $0.time) }
    return .combined(["file": .string(file.name), "state": .object(fields)], file.description.json)
  }

  /// The same of a device that has no file.
  static let none: JSONValue = [
    "file": .null, "state": [:], "name": .null, "description": .null, "handshake": .null, "commands": [],
    "notifications": [],
  ]
}
