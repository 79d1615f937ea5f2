import CoreBluetooth

/// One connected device: sends one request at a time and waits for its answer.
@MainActor final class ConnectedPeripheral: NSObject {
  let peripheral: CBPeripheral
  /// The name under which it was found.
  let name: String?
  let session: Session
  /// Returns the error if the link cannot be used any longer.
  private let linkFailure: () -> ToolError?

  /// The last measured RSSI, in dBm.
  private var rssi: Int?
  /// The channel opened last, until it is returned to the caller.
  private var channel: CBL2CAPChannel?

  /// Characteristics found by name, until the device changes its services.
  var characteristics: [String: CBCharacteristic] = [:]

  /// Called with each value of a subscribed characteristic.
  var onValue: ((CBCharacteristic, [UInt8]) -> Void)?

  /// The request in progress and its result.
  private var question: Question?
  private var answer: Answer?

  /// Identifies the answer to a request: the kind of request and the object concerned.
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

  /// The device's name or identifier, for messages.
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

  /// Passes the value to the link as soon as there is room; there is no response. Disconnecting waits until it was sent.
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

  /// Returns the RSSI of the link, in dBm.
  func readRSSI() async throws(ToolError) -> Int {
    try await ask("Measuring the signal", .rssi) { peripheral.readRSSI() }
    guard let rssi, rssi != 127 else { throw ToolError(.failed, "The controller does not know the RSSI.") }
    return rssi
  }

  func openChannel(_ psm: CBL2CAPPSM) async throws(ToolError) -> CBL2CAPChannel {
    defer { channel = nil }
    try await ask("Opening the channel with PSM \(psm)", .channel) { peripheral.openL2CAPChannel(psm) }
    guard let channel else { throw ToolError(.failed, "The channel with PSM \(psm) was not opened.") }
    return channel
  }

  /// Throws if the link is lost.
  func requireLink() throws(ToolError) {
    if let failure = linkFailure() { throw failure }
  }

  /// Waits for a condition that depends on the device, while the link is up.
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
