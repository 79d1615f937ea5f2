import BLEProfileFiles
import CoreBluetooth

/// Publishes the peripheral of a profile and reports its events.
@MainActor final class ProfileServer: NSObject {
  let profile: Profile
  let session: Session
  private var manager: CBPeripheralManager?
  private(set) var characteristics: [ServedCharacteristic] = []
  let outbox = NotificationOutbox()

  /// The progress of publishing: the number of services added, and whether advertising has started.
  var added = 0
  var isAdvertising = false
  var failure: ToolError?
  private var isOver = false

  var waiting: Waiting { session.waiting }

  init(_ profile: Profile, in session: Session) {
    self.profile = profile
    self.session = session
  }

  /// Ends `run()`.
  func end() {
    isOver = true
    waiting.changed()
  }

  /// Publishes and advertises, again each time Bluetooth is back, until `end()`.
  func run() async throws(ToolError) {
    try await session.adapterIsReady { self.isOver }
    let manager = CBPeripheralManager(delegate: self, queue: .main)
    self.manager = manager
    defer { close() }
    try await session.powerIsOn { manager.state }
    while !isOver {
      try await publish(with: manager)
      try await waiting.until(within: nil) { self.isOver || manager.state != .poweredOn }
      if isOver { return }
      session.output.event("unavailable", [:], "Bluetooth is unavailable; waiting until it is back.")
      try await waiting.until(within: nil) { () throws(ToolError) in
        switch manager.state {
        case .poweredOn: return true
        // Bluetooth that is switched off can be switched on; these states do not change by themselves.
        case .unsupported, .unauthorized: if let failure = ToolError(manager.state) { throw failure }
        default: break
        }
        return self.isOver
      }
    }
  }

  private func publish(with manager: CBPeripheralManager) async throws(ToolError) {
    for characteristic in characteristics { characteristic.unsubscribeAll() }
    outbox.removeAll()
    characteristics = []
    added = 0
    isAdvertising = false
    let services = profile.services.map(make)
    for service in services {
      let before = added
      manager.add(service)
      let name = service.uuid.uuidString
      try await step("The service \(name) was not published in time.") { self.added > before }
      guard manager.state == .poweredOn else { return }
    }
    var data: [String: Any] = [:]
    if let name = profile.name { data[CBAdvertisementDataLocalNameKey] = name }
    if !profile.advertisedServices.isEmpty {
      data[CBAdvertisementDataServiceUUIDsKey] = profile.advertisedServices.map { CBUUID($0) }
    }
    manager.startAdvertising(data)
    try await step("Advertising did not start in time.") { self.isAdvertising }
    guard isAdvertising else { return }
    let names = profile.advertisedServices.map { CBUUID($0).uuidString }
    let title = profile.name.map { "'\($0.inert)'" } ?? "a device without a name"
    session.output.event(
      "advertising", ["name": .string(orNull: profile.name), "services": .array(names.map(JSONValue.string))],
      "Advertising \(title)" + (names.isEmpty ? "" : " with \(names.joined(separator: ", "))"))
  }

  /// Waits for one step of publishing; returns without an error if Bluetooth is lost, because publishing is repeated then.
  private func step(_ late: String, _ isDone: @escaping @MainActor () -> Bool) async throws(ToolError) {
    try await waiting.until(within: session.timeout, else: ToolError(.timedOut, late)) { () throws(ToolError) in
      if let failure = self.failure { throw failure }
      return isDone() || self.manager?.state != .poweredOn
    }
  }

  private func make(_ service: Profile.Service) -> CBMutableService {
    let uuid = CBUUID(service.uuid)
    let published = CBMutableService(type: uuid, primary: service.isPrimary)
    let served = service.characteristics.map { ServedCharacteristic($0, of: uuid) }
    published.characteristics = served.map(\.published)
    characteristics += served
    return published
  }

  private func close() {
    for characteristic in characteristics { characteristic.unsubscribeAll() }
    guard let manager, manager.state == .poweredOn else { return }
    manager.stopAdvertising()
    manager.removeAllServices()
  }

  /// Sends a typed line to all subscribers.
  func type(_ line: String) {
    for characteristic in characteristics where characteristic.profile.notifications == .input {
      characteristic.value = Array(line.utf8.prefix(ValueFormat.longest))
      if characteristic.subscribers.isEmpty {
        session.output.note("\(characteristic.published.uuid.uuidString) has no subscriber yet.")
      } else {
        notify(characteristic, TextPieces(of: line, atMost: characteristic.longestNotification))
      }
    }
  }

  func notify(_ characteristic: ServedCharacteristic, _ values: some Sequence<[UInt8]>) {
    for value in values {
      guard outbox.append(value, for: characteristic) else {
        session.output.note("\(characteristic.published.uuid.uuidString): too many values wait; one was dropped.")
        return
      }
    }
    send()
  }

  /// Passes waiting notifications to the stack until its queue is full.
  func send() {
    guard let manager else { return }
    while let (characteristic, value) = outbox.first {
      guard manager.updateValue(Data(value), for: characteristic.published, onSubscribedCentrals: nil) else { return }
      outbox.removeFirst()
      report("notified", characteristic, nil, value)
    }
  }

  func tick(_ characteristic: ServedCharacteristic, _ templates: [ValueTemplate]) {
    // A subscriber that is slower than the interval misses values; they are not queued.
    guard !outbox.contains(characteristic) else { return }
    let value = templates[characteristic.count % templates.count].value(number: characteristic.count + 1)
    characteristic.count += 1
    characteristic.value = value
    notify(characteristic, CollectionOfOne(value))
  }

  func served(_ characteristic: CBCharacteristic) -> ServedCharacteristic? {
    characteristics.first { $0.published === characteristic }
  }
}
