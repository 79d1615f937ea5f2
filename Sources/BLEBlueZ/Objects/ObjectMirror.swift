import BLEAdapter
import BLECore

/// Called when the daemon's objects change. Everything on the loop.
protocol ObjectMirrorEvents: AnyObject {
  /// An adapter was added or removed, or its power or address has changed.
  func adaptersDidChange()
  /// A device was added or has changed.
  func device(_ device: DeviceObject, didChange changes: DeviceChanges)
  /// The device is no longer in the mirror.
  func deviceWasRemoved(_ device: DeviceObject)
  /// Services of the device were added or removed.
  func device(_ device: DeviceObject, didChangeServicesIn handles: ClosedRange<AttributeHandle>)
  /// The device's MTU is known.
  func deviceDidChangeMaximumTransmissionUnit(_ device: DeviceObject)
  /// A notification, an indication, or the result of any program's read: the daemon does not say which.
  func device(_ device: DeviceObject, hasValue value: [UInt8], of handle: AttributeHandle)
  /// The device's link has ended, for the reason that the daemon gives.
  func device(_ device: DeviceObject, didDisconnect reason: String)
}

/// An adapter as the daemon shows it.
struct AdapterObject: Hashable {
  let path: String
  var address: DeviceAddress?
  /// Random for an adapter without a public address.
  var addressKind = DeviceAddress.Kind.public
  var isPowered = false
}

/// A copy of the daemon's objects, kept up to date by its signals. Each signal costs one lookup by path, however many devices there are.
final class ObjectMirror {
  /// How many objects are kept. More of them are a sign of a faulty daemon, or of another program in its place.
  static let limit = 262_144

  var adapters: [String: AdapterObject] = [:]
  var devices: [String: DeviceObject] = [:]
  var byAddress: [Site: DeviceObject] = [:]
  var attributeCount = 0
  var nextNumber: UInt64 = 1
  /// Parsed paths. A path has the same meaning whatever objects there are.
  private var places: [String: ObjectPlace] = [:]
  private static let placeLimit = 1_024
  let reader: PropertyReader
  weak var events: (any ObjectMirrorEvents)?

  /// A device as seen by one adapter; several adapters may know the same device.
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

  // MARK: Signals of the daemon

  /// Removes everything, without events.
  func removeAll() {
    adapters = [:]
    devices = [:]
    byAddress = [:]
    attributeCount = 0
  }

  /// Takes the answer to GetManagedObjects: all present objects.
  func load(_ answer: [BusValue]) {
    removeAll()
    guard let objects = answer.first?.objects else { return reader.warn("the list of its objects") }
    // Parents first: an attribute belongs to a device.
    for path in objects.keys.sorted() {
      if let interfaces = objects[path]?.properties { add(path, interfaces) } else { reader.warn("an object") }
    }
  }

  func interfacesAdded(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].properties else {
      return reader.warn("InterfacesAdded")
    }
    add(path, interfaces)
  }

  func interfacesRemoved(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].texts else {
      return reader.warn("InterfacesRemoved")
    }
    guard let place = ObjectPlace(path) else { return }
    for interface in interfaces { remove(path, place, interface) }
  }

  /// - Parameter changes: `nil` where the signal's arguments had other types.
  func propertiesChanged(of path: String, _ changes: PropertyChanges?) {
    guard let changes else { return reader.warn("PropertiesChanged") }
    switch changes.interface {
    case BlueZName.adapter: change(adapter: path, changes.values)
    case BlueZName.device: change(device: path, changes.values, changes.invalidated)
    case BlueZName.gattService: if let place = place(path) { change(service: place, changes.values) }
    case BlueZName.gattCharacteristic: if let place = place(path) { change(characteristic: place, changes.values) }
    default: break
    }
  }

  /// The parsed path. Values of one characteristic arrive in sequence: its path is parsed once.
  private func place(_ path: String) -> ObjectPlace? {
    if let place = places[path] { return place }
    guard let place = ObjectPlace(path) else { return nil }
    if places.count >= Self.placeLimit { places = [:] }
    places[path] = place
    return place
  }

  /// `Device1.Disconnected`, which only newer daemons send.
  func disconnected(_ path: String, _ arguments: [BusValue]) {
    guard let device = devices[path] else { return }
    guard let reason = arguments.first?.text else { return reader.warn("Disconnected") }
    events?.device(device, didDisconnect: reason)
  }
}
