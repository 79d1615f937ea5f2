import BLEAdapter
import BLECore
import BLEHost

/// A database without access restrictions: FF31 with a fixed value, FF32 with a value that can be read, written and notified
/// and has a description, and a second service, which is included in the first.
final class OpenServer {
  let gatt = GATTServer()
  private let application = Application()
  /// The handle of FF32's value.
  private(set) var value = AttributeHandle(0)

  /// - Parameter length: octets of FF32's value.
  init(length: Int = 3) {
    gatt.addGenericServices(name: "Hostile")
    application.server = gatt
    application.value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let second = gatt.publish(
      LocalService(
        uuid: BLEUUID(0xFF40), isPrimary: true,
        characteristics: [
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 3), uuid: BLEUUID(0xFF41), properties: 0x02,
            permissions: LocalPermissions(read: SecurityDemand.none), value: Array("more".utf8))
        ]), application: application)
    let first = gatt.publish(
      LocalService(
        uuid: BLEUUID(0xFF30), isPrimary: true,
        characteristics: [
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0xFF31), properties: 0x02,
            permissions: LocalPermissions(read: SecurityDemand.none), value: Array("honest".utf8)),
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 2), uuid: BLEUUID(0xFF32), properties: 0x1E,
            permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none), value: nil,
            descriptors: [LocalDescriptor(uuid: BLEUUID(0x2901), value: Array("described".utf8))]),
        ]), including: second.map { [$0] } ?? [], application: application)
    value = first?.values[LocalCharacteristicIdentifier(rawValue: 2)] ?? value
  }

  /// The written values.
  var writes: [[UInt8]] { application.writes }
  var octets: [UInt8] { application.value }

  private final class Application: AttributeApplication {
    weak var server: GATTServer?
    var value: [UInt8] = []
    var writes: [[UInt8]] = []

    func read(_ request: AttributeReadRequest) {
      server?.respond(to: request.number, error: nil, value: Array(value.dropFirst(request.offset)))
    }
    func write(_ request: AttributeWriteRequest) {
      writes.append(request.parts.flatMap { Array($0.value) })
      if request.needsResponse { server?.respond(to: request.number, error: nil) }
    }
    func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}
  }
}
