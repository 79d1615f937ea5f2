import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

extension HostStack: ConnectorDelegate {
  func connector(_ connector: Connector, initiatesTo targets: [DeviceAddress]) {
    guard isRunning else { return }
    let addresses = targets.map(airAddress)
    if addresses.count == 1 {
      createConnection(to: initiationAddress(addresses[0]), .peerAddress)
    } else {
      setAcceptList(to: Set(addresses))
      createConnection(to: .none, .acceptList)
    }
  }

  func connectorCancelsInitiation(_ connector: Connector) {
    controller.send(
      LECreateConnectionCancel(),
      status: { [weak self] status in
        // Refused, because the link was established at the same moment; its event was handled before.
        if !status.isSuccess { self?.connector.initiationEnded(nil) }
      })
  }

  func connector(_ connector: Connector, hasLinkTo address: DeviceAddress) -> Bool { connections[address] != nil }

  func connectorDidChange(_ connector: Connector) {
    // A device whose private address only the host can resolve must be found by scanning first.
    if arbiter.takesTurns || security.identities.isUseful { updateScan() }
  }

  func connector(_ connector: Connector, didFail address: DeviceAddress, reason: EndReason) {
    failWaiting(for: address, reason)
  }

  /// Returns the peer address for initiating: for the legacy command, an identity whose private addresses the controller resolves
  /// must have an identity address type (Core, Vol 4 Part E 7.8.12).
  private func initiationAddress(_ address: DeviceAddress) -> HCIAddress {
    guard controller.features?.supportsExtendedConnecting != true, privacy.resolvedByController.contains(address) else {
      return HCIAddress(address)
    }
    return HCIAddress(type: address.kind == .public ? .publicIdentity : .randomIdentity, value: address.value)
  }

  private func createConnection(to peer: HCIAddress, _ policy: LEInitiatorFilterPolicy) {
    let completion: (HCIErrorCode) -> Void = { [weak self] status in
      guard let self, !status.isSuccess else { return }
      if arbiter.mustTakeTurns(status, radioWishes) { return arbiterInput(.initiationRefused) }
      self.log.log(.warning, "the controller refused to connect: \(status)")
      self.connector.initiationRefused(EndReason(failureToConnect: status))
    }
    let interval = LinkPolicy.scanInterval
    if controller.features?.supportsExtendedConnecting == true {
      controller.send(
        LEExtendedCreateConnection(
          filterPolicy: policy, ownAddressType: ownAddressType, peerAddress: peer,
          phys: searchPHYs,
          entries: searchEntries(interval: interval, window: interval) {
            .init(scanInterval: $0, scanWindow: $1, parameters: LinkPolicy.connection)
          }),
        status: completion)
    } else {
      controller.send(
        LECreateConnection(
          scanInterval: interval, scanWindow: interval, filterPolicy: policy, peerAddress: peer,
          ownAddressType: ownAddressType, parameters: LinkPolicy.connection),
        status: completion)
    }
  }

  /// Updates the filter accept list. Only differences are sent, because with many pending connections the list changes little.
  private func setAcceptList(to targets: Set<DeviceAddress>) {
    for address in acceptList.subtracting(targets).sorted(by: { $0.key < $1.key }) {
      controller.send(LERemoveDeviceFromFilterAcceptList(address: HCIAddress(address)))
    }
    for address in targets.subtracting(acceptList).sorted(by: { $0.key < $1.key }) {
      controller.send(
        LEAddDeviceToFilterAcceptList(address: HCIAddress(address)),
        status: { [weak self] status in
          guard let self, !status.isSuccess else { return }
          // Initiating to one device at a time needs no list.
          self.log.log(.info, "the filter accept list cannot be used: \(status)")
          self.connector.capacity = 1
        })
    }
    acceptList = targets
  }
}
