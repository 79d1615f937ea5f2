import CoreBluetooth

/// Publishes a channel and a characteristic with its PSM, and waits until a central opens the channel.
@MainActor final class ChannelListener: NSObject {
  private let name: String
  private let needsEncryption: Bool
  private let session: Session
  private var manager: CBPeripheralManager?
  private var psm: CBL2CAPPSM?
  private var isAdvertising = false
  private var failure: ToolError?
  private var channel: CBL2CAPChannel?

  init(name: String, needsEncryption: Bool, in session: Session) {
    self.name = name
    self.needsEncryption = needsEncryption
    self.session = session
  }

  /// Returns the first channel that a central opens.
  func accept() async throws(ToolError) -> CBL2CAPChannel {
    let manager = CBPeripheralManager(delegate: self, queue: .main)
    self.manager = manager
    try await session.powerIsOn { manager.state }
    manager.publishL2CAPChannel(withEncryption: needsEncryption)
    try await step("The channel was not published in time.") { self.psm != nil }
    let psm = psm ?? 0
    let service = CBMutableService(type: L2CAPCommand.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: L2CAPCommand.characteristic, properties: .read, value: Data([UInt8(psm & 0xFF), UInt8(psm >> 8)]),
        permissions: .readable)
    ]
    manager.add(service)
    manager.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    try await step("Advertising did not start in time.") { self.isAdvertising }
    session.output.note("Advertising as '\(name.inert)'; the channel's PSM is \(psm).")
    try await session.waiting.until(within: nil) { () throws(ToolError) in
      if let failure = ToolError(manager.state) { throw failure }
      return self.channel != nil
    }
    manager.stopAdvertising()
    manager.unpublishL2CAPChannel(psm)
    guard let channel else { throw ToolError(.failed, "There is no channel.") }
    session.output.note("A channel from \(channel.peer.identifier.uuidString).")
    return channel
  }

  /// Releases the channel and everything that was published.
  func close() {
    channel = nil
    manager?.delegate = nil
    manager = nil
  }

  private func step(_ late: String, _ condition: @escaping @MainActor () -> Bool) async throws(ToolError) {
    try await session.waiting.until(within: session.timeout, else: ToolError(.timedOut, late)) {
      () throws(ToolError) in
      if let failure = self.failure { throw failure }
      return condition()
    }
  }

  private func fail(_ what: String, _ error: (any Error)?) {
    if let error { failure = ToolError(.failed, "\(what): \(error.localizedDescription.inert)") }
    session.waiting.changed()
  }
}

extension ChannelListener: @MainActor CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { session.waiting.changed() }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    if error == nil { psm = PSM }
    fail("The channel was not published", error)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    fail("The service was not published", error)
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    isAdvertising = error == nil
    fail("Advertising did not start", error)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    // One channel is enough: others are not retained, which closes them.
    if self.channel == nil { self.channel = channel }
    session.waiting.changed()
  }
}
