import BLESession
import CoreBluetooth

/// Publishes a channel and a characteristic with its PSM, and waits until a central opens the channel.
@MainActor final class ChannelListener {
  private let name: String
  private let needsEncryption: Bool
  private let session: Session
  private var peripheral: PeripheralSession?
  private var opened: OpenedChannel?

  init(name: String, needsEncryption: Bool, in session: Session) {
    self.name = name
    self.needsEncryption = needsEncryption
    self.session = session
  }

  /// Returns the first channel that a central opens.
  func accept() async throws(ToolError) -> CBL2CAPChannel {
    let central = try await Central.started(in: session)
    let (number, plan, needsEncryption) = (Guarded(Data()), AdvertisingPlan(localName: name), needsEncryption)
    let characteristic = CharacteristicDeclaration.dynamic(
      L2CAPCommand.characteristic, read: { _ in .value(number.with { $0 }) })
    let peripheral = PeripheralSession(services: [ServiceDeclaration(L2CAPCommand.service, [characteristic])])
    self.peripheral = peripheral
    let late = ToolError(.timedOut, "The channel was not published in time.")
    let psm = try await session.wait(within: session.timeout, else: late) { () async throws(SessionError) in
      try await peripheral.start()
      let psm = try await peripheral.publishChannel(requiresEncryption: needsEncryption) { opened in
        onMain { [weak self] in self?.take(opened) }
      }
      number.with { $0 = Data([UInt8(psm & 0xFF), UInt8(psm >> 8)]) }
      try await peripheral.start(advertising: plan)
      return psm
    }
    session.output.note("Advertising as '\(name.inert)'; the channel's PSM is \(psm).")
    try await central.whileWatchingPower(in: session) { [session] (power) async throws(ToolError) in
      try await session.waiting.until(within: nil) { () throws(ToolError) in
        try power.requirePower()
        return self.opened != nil
      }
    }
    peripheral.stopAdvertising()
    peripheral.unpublishChannel(psm)
    guard let channel = opened?.channel else { throw ToolError(.failed, "There is no channel.") }
    session.output.note("A channel from \(channel.peer.identifier.uuidString).")
    return channel
  }

  /// One channel is enough: others are not retained, which closes them.
  private func take(_ opened: OpenedChannel) {
    if self.opened == nil { self.opened = opened }
    session.waiting.changed()
  }

  /// Releases the channel and everything that was published.
  func close() {
    opened = nil
    peripheral = nil
  }
}
