import BLEAdapter
import BLECore
import BLEWire

/// The one GATT server that all peripherals of the process publish in, and who its clients are.
final class LocalServer {
  let gatt: GATTServer
  private let genericServices: GenericServices?
  private var clients: [ObjectIdentifier: HostConnection] = [:]

  init(options: HostOptions, log: Logger) {
    gatt = GATTServer(log: log.labelled("gatt"))
    genericServices = gatt.addGenericServices(name: options.name, appearance: options.appearance)
  }

  /// What the device is called from now on.
  func setName(_ name: String) {
    if let genericServices { gatt.database.setValue(GATTServer.nameOctets(name), at: genericServices.deviceName) }
  }

  func makeLink(for connection: HostConnection, on bearer: ATTBearer) -> GATTServerLink {
    let link = gatt.makeLink(on: bearer)
    clients[ObjectIdentifier(link)] = connection
    return link
  }

  func connection(of link: GATTServerLink) -> HostConnection? { clients[ObjectIdentifier(link)] }

  func forget(_ link: GATTServerLink) { clients[ObjectIdentifier(link)] = nil }

  /// The services that belong to the stack or, as input devices do, to the system: no program publishes them.
  static func isReserved(_ uuid: BLEUUID) -> Bool {
    switch uuid.short {
    case 0x1800, 0x1801, 0x1812: true
    default: false
    }
  }
}
