import BLEAdapter
import BLECore
import BLEHost

/// The database of a hostile peripheral: service FF30 with FF31, which it claims needs encryption, and whose value it wants
/// accepted.
enum HostileServer {
  static func make() -> GATTServer {
    let server = GATTServer()
    server.addGenericServices(name: "Hostile")
    let application = Application()
    application.server = server
    _ = server.publish(
      LocalService(
        uuid: BLEUUID(0xFF30), isPrimary: true,
        characteristics: [
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0xFF31), properties: 0x12,
            permissions: LocalPermissions(read: .encryption), value: Array("forged".utf8)),
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 2), uuid: BLEUUID(0xFF33), properties: 0x40,
            permissions: LocalPermissions(write: SecurityDemand.none), value: nil),
        ]), application: application)
    return server
  }

  private final class Application: AttributeApplication {
    weak var server: GATTServer?
    func read(_ request: AttributeReadRequest) {}
    func write(_ request: AttributeWriteRequest) {}
    func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}
  }
}
