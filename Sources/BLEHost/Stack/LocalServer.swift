import BLEAdapter
import BLECore
import BLEWire

/// The GATT server shared by all peripherals of the process.
final class LocalServer {
  let gatt: GATTServer
  private let genericServices: GenericServices?

  init(options: HostOptions, log: Logger) {
    gatt = GATTServer(log: log.labelled("gatt"))
    genericServices = gatt.addGenericServices(name: options.name, appearance: options.appearance)
  }

  /// The handle from which on services of applications have their place.
  var firstFreeHandle: AttributeHandle? { genericServices?.genericAttribute.upperBound.next }

  /// Sets the device name.
  func setName(_ name: String) {
    if let genericServices { gatt.database.setValue(GATTServer.nameOctets(name), at: genericServices.deviceName) }
  }

  /// Returns whether a service belongs to the stack or, like Human Interface Device, to the system, so that applications can't
  /// publish it.
  static func isReserved(_ uuid: BLEUUID) -> Bool {
    switch uuid.short {
    case 0x1800, 0x1801, 0x1812: true
    default: false
    }
  }
}
