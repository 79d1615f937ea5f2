import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// Performs the actions of ``Advertising``. Legacy PDUs are used with both sets of commands, because every scanner supports them.
extension HostStack {
  /// Gives the machine an input and performs its actions.
  func advertisingInput(_ input: Advertising.Input) {
    advertisingInputs.add(input) {
      for action in advertising.handle($0, advertisingSettings) { perform(action) }
    }
  }

  private var advertisingSettings: Advertising.Settings {
    let ordinary =
      connections.hasPeripheralLinks ? options.advertisingIntervalWhileConnected : options.advertisingInterval
    return Advertising.Settings(
      interval: isInBackground ? max(ordinary, options.advertisingIntervalInBackground) : ordinary,
      isInBackground: isInBackground)
  }

  /// Starts to advertise for a role. `completion` is called once, unless the controller is lost or stopped before it has answered.
  func startAdvertising(
    _ content: LocalAdvertisement, by role: ObjectIdentifier, _ completion: @escaping (PublishError?) -> Void
  ) {
    lastAdvertisingRequest += 1
    advertisingRequests[lastAdvertisingRequest] = completion
    advertisingInput(.start(content, by: role, request: lastAdvertisingRequest))
  }

  /// Sets manufacturer data to add to all advertisements of this stack, if there is room: the company identifier, least significant
  /// octet first, and the data. For simulating devices that advertise it; applications of Core Bluetooth cannot set it.
  public func setManufacturerData(_ octets: [UInt8]?) {
    onLoop { $0.advertisingInput(.setManufacturerData(octets.flatMap { ManufacturerData(octets: $0[...]) })) }
  }

  /// The controller was lost or is stopped.
  func resetAdvertising() {
    advertising.reset()
    advertisingRequests = [:]
  }

  private func perform(_ action: Advertising.Action) {
    switch action {
    case .setParameters(let set, let interval):
      let interval = AdvertisingInterval(nearest: interval)
      guard controller.usesExtendedCommands else {
        return setUp(
          set,
          LESetAdvertisingParameters(
            intervalMinimum: interval, intervalMaximum: interval, type: .connectable,
            ownAddressType: ownAddressType, peerAddress: .none, channels: .all, filterPolicy: .all))
      }
      setUp(
        set,
        LESetExtendedAdvertisingParameters(
          advertisingHandle: set.handle, properties: [.connectable, .scannable, .legacy],
          primaryIntervalMinimum: interval, primaryIntervalMaximum: interval, primaryChannels: .all,
          ownAddressType: ownAddressType, peerAddress: .none, filterPolicy: .all,
          transmitPower: Self.noPreference, primaryPHY: .le1M, secondaryMaximumSkip: 0, secondaryPHY: .le1M,
          setIdentifier: set.handle.rawValue & 0x0F, reportsScanRequests: false))
      perform(.setAddress(set))
    case .setAddress(let set):
      guard controller.usesExtendedCommands, let address = shownAddress else { return }
      setUp(set, LESetAdvertisingSetRandomAddress(advertisingHandle: set.handle, address: address))
    case .setData(let set, let advertisingData, let scanResponseData):
      guard controller.usesExtendedCommands else {
        setUp(set, LESetAdvertisingData(data: advertisingData[...]))
        return setUp(set, LESetScanResponseData(data: scanResponseData[...]))
      }
      setUp(
        set,
        LESetExtendedAdvertisingData(
          advertisingHandle: set.handle, operation: .complete, fragmentPreference: .shouldNotFragment,
          data: advertisingData[...]))
      setUp(
        set,
        LESetExtendedScanResponseData(
          advertisingHandle: set.handle, operation: .complete, fragmentPreference: .shouldNotFragment,
          data: scanResponseData[...]))
    case .enable(let set):
      faults?.startedAdvertising()
      setEnabled(true, set) { [weak self] in self?.advertisingInput(.enabled(set, $0)) }
    case .disable(let set): setEnabled(false, set) { _ in }
    case .remove(let set):
      if controller.usesExtendedCommands { controller.send(LERemoveAdvertisingSet(advertisingHandle: set.handle)) }
    case .finish(let request, let error): advertisingRequests.removeValue(forKey: request)?(error)
    case .reportPause(let status): log.log(.info, "advertising paused: \(status)")
    }
  }

  /// The transmit power that lets the controller choose.
  private static let noPreference: Int8 = 127

  private func setUp(_ set: Advertising.Set, _ command: some HCICommand) {
    controller.send(
      command,
      status: { [weak self] status in
        if !status.isSuccess { self?.advertisingInput(.refused(set, status)) }
      })
  }

  private func setEnabled(_ isEnabled: Bool, _ set: Advertising.Set, _ completion: @escaping (HCIErrorCode) -> Void) {
    guard controller.usesExtendedCommands else {
      return controller.send(LESetAdvertisingEnable(isEnabled: isEnabled), status: completion)
    }
    controller.send(
      LESetExtendedAdvertisingEnable(
        isEnabled: isEnabled,
        sets: [.init(advertisingHandle: set.handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 0)]),
      status: completion)
  }
}
