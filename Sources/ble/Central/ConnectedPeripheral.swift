import CoreBluetooth

/// A conversation with one connected device: asks one thing after another and waits for each answer.
@MainActor final class ConnectedPeripheral: NSObject {
  let peripheral: CBPeripheral
  /// The name under which it was found.
  let name: String?
  let session: Session
  /// Why nothing more can be asked, where it is so.
  private let linkFailure: () -> ToolError?

  /// The signal's strength as it was measured last, in dBm.
  private var rssi: Int?
  /// The channel that was opened last, until it has been handed out.
  private var channel: CBL2CAPChannel?

  /// What names have been found to mean, until the device changes its services.
  var characteristics: [String: CBCharacteristic] = [:]

  /// Told of each value of a characteristic that was subscribed to.
  var onValue: ((CBCharacteristic, [UInt8]) -> Void)?

  /// What is being waited for, and what came of it.
  private var question: Question?
  private var answer: Answer?

  /// Names an answer: what was asked, and about which object.
  private enum Question: Equatable {
    case services
    case includedServices(ObjectIdentifier)
    case characteristics(ObjectIdentifier)
    case descriptors(ObjectIdentifier)
    case value(ObjectIdentifier)
    case written(ObjectIdentifier)
    case notifyState(ObjectIdentifier)
    case channel
    case rssi
  }

  private enum Answer {
    case done
    case refused(any Error)
  }

  init(_ device: FoundDevice, in session: Session, linkFailure: @escaping () -> ToolError?) {
    peripheral = device.peripheral
    name = device.name
    self.session = session
    self.linkFailure = linkFailure
    super.init()
    peripheral.delegate = self
  }

  /// For messages.
  var title: String { name.map { "'\($0.inert)'" } ?? peripheral.identifier.uuidString }

  func discoverServices() async throws(ToolError) -> [CBService] {
    try await ask("Discovering services", .services) { peripheral.discoverServices(nil) }
    return peripheral.services ?? []
  }

  func discoverIncludedServices(of service: CBService) async throws(ToolError) -> [CBService] {
    try await ask("Discovering included services", .includedServices(ObjectIdentifier(service))) {
      peripheral.discoverIncludedServices(nil, for: service)
    }
    return service.includedServices ?? []
  }

  func discoverCharacteristics(of service: CBService) async throws(ToolError) -> [CBCharacteristic] {
    try await ask("Discovering characteristics", .characteristics(ObjectIdentifier(service))) {
      peripheral.discoverCharacteristics(nil, for: service)
    }
    return service.characteristics ?? []
  }

  func discoverDescriptors(of characteristic: CBCharacteristic) async throws(ToolError) -> [CBDescriptor] {
    try await ask("Discovering descriptors", .descriptors(ObjectIdentifier(characteristic))) {
      peripheral.discoverDescriptors(for: characteristic)
    }
    return characteristic.descriptors ?? []
  }

  func read(_ characteristic: CBCharacteristic) async throws(ToolError) -> [UInt8] {
    try await ask("Reading \(characteristic.uuid.uuidString)", .value(ObjectIdentifier(characteristic))) {
      peripheral.readValue(for: characteristic)
    }
    return Array(characteristic.value ?? Data())
  }

  /// The value with the type that Apple documents for it: a string, a number or octets.
  func read(_ descriptor: CBDescriptor) async throws(ToolError) -> DescriptorValue {
    try await ask("Reading \(descriptor.uuid.uuidString)", .value(ObjectIdentifier(descriptor))) {
      peripheral.readValue(for: descriptor)
    }
    return DescriptorValue(descriptor.value)
  }

  func write(_ value: [UInt8], to characteristic: CBCharacteristic) async throws(ToolError) {
    try await ask("Writing \(characteristic.uuid.uuidString)", .written(ObjectIdentifier(characteristic))) {
      peripheral.writeValue(Data(value), for: characteristic, type: .withResponse)
    }
  }

  /// Hands the value to the link as soon as it takes one; nobody answers. Leaving the link waits until it has arrived.
  func writeWithoutResponse(_ value: [UInt8], to characteristic: CBCharacteristic) async throws(ToolError) {
    let peripheral = peripheral
    try await session.waiting.until(within: session.timeout) { () throws(ToolError) in
      if let failure = self.linkFailure() { throw failure }
      return peripheral.canSendWriteWithoutResponse
    }
    peripheral.writeValue(Data(value), for: characteristic, type: .withoutResponse)
  }

  func setNotify(_ isOn: Bool, for characteristic: CBCharacteristic) async throws(ToolError) {
    let operation = isOn ? "Subscribing to" : "Unsubscribing from"
    try await ask("\(operation) \(characteristic.uuid.uuidString)", .notifyState(ObjectIdentifier(characteristic))) {
      peripheral.setNotifyValue(isOn, for: characteristic)
    }
  }

  /// The strength of the link's signal, in dBm.
  func readRSSI() async throws(ToolError) -> Int {
    try await ask("Measuring the signal", .rssi) { peripheral.readRSSI() }
    guard let rssi, rssi != 127 else { throw ToolError(.failed, "The controller does not know the signal's strength.") }
    return rssi
  }

  func openChannel(_ psm: CBL2CAPPSM) async throws(ToolError) -> CBL2CAPChannel {
    defer { channel = nil }
    try await ask("Opening the channel with PSM \(psm)", .channel) { peripheral.openL2CAPChannel(psm) }
    guard let channel else { throw ToolError(.failed, "The channel with PSM \(psm) was not opened.") }
    return channel
  }

  /// Throws where the link is gone.
  func requireLink() throws(ToolError) {
    if let failure = linkFailure() { throw failure }
  }

  /// Waits for a condition that the device brings about, as long as the link holds.
  func until(within seconds: Double?, _ condition: @escaping @MainActor () -> Bool) async throws(ToolError) {
    try await session.waiting.until(within: seconds) { () throws(ToolError) in
      if condition() { return true }
      if let failure = self.linkFailure() { throw failure }
      return false
    }
  }

  private func ask(_ operation: String, _ question: Question, _ begin: () -> Void) async throws(ToolError) {
    if let failure = linkFailure() { throw failure }
    self.question = question
    answer = nil
    begin()
    defer { self.question = nil }
    let late = ToolError(.timedOut, "\(operation): no answer within \(session.timeout.plain) s.")
    try await session.waiting.until(within: session.timeout, else: late) { () throws(ToolError) in
      switch self.answer {
      case .done: return true
      case .refused(let error): throw .failed(operation, error)
      case nil: break
      }
      if let failure = self.linkFailure() { throw failure }
      return false
    }
  }

  private func settle(_ question: Question, _ error: (any Error)?) {
    guard self.question == question, answer == nil else { return }
    answer = error.map(Answer.refused) ?? .done
    session.waiting.changed()
  }
}

extension ConnectedPeripheral: @MainActor CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    characteristics = [:]
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { settle(.services, error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    settle(.includedServices(ObjectIdentifier(service)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    settle(.characteristics(ObjectIdentifier(service)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    settle(.descriptors(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil, characteristic.isNotifying, let value = characteristic.value {
      onValue?(characteristic, Array(value))
      session.waiting.changed()
    }
    settle(.value(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    settle(.written(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    settle(.notifyState(ObjectIdentifier(characteristic)), error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    settle(.value(ObjectIdentifier(descriptor)), error)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    self.channel = channel
    settle(.channel, error)
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    rssi = RSSI.intValue
    settle(.rssi, error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { session.waiting.changed() }
}
