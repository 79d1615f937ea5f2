import BLEAdapter
import BLECore
import BLEHost
import BLETestKit
import CoreBluetooth

/// A peripheral on a device's stack whose values show how well a link is protected: FF41 requires encryption, FF42 requires
/// MITM protection as well. Core Bluetooth has no permission for the latter.
///
/// `@unchecked Sendable`: touched on the world's loop, and by the test while the world is not running.
final class GuardedPeripheral: PeripheralEvents, @unchecked Sendable {
  private var role: (any PeripheralRole)?
  private let name: String
  private(set) var isAdvertising = false

  init(_ device: Device, of world: World, called name: String) {
    self.name = name
    world.loop.submit(from: .common) { self.role = device.hostStack?.makePeripheral(events: self) }
  }

  private static let service = LocalService(
    uuid: BLEUUID(0xFF40), isPrimary: true,
    characteristics: [
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0xFF41), properties: 0x02,
        permissions: LocalPermissions(read: .encryption), value: Array("encrypted".utf8)),
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 2), uuid: BLEUUID(0xFF42), properties: 0x02,
        permissions: LocalPermissions(read: .authentication), value: Array("authenticated".utf8)),
    ])

  func peripheral(didUpdateState state: AdapterState) {
    guard state == .poweredOn, let role else { return }
    role.add(Self.service) { _ in }
    role.startAdvertising(LocalAdvertisement(localName: name)) { self.isAdvertising = $0 == nil }
  }
  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {}
  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {}
  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didUpdate central: RemoteCentral) {}
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {}
}

extension Device {
  /// The stack of the process that runs on it.
  var hostStack: HostStack? { options[CBManagerOptionAdapterKey] as? HostStack }
}
