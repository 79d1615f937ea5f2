import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A device's radio through all its controllers: where it is and what befell it stays when a controller is replaced. On the
/// loop.
final class DeviceRadio: HCITap {
  private let name: String
  private let address: DeviceAddress
  private let air: Air
  weak var tap: (any HCITap)?
  private(set) var controller: VirtualController?
  private weak var transport: PluggedTransport?

  var configuration = ControllerConfiguration()
  var isPlugged = true
  var vanishesWhenConnected = false
  var isAway = false { didSet { place() } }
  var position: Position { didSet { place() } }
  var isSilent = false { didSet { isSilent ? controller?.silence() : controller?.comeBack() } }
  var transmitPower: Int8? { didSet { transmitPower.map { controller?.setTransmitPower($0) } } }

  /// Nobody hears anybody at this distance.
  private static let outOfReach = 1e9

  init(name: String, address: DeviceAddress, position: Position, air: Air) {
    self.name = name
    self.address = address
    self.position = position
    self.air = air
    configuration.name = name
  }

  /// A controller fresh from its start, where the old one was.
  func makeTransport() throws(TransportError) -> any HCITransport {
    guard isPlugged else {
      throw TransportError(.unreachable, "The controller of \(name) was removed; insertController() puts it back.")
    }
    let fresh = air.makeController(address: address, position: position, configuration: configuration)
    controller = fresh
    place()
    transmitPower.map { fresh.setTransmitPower($0) }
    if isSilent { fresh.silence() }
    let plugged = PluggedTransport(fresh)
    transport = plugged
    return plugged
  }

  func unplug() {
    isPlugged = false
    transport?.unplug()
    controller = nil
  }

  private func place() {
    controller?.move(to: isAway ? Position(x: position.x + Self.outOfReach) : position)
  }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    tap?.tapDidHear(packet, direction, at: instant)
    if vanishesWhenConnected, direction == .toHost, packet.announcesConnection {
      vanishesWhenConnected = false
      isSilent = true
    }
  }
}

extension HCIPacket {
  /// LE Connection Complete or one of its enhanced forms, with success.
  fileprivate var announcesConnection: Bool {
    kind == .event && octets.count > 3 && octets[0] == 0x3E && [0x01, 0x0A, 0x29].contains(octets[2]) && octets[3] == 0
  }
}

/// The plug between a stack and its controller. On the loop.
private final class PluggedTransport: HCITransport {
  private let controller: VirtualController
  private weak var receiver: (any HCITransportReceiver)?

  init(_ controller: VirtualController) { self.controller = controller }

  var name: String { controller.name }
  var isSimulated: Bool { true }

  func open(receiver: any HCITransportReceiver) throws(TransportError) {
    self.receiver = receiver
    try controller.open(receiver: self)
  }
  func send(_ packet: HCIPacket) { controller.send(packet) }
  func close() {
    receiver = nil
    controller.close()
  }

  func unplug() {
    controller.close()
    let told = receiver
    receiver = nil
    told?.transport(self, didFail: TransportError(.closed, "The controller \(name) was removed."))
  }
}

extension PluggedTransport: HCITransportReceiver {
  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    receiver?.transport(self, didReceive: packet)
  }
  func transport(_ transport: any HCITransport, didFail error: TransportError) {
    receiver?.transport(self, didFail: error)
  }
}
