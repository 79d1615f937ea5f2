import BLEAdapter
import BLECore
import BLEHost
import Synchronization

extension BlueZAdapter: ObjectMirrorEvents {
  func adaptersDidChange() { presence.adaptersDidChange() }

  func device(_ device: DeviceObject, didChange changes: DeviceChanges) {
    guard isRunning, device.adapter == adapterPath else { return }
    if changes.contains(.heard) { discovery?.heard(isRepeated: changes.contains(.heardAgain)) }
    if changes.contains(.address), let former = device.formerAddress { identify(device, former) }
    if changes.contains(.connection) || (device.isConnected && changes.contains(.services)) { publish(device) }
    if changes.contains(.connection), !device.isConnected { endPairing(with: device) }
    if changes.contains(.pairing), device.isPaired {
      if let end = pairingsUnderWay[device.path] { end(nil) } else { agent.ended(with: device.path, nil) }
    }
    if changes.contains(.name), device.isConnected, let name = device.name {
      let peer = directory.peer(at: device.address)
      directory.setName(name, of: peer.identifier, from: .read)
    }
    link(of: device)?.deviceDidChange(device, changes)
    if device.rssi != nil, !changes.isDisjoint(with: [.heard, .advertisement]) { reportAdvertisement(device) }
  }

  private func endPairing(with device: DeviceObject) { agent.linkEnded(with: device.path, isPaired: device.isPaired) }

  private func reportAdvertisement(_ device: DeviceObject) {
    guard centrals.contains(where: { $0.scan != nil }) else { return }
    let peer = advertiser(device)
    // Iterates over a copy: a central may stop its scan, or close, inside its callback.
    for central in centrals { central.report(device, as: peer) }
  }

  /// Called when the daemon has resolved the device's identity.
  private func identify(_ device: DeviceObject, _ former: DeviceAddress) {
    guard let before = directory.knownPeer(at: former) else { return }
    let peer = directory.identify(before, as: device.address)
    if peer.identifier == before.identifier { links[peer.identifier]?.rename(peer) }
  }

  func deviceWasRemoved(_ device: DeviceObject) {
    for central in centrals { central.scan?.forget(device) }
    if device.isConnected {
      device.wasRemoved()
      publish(device)
    }
    endPairing(with: device)
    link(of: device)?.deviceWasRemoved(device)
  }

  func device(_ device: DeviceObject, didChangeServicesIn handles: ClosedRange<AttributeHandle>) {
    link(of: device)?.servicesDidChange(in: handles)
  }

  func deviceDidChangeMaximumTransmissionUnit(_ device: DeviceObject) {
    link(of: device)?.transmissionUnitDidChange()
  }

  func device(_ device: DeviceObject, hasValue value: [UInt8], of handle: AttributeHandle) {
    link(of: device)?.received(value, of: handle)
  }

  func device(_ device: DeviceObject, didDisconnect reason: String) {
    link(of: device)?.willDisconnect(reason)
  }
}

extension BlueZAdapter {
  /// The advertising peer, with the name to show.
  func advertiser(_ device: DeviceObject) -> KnownPeer {
    let peer = directory.peer(at: device.address)
    guard let name = device.name else { return peer }
    let shown = directory.setName(name, of: peer.identifier, from: .advertised)
    return KnownPeer(identifier: peer.identifier, address: peer.address, name: shown)
  }

  private func link(of device: DeviceObject) -> DeviceLink? {
    if links.isEmpty { return nil }
    return directory.knownPeer(at: device.address).flatMap { links[$0.identifier] }
  }

  /// Records whether the device is connected, for `connectedPeers`.
  /// - Returns: whether it is connected, or was.
  @discardableResult
  func note(_ device: DeviceObject) -> Bool {
    guard device.adapter == adapterPath else { return false }
    let peer = directory.peer(at: device.address)
    let entry = device.isConnected ? (peer: peer, services: device.services) : nil
    return snapshot.withLock { snapshot in
      let before = snapshot.connected[peer.identifier] != nil
      snapshot.connected[peer.identifier] = entry
      return before || entry != nil
    }
  }

  /// Reports the device's link to all centrals.
  func publish(_ device: DeviceObject) {
    guard note(device), isRunning else { return }
    let peer = directory.peer(at: device.address)
    for central in centrals {
      central.events?.central(linkDidChange: peer, isConnected: device.isConnected, services: device.services)
    }
  }
}
