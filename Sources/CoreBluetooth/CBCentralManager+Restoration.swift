internal import BLEAdapter
internal import BLECore

extension CBCentralManager {
  /// Restores what the manager of an earlier process was doing. Its links ended with that process: peripherals that were
  /// connected are being connected again. From here on the delegate has to keep the peripherals; the connections of those that it
  /// does not keep are cancelled.
  func receive(_ restored: PreservedCentral) {
    let peripherals = restored.peers.map { peer in
      let identifier = PeerIdentifier(PeerNumber(peer.identifier))
      let peripheral = context.peripheral(
        identifier, name: peer.name ?? adapter.knownPeers([identifier]).first?.name)
      peripheral.willRestore(reconnection: peer.reconnects ? ConnectionOptions() : nil)
      return peripheral
    }
    let requests = peripherals.map { (peer: $0.peerIdentifier, request: request(for: $0, ConnectionOptions())) }
    let (number, delegate) = shared.withLock { state in
      state.scan += 1
      state.isScanning = restored.scan != nil
      return (state.scan, state.delegate)
    }
    let scan = restored.scan.map { (parameters: $0.parameters, number: number) }
    watch?.callback("centralManager(_:willRestoreState:)", to: delegate)
    delegate?.centralManager(self, willRestoreState: dictionary(restored, peripherals))
    let job = Carried((requests, scan))
    submit { [context] in context.session.value.resume(job.value.0, scan: job.value.1) }
    withExtendedLifetime(peripherals) {}
  }

  /// With Apple's keys; keys without a value are absent.
  private func dictionary(_ restored: PreservedCentral, _ peripherals: [CBPeripheral]) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    if !peripherals.isEmpty { dictionary[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
    if let scan = restored.scan {
      if let services = scan.parameters.services {
        dictionary[CBCentralManagerRestoredStateScanServicesKey] = services.map { CBUUID($0) }
      }
      dictionary[CBCentralManagerRestoredStateScanOptionsKey] = scan.options
    }
    return dictionary
  }
}
