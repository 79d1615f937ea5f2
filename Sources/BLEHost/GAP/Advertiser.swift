import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// The advertisements of all peripherals of the process.
///
/// If the controller supports advertising sets, each peripheral uses one; otherwise only one peripheral can advertise, and a second
/// one is refused with `outOfSpace`. Legacy PDUs are used in both cases, because every scanner supports them. A controller stops
/// connectable advertising when a central connects; it is then restarted at a longer interval, so that others find the device, too.
final class Advertiser {
  private final class Advertisement {
    let role: ObjectIdentifier
    let handle: LEAdvertisingHandle
    let content: LocalAdvertisement
    /// Called once, when the controller has started or refused it; then `nil`.
    var completion: ((PublishError?) -> Void)?
    /// Whether the controller is believed to send it.
    var isOn = false
    var settings: Settings

    init(
      role: ObjectIdentifier, handle: LEAdvertisingHandle, content: LocalAdvertisement, settings: Settings,
      completion: @escaping (PublishError?) -> Void
    ) {
      self.role = role
      self.handle = handle
      self.content = content
      self.settings = settings
      self.completion = completion
    }
  }

  /// The interval, and the form of the data.
  private struct Settings: Equatable {
    let interval: StackDuration
    let isInBackground: Bool

    init(of stack: HostStack) {
      let options = stack.options
      isInBackground = stack.isInBackground
      let ordinary =
        stack.hasCentralsConnected ? options.advertisingIntervalWhileConnected : options.advertisingInterval
      interval = isInBackground ? max(ordinary, options.advertisingIntervalInBackground) : ordinary
    }
  }

  private var advertisements: [Advertisement] = []
  /// How many advertisements the controller can send at the same time.
  var limit = 1
  /// Advertised in addition to the applications' data: Core Bluetooth does not let applications set it.
  private var manufacturerData: ManufacturerData?

  /// The controller was reset or removed, and with it its advertisements.
  func reset() { advertisements = [] }

  func start(
    _ content: LocalAdvertisement, role: ObjectIdentifier, stack: HostStack,
    _ completion: @escaping (PublishError?) -> Void
  ) {
    if let current = advertisements.first(where: { $0.role == role }) {
      return follow(current, content, stack: stack, completion)
    }
    let taken = advertisements.map(\.handle.rawValue)
    guard let number = (0..<UInt8(clamping: min(limit, 0xF0))).first(where: { !taken.contains($0) }) else {
      return completion(.outOfSpace)
    }
    let advertisement = Advertisement(
      role: role, handle: LEAdvertisingHandle(rawValue: number), content: content, settings: Settings(of: stack),
      completion: completion)
    advertisements.append(advertisement)
    setParameters(advertisement, stack)
    setData(advertisement, stack)
    enable(advertisement, stack)
  }

  /// Answers a second start after the first, or performs it if the first fails.
  private func follow(
    _ current: Advertisement, _ content: LocalAdvertisement, stack: HostStack,
    _ completion: @escaping (PublishError?) -> Void
  ) {
    guard let first = current.completion else { return completion(.alreadyAdvertising) }
    current.completion = { [weak self, weak stack] error in
      first(error)
      guard error != nil, let self, let stack else { return completion(.alreadyAdvertising) }
      self.start(content, role: current.role, stack: stack, completion)
    }
  }

  func stop(role: ObjectIdentifier, stack: HostStack) {
    guard let index = advertisements.firstIndex(where: { $0.role == role }) else { return }
    let advertisement = advertisements.remove(at: index)
    disable(advertisement, stack)
    if stack.controller.usesExtendedCommands {
      stack.controller.send(LERemoveAdvertisingSet(advertisingHandle: advertisement.handle))
    }
  }

  /// A central connected: the controller has stopped the advertisement.
  func linkEstablished(_ stack: HostStack) {
    // With extended commands an event reports which set was stopped.
    if stack.controller.usesExtendedCommands { return }
    for advertisement in advertisements { advertisement.isOn = false }
    restart(stack)
  }

  /// The controller stopped an advertising set.
  func terminated(_ handle: LEAdvertisingHandle, _ stack: HostStack) {
    guard let advertisement = advertisements.first(where: { $0.handle == handle }) else { return }
    advertisement.isOn = false
    restart(stack)
  }

  /// A link ended: there may be room for advertisements that the controller refused, and the interval may be shorter again.
  func linkEnded(_ stack: HostStack) { restart(stack) }

  /// The application moved to the background or the foreground.
  func parametersChanged(_ stack: HostStack) { restart(stack) }

  /// Sets the manufacturer data, also of running advertisements.
  func setManufacturerData(_ data: ManufacturerData?, _ stack: HostStack) {
    manufacturerData = data
    for advertisement in advertisements { setData(advertisement, stack) }
  }

  /// Pauses advertising while `change` sends its commands.
  func whilePaused(_ stack: HostStack, _ change: () -> Void) {
    let running = advertisements.filter(\.isOn)
    for advertisement in running { send(isEnabled: false, advertisement, stack) { _ in } }
    change()
    for advertisement in advertisements {
      if stack.controller.usesExtendedCommands, let address = stack.shownAddress {
        stack.controller.send(
          LESetAdvertisingSetRandomAddress(advertisingHandle: advertisement.handle, address: address))
      }
    }
    for advertisement in running {
      send(isEnabled: true, advertisement, stack) { [weak stack] status in
        if status.isSuccess { return }
        advertisement.isOn = false
        stack?.log.log(.info, "advertising paused: \(status)")
      }
    }
  }

  private func restart(_ stack: HostStack) {
    guard stack.isRunning else { return }
    let settings = Settings(of: stack)
    for advertisement in advertisements where advertisement.completion == nil {
      let known = advertisement.settings
      if advertisement.isOn && known == settings { continue }
      if advertisement.isOn { disable(advertisement, stack) }
      advertisement.settings = settings
      if known.interval != settings.interval { setParameters(advertisement, stack) }
      if known.isInBackground != settings.isInBackground { setData(advertisement, stack) }
      enable(advertisement, stack)
    }
  }

  // MARK: Commands

  private func setParameters(_ advertisement: Advertisement, _ stack: HostStack) {
    let controller = stack.controller
    let interval = AdvertisingInterval(nearest: advertisement.settings.interval)
    guard controller.usesExtendedCommands else {
      controller.send(
        LESetAdvertisingParameters(
          intervalMinimum: interval, intervalMaximum: interval, type: .connectable,
          ownAddressType: stack.ownAddressType, peerAddress: .none, channels: .all, filterPolicy: .all),
        status: failure(of: advertisement, stack))
      return
    }
    controller.send(
      LESetExtendedAdvertisingParameters(
        advertisingHandle: advertisement.handle, properties: [.connectable, .scannable, .legacy],
        primaryIntervalMinimum: interval, primaryIntervalMaximum: interval, primaryChannels: .all,
        ownAddressType: stack.ownAddressType, peerAddress: .none, filterPolicy: .all,
        transmitPower: Self.noPreference, primaryPHY: .le1M, secondaryMaximumSkip: 0, secondaryPHY: .le1M,
        setIdentifier: advertisement.handle.rawValue & 0x0F, reportsScanRequests: false),
      status: failure(of: advertisement, stack))
    if let address = stack.shownAddress {
      controller.send(
        LESetAdvertisingSetRandomAddress(advertisingHandle: advertisement.handle, address: address),
        status: failure(of: advertisement, stack))
    }
  }

  /// The transmit power that lets the controller choose.
  private static let noPreference: Int8 = 127

  private func setData(_ advertisement: Advertisement, _ stack: HostStack) {
    let controller = stack.controller
    let content = advertisement.content
    let requested =
      advertisement.settings.isInBackground
      ? ConnectableAdvertisement(inBackground: content.serviceUUIDs)
      : ConnectableAdvertisement(localName: content.localName, serviceUUIDs: content.serviceUUIDs)
    let data = withManufacturerData(requested)
    guard controller.usesExtendedCommands else {
      controller.send(
        LESetAdvertisingData(data: data.advertisingData[...]), status: failure(of: advertisement, stack))
      controller.send(
        LESetScanResponseData(data: data.scanResponseData[...]), status: failure(of: advertisement, stack))
      return
    }
    controller.send(
      LESetExtendedAdvertisingData(
        advertisingHandle: advertisement.handle, operation: .complete, fragmentPreference: .shouldNotFragment,
        data: data.advertisingData[...]),
      status: failure(of: advertisement, stack))
    controller.send(
      LESetExtendedScanResponseData(
        advertisingHandle: advertisement.handle, operation: .complete, fragmentPreference: .shouldNotFragment,
        data: data.scanResponseData[...]),
      status: failure(of: advertisement, stack))
  }

  /// Adds the manufacturer data if there is room: to the advertising data if it fits, else to the scan response data.
  private func withManufacturerData(
    _ requested: ConnectableAdvertisement
  ) -> (advertisingData: [UInt8], scanResponseData: [UInt8]) {
    var builder = AdvertisingDataBuilder()
    if let manufacturerData { builder.append(.manufacturerSpecificData(manufacturerData)) }
    let added = builder.octets
    let fits = requested.advertisingData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    let fitsResponse = requested.scanResponseData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    return (
      requested.advertisingData + (fits ? added : []),
      requested.scanResponseData + (!fits && fitsResponse ? added : [])
    )
  }

  private func enable(_ advertisement: Advertisement, _ stack: HostStack) {
    advertisement.isOn = true
    send(isEnabled: true, advertisement, stack) { [weak self, weak stack] status in
      guard let self, let stack else { return }
      if status.isSuccess {
        self.finish(advertisement, nil)
        // The settings may have changed while it was being started.
        if advertisement.settings != Settings(of: stack) { self.restart(stack) }
      } else if advertisement.completion != nil {
        self.failed(advertisement, status, stack)
      } else {
        // The controller has no room with this many links: restarted when a link ends.
        advertisement.isOn = false
        stack.log.log(.info, "advertising paused: \(status)")
      }
    }
  }

  private func disable(_ advertisement: Advertisement, _ stack: HostStack) {
    advertisement.isOn = false
    send(isEnabled: false, advertisement, stack) { _ in }
  }

  private func send(
    isEnabled: Bool, _ advertisement: Advertisement, _ stack: HostStack, _ completion: @escaping (HCIErrorCode) -> Void
  ) {
    let controller = stack.controller
    guard controller.usesExtendedCommands else {
      controller.send(LESetAdvertisingEnable(isEnabled: isEnabled), status: completion)
      return
    }
    controller.send(
      LESetExtendedAdvertisingEnable(
        isEnabled: isEnabled,
        sets: [
          .init(advertisingHandle: advertisement.handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 0)
        ]),
      status: completion)
  }

  /// Returns the status handler of a set-up command, which fails the advertisement if the controller refuses the command.
  private func failure(of advertisement: Advertisement, _ stack: HostStack) -> (HCIErrorCode) -> Void {
    { [weak self, weak stack] status in
      guard let self, let stack, !status.isSuccess else { return }
      self.failed(advertisement, status, stack)
    }
  }

  private func failed(_ advertisement: Advertisement, _ status: HCIErrorCode, _ stack: HostStack) {
    guard advertisement.completion != nil else { return }
    stop(role: advertisement.role, stack: stack)
    let isFull = status == .memoryCapacityExceeded || status == .limitReached || status == .connectionLimitExceeded
    finish(advertisement, isFull ? .outOfSpace : .refused(code: status.rawValue))
  }

  private func finish(_ advertisement: Advertisement, _ error: PublishError?) {
    let completion = advertisement.completion
    advertisement.completion = nil
    completion?(error)
  }
}

extension Advertiser {
  /// Whether the controller is believed to advertise for `role`.
  func isAdvertising(for role: ObjectIdentifier) -> Bool { advertisements.contains { $0.role == role && $0.isOn } }
}
