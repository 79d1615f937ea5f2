import BLECore
import BLECrypto
import BLEHCI
import BLEWire

/// What a host does for privacy besides its controller (Core, Vol 3 Part C 10.7).
struct PrivacyState {
  /// The private address that is shown now, where privacy is on.
  var address: DeviceAddress?
  var timer: TimerToken?
  /// The bonded devices whose private addresses the controller resolves by itself.
  var resolvedByController: Set<DeviceAddress> = []
  /// The private addresses that the controller was last told to connect to, by whose they are.
  var targets: [DeviceAddress: DeviceAddress] = [:]
  /// What the controller's list was last told to hold.
  var keys: [DeviceAddress: SecretKey] = [:]
}

/// Private addresses: of bonded peers, which the controller resolves where it can and the host otherwise, and of this device.
///
/// This device's own are made here and not by the controller, which makes them only for peers of its list: unbonded peers are
/// to see a private address as well.
extension HostStack {
  /// What is shown on the air in place of the public address; `nil`: nothing is.
  var shownAddress: DeviceAddress? { privacy.address ?? randomAddress }

  /// The controller is fresh: its list is empty, and it has no private address.
  func beginPrivacy() {
    privacy.resolvedByController = []
    privacy.targets = [:]
    privacy.keys = [:]
    privacy.address = options.usesPrivacy ? makePrivateAddress() : nil
    if let address = privacy.address { controller.send(LESetRandomAddress(address: address)) }
    armPrivacyTimer()
  }

  func endPrivacy() {
    if let timer = privacy.timer { loop.cancel(timer) }
    privacy.timer = nil
  }

  private func makePrivateAddress() -> DeviceAddress {
    IdentityResolver(irk: security.local.identity.identityResolvingKey).makeAddress(entropy)
  }

  private func armPrivacyTimer() {
    endPrivacy()
    guard privacy.address != nil else { return }
    privacy.timer = loop.schedule(after: options.privateAddressLifetime, .background) { [weak self] in
      self?.privacy.timer = nil
      self?.renewPrivateAddress()
    }
  }

  private func renewPrivateAddress() {
    guard isRunning, options.usesPrivacy else { return }
    let address = makePrivateAddress()
    privacy.address = address
    whileRadioIsQuiet { controller.send(LESetRandomAddress(address: address)) }
    armPrivacyTimer()
  }

  /// Changes what may change only while nothing is advertised, looked for or connected to: all of that pauses for the moment.
  /// Commands are carried out in their order, so that nobody has to wait in between.
  private func whileRadioIsQuiet(_ change: () -> Void) {
    connector.restart()
    let scans = scanSwitch.isChanging ? scanSwitch.goal : scanSwitch.isOn
    if scans { sendScanEnable(false) }
    advertiser.whilePaused(self, change)
    if scans { sendScanEnable(true) }
  }

  // MARK: The controller's list

  /// Brings the controller's resolving list to the bonds. What it has no room for is resolved here.
  func updateResolvingList() {
    guard isRunning, controller.features?.supportsPrivacy == true else { return }
    var wanted: [DeviceAddress: SecretKey] = [:]
    for bond in security.records.bonds.suffix(controller.features?.resolvingListSize ?? 0) {
      wanted[bond.identity] = bond.keys.peerIdentityResolvingKey
    }
    if wanted == privacy.keys { return }
    let removed = privacy.keys.filter { wanted[$0.key] != $0.value }.keys.sorted { $0.key < $1.key }
    let added = wanted.filter { privacy.keys[$0.key] != $0.value }.sorted { $0.key.key < $1.key.key }
    privacy.keys = wanted
    whileRadioIsQuiet {
      controller.send(LESetAddressResolutionEnable(isEnabled: false))
      for identity in removed {
        privacy.resolvedByController.remove(identity)
        controller.send(LERemoveDeviceFromResolvingList(peerIdentity: HCIAddress(identity)))
      }
      for (identity, key) in added { add(identity, key) }
      controller.send(LESetAddressResolutionEnable(isEnabled: !wanted.isEmpty))
    }
  }

  private func add(_ identity: DeviceAddress, _ key: SecretKey) {
    let address = HCIAddress(identity)
    controller.send(
      LEAddDeviceToResolvingList(
        peerIdentity: address, peerIdentityResolvingKey: HCISecret(key.revealLeastSignificantFirst()),
        localIdentityResolvingKey: HCISecret([UInt8](repeating: 0, count: 16))),
      status: { [weak self] status in
        guard let self else { return }
        if status.isSuccess {
          self.privacy.resolvedByController.insert(identity)
        } else {
          self.log.log(.info, "the controller does not resolve \(identity): \(status)")
        }
      })
    // A bonded device that shows its identity is heard as well: whether it is who it says, encryption tells.
    if controller.features?.commands.contains(LESetPrivacyMode.self) == true {
      controller.send(LESetPrivacyMode(peerIdentity: address, mode: .device))
    }
  }

  // MARK: Peers that only the host can resolve

  private func isResolvedHere(_ identity: DeviceAddress) -> Bool {
    security.identities.isUseful && !privacy.resolvedByController.contains(identity)
      && security.identities.isPrivate(identity)
  }

  /// By which address the controller finds a device.
  func airAddress(of identity: DeviceAddress) -> DeviceAddress {
    guard isResolvedHere(identity), let address = security.identities.latestAddress(of: identity) else {
      privacy.targets[identity] = nil
      return identity
    }
    privacy.targets[identity] = address
    return address
  }

  /// A bonded device was heard by a private address that the controller did not resolve. If it is to be connected to, that is
  /// the address to connect to from now on.
  func wasHeard(_ identity: DeviceAddress, by address: DeviceAddress) {
    guard isResolvedHere(identity), privacy.targets[identity] != address, connector.isWanted(identity) else { return }
    connector.restart()
  }

  /// Somebody looks for advertisers, or the host must.
  var wantsScan: Bool { scanner.isWanted || looksForPrivatePeers }

  /// Whoever is to be connected to and changes its address must be looked for by scanning.
  private var looksForPrivatePeers: Bool {
    security.identities.isUseful && connector.allWanted.contains { isResolvedHere($0) && connections[$0] == nil }
  }
}
