import BLEAdapter
import BLECore

/// What a peripheral needs of the adapter that it is on. Everything on the loop.
protocol PeripheralGround: AnyObject {
  var log: Logger { get }
  /// The connection to the bus; `nil` where there is none.
  var bus: MessageBus? { get }
  /// The path of the adapter that is used.
  var adapterPath: String? { get }
  /// The address of that adapter.
  var adapterAddress: DeviceAddress? { get }
  /// What L2CAP channels are made of.
  var channelSockets: any ChannelSockets { get }
  /// Everything can be asked of the daemon.
  var isRunning: Bool { get }
  /// The peer that the daemon knows by this object.
  func peer(of path: String) -> KnownPeer?
  /// The peer that has this address.
  func peer(at address: DeviceAddress) -> KnownPeer
  /// All that are connected to the adapter, whatever for.
  var connectedDevices: [KnownPeer] { get }
  /// Runs `job` on the loop, after what is being done now.
  func later(_ job: @escaping () -> Void)
}

extension BusError {
  /// The error that the daemon makes into this one of the attribute protocol (Core, Vol 3 Part F 3.4.1.1). It has names for a few, and takes
  /// numbers only of the applications' range: the others arrive as Unlikely Error.
  init(attributeCode code: UInt8) {
    let name =
      switch code {
      case 0x02, 0x03: "NotPermitted"
      case 0x06: "NotSupported"
      case 0x07: "InvalidOffset"
      case 0x08: "NotAuthorized"
      case 0x0D: "InvalidValueLength"
      case 0xFE: "InProgress"
      default: "Failed"
      }
    let digits = String(code, radix: 16, uppercase: true)
    self.init("org.bluez.Error." + name, "0x" + (digits.count < 2 ? "0" : "") + digits)
  }
}

extension PublishError {
  /// What the daemon says of a registration that it refuses.
  init(_ error: BusError) {
    self =
      switch error.name {
      case "org.bluez.Error.AlreadyExists": .alreadyAdvertising
      // There is no advertising instance left, or what is to be sent is longer than the controller takes.
      case "org.bluez.Error.NotPermitted", "org.bluez.Error.InvalidLength": .outOfSpace
      case "org.bluez.Error.NotReady", BusError.disconnected, BusError.serviceUnknown, BusError.nameHasNoOwner,
        BusError.noReply, BusError.unknownObject:
        .notPoweredOn
      // Invalid HCI Command Parameters; Command Disallowed.
      case "org.bluez.Error.InvalidArguments": .refused(code: 0x12)
      default: .refused(code: 0x0C)
      }
  }
}
