import BLEAdapter
import BLECore

/// What is told when the daemon's objects change. Everything on the loop.
protocol ObjectMirrorEvents: AnyObject {
  /// An adapter was added or removed, or its power or address has changed.
  func adaptersDidChange()
  /// A new device, or what has changed of one.
  func device(_ device: DeviceObject, didChange changes: DeviceChanges)
  /// It is not in the mirror any more.
  func deviceWasRemoved(_ device: DeviceObject)
  /// Services of the device were added or removed.
  func device(_ device: DeviceObject, didChangeServicesIn handles: ClosedRange<AttributeHandle>)
  /// The daemon knows the device's MTU.
  func deviceDidChangeMaximumTransmissionUnit(_ device: DeviceObject)
  /// A notification, an indication, or the answer to somebody's read: the daemon does not say which.
  func device(_ device: DeviceObject, hasValue value: [UInt8], of handle: AttributeHandle)
  /// Its link has ended, and the daemon says why.
  func device(_ device: DeviceObject, didDisconnect reason: String)
}

/// An adapter as the daemon shows it.
struct AdapterObject: Hashable {
  let path: String
  var address: DeviceAddress?
  /// Of one without a public address it is random.
  var addressKind = DeviceAddress.Kind.public
  var isPowered = false
}

/// A copy of the daemon's objects, kept up to date by its signals. Each signal costs one look-up by path, however many devices there are.
final class ObjectMirror {
  /// So many objects are kept. A daemon that has more is out of its mind, or not the daemon.
  static let limit = 262_144

  var adapters: [String: AdapterObject] = [:]
  var devices: [String: DeviceObject] = [:]
  var byAddress: [Site: DeviceObject] = [:]
  var attributeCount = 0
  var nextNumber: UInt64 = 1
  /// Paths that were taken apart already. They mean the same whatever objects there are.
  private var places: [String: ObjectPlace] = [:]
  private static let placeLimit = 1_024
  let reader: PropertyReader
  weak var events: (any ObjectMirrorEvents)?

  /// A device belongs to one adapter: another may know it as well.
  struct Site: Hashable {
    let adapter: String
    let address: DeviceAddress
  }

  init(log: Logger, events: any ObjectMirrorEvents) {
    reader = PropertyReader(log: log)
    self.events = events
  }

  func device(at address: DeviceAddress, on adapter: String) -> DeviceObject? {
    byAddress[Site(adapter: adapter, address: address)]
  }

  // MARK: What the daemon tells

  /// Everything is gone, and nobody is told of each.
  func removeAll() {
    adapters = [:]
    devices = [:]
    byAddress = [:]
    attributeCount = 0
  }

  /// The answer to GetManagedObjects: all that there is.
  func load(_ answer: [BusValue]) {
    removeAll()
    guard let objects = answer.first?.objects else { return reader.complain("the list of its objects") }
    // Parents first: an attribute belongs to a device.
    for path in objects.keys.sorted() {
      if let interfaces = objects[path]?.properties { add(path, interfaces) } else { reader.complain("an object") }
    }
  }

  func interfacesAdded(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].properties else {
      return reader.complain("InterfacesAdded")
    }
    add(path, interfaces)
  }

  func interfacesRemoved(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].texts else {
      return reader.complain("InterfacesRemoved")
    }
    guard let place = ObjectPlace(path) else { return }
    for interface in interfaces { remove(path, place, interface) }
  }

  /// - Parameter changes: `nil` where the signal's arguments were not those that it has.
  func propertiesChanged(of path: String, _ changes: PropertyChanges?) {
    guard let changes else { return reader.complain("PropertiesChanged") }
    switch changes.interface {
    case BlueZName.adapter: change(adapter: path, changes.values)
    case BlueZName.device: change(device: path, changes.values, changes.invalidated)
    case BlueZName.gattService: if let place = place(path) { change(service: place, changes.values) }
    case BlueZName.gattCharacteristic: if let place = place(path) { change(characteristic: place, changes.values) }
    default: break
    }
  }

  /// What the path says. Values of one characteristic come one after another: their path is taken apart once.
  private func place(_ path: String) -> ObjectPlace? {
    if let place = places[path] { return place }
    guard let place = ObjectPlace(path) else { return nil }
    if places.count >= Self.placeLimit { places = [:] }
    places[path] = place
    return place
  }

  /// `Device1.Disconnected`, of newer daemons.
  func disconnected(_ path: String, _ arguments: [BusValue]) {
    guard let device = devices[path] else { return }
    guard let reason = arguments.first?.text else { return reader.complain("Disconnected") }
    events?.device(device, didDisconnect: reason)
  }
}
