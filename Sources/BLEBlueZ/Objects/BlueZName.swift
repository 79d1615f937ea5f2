/// The names of the daemon's interface (bluez/doc: org.bluez.Adapter, .Device, .GattService, .GattCharacteristic, .GattDescriptor,
/// .GattManager, .LEAdvertisingManager, .LEAdvertisement).
enum BlueZName {
  static let service = "org.bluez"
  /// The path above all of the daemon's objects.
  static let root = "/org/bluez"

  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  static let gattDescriptor = "org.bluez.GattDescriptor1"
  static let gattManager = "org.bluez.GattManager1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let advertisement = "org.bluez.LEAdvertisement1"

  enum Failure {
    static let alreadyConnected = "org.bluez.Error.AlreadyConnected"
    static let inProgress = "org.bluez.Error.InProgress"
    static let notConnected = "org.bluez.Error.NotConnected"
    static let notReady = "org.bluez.Error.NotReady"
    static let notPermitted = "org.bluez.Error.NotPermitted"
    static let notAuthorized = "org.bluez.Error.NotAuthorized"
    static let notSupported = "org.bluez.Error.NotSupported"
    static let invalidOffset = "org.bluez.Error.InvalidOffset"
    static let invalidArguments = "org.bluez.Error.InvalidArguments"
    static let failed = "org.bluez.Error.Failed"
    static let doesNotExist = "org.bluez.Error.DoesNotExist"
  }
}

extension BusError {
  /// Whether the called object no longer exists.
  var meansObjectIsGone: Bool {
    switch name {
    case BusError.unknownObject, BusError.unknownMethod, BusError.unknownInterface, BlueZName.Failure.doesNotExist: true
    default: false
    }
  }
}
