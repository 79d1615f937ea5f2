import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// The advertisements of all peripherals of the process.
///
/// Where the controller has advertising sets, each peripheral gets one; otherwise there is one for all of them, and a second
/// peripheral that wants to advertise is refused with `outOfSpace`. Legacy PDUs are used in both cases, which every scanner
/// understands. A controller stops a connectable advertisement when a central connects; it is then started again, more
/// slowly, so that others find the device too.
final class Advertiser {
  private final class Advertisement {
    let role: ObjectIdentifier
    let handle: LEAdvertisingHandle
    let content: LocalAdvertisement
    /// Told once, when it is known whether the controller advertises.
    var completion: ((PublishError?) -> Void)?
    /// Whether the controller sends it, as far as is known.
    var isOn = false
    var manner: Manner

    init(
      role: ObjectIdentifier, handle: LEAdvertisingHandle, content: LocalAdvertisement, manner: Manner,
      completion: @escaping (PublishError?) -> Void
    ) {
      self.role = role
      self.handle = handle
      self.content = content
      self.manner = manner
      self.completion = completion
    }
  }

  /// How often it is sent, and with what.
  private struct Manner: Equatable {
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
  /// How many the controller can send at once.
  var limit = 1
  /// What is advertised besides what programs ask for: no program of Core Bluetooth can.
  private var manufacturerData: ManufacturerData?

  /// The controller is gone, and with it what it sent.
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
      role: role, handle: LEAdvertisingHandle(rawValue: number), content: content, manner: Manner(of: stack),
      completion: completion)
    advertisements.append(advertisement)
    setParameters(advertisement, stack)
    setData(advertisement, stack)
    enable(advertisement, stack)
  }

  /// A second start is answered after the first, and is carried out if that fails.
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

  /// A central connected: the advertisement that it answered is off.
  func linkCameUp(_ stack: HostStack) {
    // An extended controller says which one in an event of its own.
    if stack.controller.usesExtendedCommands { return }
    for advertisement in advertisements { advertisement.isOn = false }
    restart(stack)
  }

  /// The controller stopped sending one.
  func terminated(_ handle: LEAdvertisingHandle, _ stack: HostStack) {
    guard let advertisement = advertisements.first(where: { $0.handle == handle }) else { return }
    advertisement.isOn = false
    restart(stack)
  }

  /// There may be room again for what the controller did not want to send, and no need any more to go slowly.
  func linkEnded(_ stack: HostStack) { restart(stack) }

  /// The program has gone into the background or come back.
  func parametersChanged(_ stack: HostStack) { restart(stack) }

  /// Also what is being advertised says it from now on.
  func setManufacturerData(_ data: ManufacturerData?, _ stack: HostStack) {
    manufacturerData = data
    for advertisement in advertisements { setData(advertisement, stack) }
  }

  /// Nothing is advertised while `change` sends its commands.
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
        stack?.log.log(.info, "advertising pauses: \(status)")
      }
    }
  }

  private func restart(_ stack: HostStack) {
    guard stack.isRunning else { return }
    let manner = Manner(of: stack)
    for advertisement in advertisements where advertisement.completion == nil {
      let known = advertisement.manner
      if advertisement.isOn && known == manner { continue }
      if advertisement.isOn { disable(advertisement, stack) }
      advertisement.manner = manner
      if known.interval != manner.interval { setParameters(advertisement, stack) }
      if known.isInBackground != manner.isInBackground { setData(advertisement, stack) }
      enable(advertisement, stack)
    }
  }

  // MARK: Commands

  private func setParameters(_ advertisement: Advertisement, _ stack: HostStack) {
    let controller = stack.controller
    let interval = AdvertisingInterval(nearest: advertisement.manner.interval)
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

  /// The controller chooses the power.
  private static let noPreference: Int8 = 127

  private func setData(_ advertisement: Advertisement, _ stack: HostStack) {
    let controller = stack.controller
    let content = advertisement.content
    let asked =
      advertisement.manner.isInBackground
      ? ConnectableAdvertisement(inBackground: content.serviceUUIDs)
      : ConnectableAdvertisement(localName: content.localName, serviceUUIDs: content.serviceUUIDs)
    let data = withManufacturerData(asked)
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

  /// Where there is room, in the advertisement first.
  private func withManufacturerData(
    _ asked: ConnectableAdvertisement
  ) -> (advertisingData: [UInt8], scanResponseData: [UInt8]) {
    var builder = AdvertisingDataBuilder()
    if let manufacturerData { builder.append(.manufacturerSpecificData(manufacturerData)) }
    let added = builder.octets
    let fits = asked.advertisingData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    let fitsBehind = asked.scanResponseData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    return (
      asked.advertisingData + (fits ? added : []), asked.scanResponseData + (!fits && fitsBehind ? added : [])
    )
  }

  private func enable(_ advertisement: Advertisement, _ stack: HostStack) {
    advertisement.isOn = true
    send(isEnabled: true, advertisement, stack) { [weak self, weak stack] status in
      guard let self, let stack else { return }
      if status.isSuccess {
        self.finish(advertisement, nil)
        // What has changed while it was being started.
        if advertisement.manner != Manner(of: stack) { self.restart(stack) }
      } else if advertisement.completion != nil {
        self.failed(advertisement, status, stack)
      } else {
        // No room while so many are connected: again when a link ends.
        advertisement.isOn = false
        stack.log.log(.info, "advertising pauses: \(status)")
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

  /// What a step of the set-up does when the controller refuses it.
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
  /// Whether the controller sends something of `role`, as far as is known.
  func isAdvertising(for role: ObjectIdentifier) -> Bool { advertisements.contains { $0.role == role && $0.isOn } }
}
