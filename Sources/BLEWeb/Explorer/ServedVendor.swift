import BLEDeviceFiles
import BLEReports
import BLESession
import BLESessionCryptography
import CoreBluetooth

/// A device file that is played as a peripheral: a vendor's device with its state, or a clone.
@MainActor final class ServedVendor {
  let file: DeviceFile
  /// What it advertises as.
  let name: String?
  /// Core Bluetooth cannot advertise these: the stack below can.
  var manufacturerData: [UInt8]? { device.manufacturerData.map { Array($0) } }
  private let device: SimulatedDevice
  private let tell: (SimulationEvent) -> Void
  private(set) var isAdvertising = false
  private var tasks: [Task<Void, Never>] = []

  /// - Throws: `invalid` where the file does not say how the device behaves, or a key of it cannot be used.
  init(
    _ file: DeviceFile, name: String?, options: [String: Any]?, clock: any SessionClock,
    tell: @escaping (SimulationEvent) -> Void
  ) throws(SessionError) {
    self.file = file
    self.tell = tell
    device = try SimulatedDevice(
      file.description, advertisedName: name, options: options, clock: clock, cryptography: SystemCryptography())
    self.name = device.advertisement.localName ?? file.description.name
  }

  func start() {
    tasks = [
      Task { [weak self, events = device.events()] in for await event in events { self?.take(event) } },
      Task { [weak self, device] in
        do throws(SessionError) {
          try await device.start()
        } catch {
          // It was ended before it began.
          if error.code != .cancelled { self?.take(.failed(error)) }
        }
      },
    ]
  }

  /// Its attributes are gone when the last reference to it is.
  func close() {
    for task in tasks { task.cancel() }
    tasks = []
  }

  private func take(_ event: SimulationEvent) {
    switch event {
    case .advertising: isAdvertising = true
    case .unavailable, .failed: isAdvertising = false
    default: break
    }
    tell(event)
  }

  /// - Throws: `invalid` for a field or a value that the state does not have.
  func set(_ field: String, to text: String) throws(SessionError) { try device.set(field, to: .text(text)) }

  /// Sends a notification to all subscribers.
  /// - Throws: `invalid` where the file has none of that name.
  func send(_ notification: String) throws(SessionError) { try device.sendNotification(notification) }

  /// What advertisements have no room for.
  var problems: [String] { device.advertisement.problems }

  /// The fields of the state with their values, and the notifications that can be sent.
  var json: JSONValue {
    let description = file.description
    let all =
      description.commands.flatMap { $0.parameters + $0.results } + description.notifications.flatMap(\.layout.fields)
    let state = device.state.sorted { $0.key < $1.key }.map { name, value -> JSONValue in
      guard let field = all.first(where: { $0.name == name }) else {
        return [
          "name": .string(name), "value": value.json, "word": .null, "unit": .null, "words": [], "expected": .null,
        ]
      }
      return [
        "name": .string(name), "value": value.json, "word": .string(orNull: field.word(for: value)),
        "unit": .string(orNull: field.unit), "words": .array(field.wordNames.map(JSONValue.string)),
        "expected": .string(field.expectation),
      ]
    }
    return [
      "file": .string(file.name), "recording": .bool(description.simulation == nil), "state": .array(state),
      "notifications": .array(description.notifications.map { .string($0.name) }),
    ]
  }
}

extension DescribedField {
  fileprivate var wordNames: [String] {
    if case .integer(_, _, _, _, let words) = kind { words.map(\.text) } else { [] }
  }

  /// The name of a number; `nil` where it has none.
  fileprivate func word(for value: FieldValue) -> String? {
    guard case .integer(_, _, _, _, let words) = kind, case .integer(let number) = value else { return nil }
    return words.first { $0.number == number }?.text
  }
}
