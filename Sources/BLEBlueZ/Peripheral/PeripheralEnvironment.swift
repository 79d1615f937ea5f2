import BLEAdapter
import BLECore

/// What a peripheral needs of its adapter. Everything on the loop.
protocol PeripheralEnvironment: AnyObject {
  var log: Logger { get }
  /// The connection to the bus; `nil` where there is none.
  var bus: MessageBus? { get }
  /// The path of the adapter that is used.
  var adapterPath: String? { get }
  /// The address of that adapter.
  var adapterAddress: DeviceAddress? { get }
  /// The sockets for L2CAP channels.
  var channelSockets: any ChannelSockets { get }
  /// Whether the adapter is powered on, and the daemon can be called.
  var isRunning: Bool { get }
  /// The peer with this object path.
  func peer(of path: String) -> KnownPeer?
  /// The peer that has this address.
  func peer(at address: DeviceAddress) -> KnownPeer
  /// All devices connected to the adapter, by any program.
  var connectedDevices: [KnownPeer] { get }
  /// Runs `job` on the loop, after the current job.
  func later(_ job: @escaping () -> Void)
}

extension BusError {
  /// The error that the daemon translates to this code of the attribute protocol (Core, Vol 3 Part F 3.4.1.1). It has names for a few, and
  /// accepts numbers only in the application range: the others arrive as Unlikely Error.
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
  /// The reason for which the daemon refuses a registration.
  init(_ error: BusError) {
    self =
      switch error.name {
      case "org.bluez.Error.AlreadyExists": .alreadyAdvertising
      // There is no advertising instance left, or the advertising data is longer than the controller accepts.
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
