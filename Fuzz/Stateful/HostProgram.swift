import BLEAdapter
import BLECore
import BLEHost

/// The program on the host, in both roles: it keeps the objects that it receives, and the input chooses what it does with them.
final class HostProgram: CentralEvents, PeripheralEvents {
  private static let memory = 8

  private(set) var central: (any CentralRole)?
  private var peripheral: (any PeripheralRole)?
  /// The peers met last.
  private var met: [PeerIdentifier] = []
  private var links: [PeerIdentifier: any PeerLink] = [:]

  func begin(on stack: HostStack) {
    central = stack.makeCentral(events: self)
    peripheral = stack.makePeripheral(events: self)
  }

  func close() {
    central?.close()
    peripheral?.close()
  }

  // MARK: As the input wants it

  func scan(_ choice: UInt8) {
    central?.startScan(
      ScanParameters(services: choice & 2 != 0 ? [BLEUUID(0xFF30)] : nil, allowsDuplicates: choice & 1 != 0))
  }

  func connect(_ number: Int) { if let peer = peer(number) { central?.connect(peer, options: ConnectionOptions()) } }
  func cancel(_ number: Int) { if let peer = peer(number) { central?.cancelConnection(peer) } }
  func raise(_ number: Int, on stack: HostStack) { if let peer = peer(number) { stack.pair(with: peer) { _ in } } }

  func notify() {
    peripheral?.update(
      [UInt8](repeating: 7, count: 40)[...], of: Self.service.characteristics[0].identifier, centrals: nil, sent: {})
  }

  func publish() {
    peripheral?.startAdvertising(LocalAdvertisement(localName: "host", serviceUUIDs: [BLEUUID(0xFF40)])) { _ in }
    peripheral?.add(Self.service) { _ in }
  }

  func stopPublishing() {
    peripheral?.removeAllServices()
    peripheral?.stopAdvertising()
  }

  private func peer(_ number: Int) -> PeerIdentifier? { met.isEmpty ? nil : met[number % met.count] }

  private func meet(_ peer: PeerIdentifier) {
    if met.contains(peer) { return }
    Trace.note("the host's program meets \(peer)")
    if met.count == Self.memory { met.removeFirst() }
    met.append(peer)
  }

  // MARK: Events

  func central(didUpdateState state: AdapterState) { if state == .poweredOn { central?.startScan(ScanParameters()) } }
  func central(didDiscover discovery: DiscoveryEvent) { meet(discovery.peer) }

  func central(didConnect peer: KnownPeer, link: any PeerLink) {
    meet(peer.identifier)
    links[peer.identifier] = link
    link.discoverServices(nil) { result in
      for service in (try? result.get()) ?? [] {
        link.discoverCharacteristics(nil, of: service) { characteristics in
          for characteristic in (try? characteristics.get()) ?? [] {
            link.read(characteristic.value) { _ in }
            link.write([1, 2, 3], to: characteristic.value) { _ in }
            link.setNotify(true, for: characteristic) { _ in }
          }
        }
      }
    }
  }

  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) {}
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) { links[peer] = nil }
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) { meet(peer.identifier) }

  func peripheral(didUpdateState state: AdapterState) { if state == .poweredOn { publish() } }

  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {
    meet(central.identifier)
    peripheral?.respond(to: transaction, result: 0, value: Array(repeating: 7, count: max(0, 300 - offset)))
  }

  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {
    meet(central.identifier)
    peripheral?.respond(to: transaction, result: 0, value: [])
  }

  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) { notify() }
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {}
  func peripheral(didUpdate central: RemoteCentral) {}

  private static let service = LocalService(
    uuid: BLEUUID(0xFF40), isPrimary: true,
    characteristics: [
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0xFF41), properties: 0x3E,
        permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none), value: nil),
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 2), uuid: BLEUUID(0xFF42), properties: 0x5A,
        permissions: LocalPermissions(read: .encryption, write: .authentication), value: nil),
    ])
}
