import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A device's radio across all its controllers: position, faults and power remain when a controller is replaced. On the loop.
final class DeviceRadio: HCITap {
  private let name: String
  private let address: DeviceAddress
  let air: Air
  weak var tap: (any HCITap)?
  /// Judges what its host receives.
  var observer: DeviceProgramObserver?
  private(set) var controller: VirtualController?
  /// The latest controller, also after its end.
  private var last: VirtualController?

  /// In a world of an exploration: the procedures of its host.
  var procedures: ProcedureWatch?
  var configuration = ControllerConfiguration()
  var isPlugged = true
  private var sharesTime = false
  var losesPowerWhenConnected = false
  var isAway = false { didSet { moved() } }
  var position: Position { didSet { moved() } }
  /// Whether a program has said where it is.
  var isPlaced: Bool
  /// What the body of its user takes of its signal, in dB.
  var bodyLoss = 0.0 { didSet { if oldValue != bodyLoss { controller?.setAntennaOffset(-bodyLoss) } } }
  private(set) lazy var motion = DeviceMotion(self, seed: air.seed ^ address.value)
  var tracePlayers: [DeviceAddress: TracePlayer] = [:]
  /// How far an event of an exploration has moved it from its position, in metres.
  var detour = 0.0 { didSet { moved() } }
  var isSilent = false {
    didSet { isSilent || silences > 0 ? controller?.silence() : controller?.comeBack() }
  }
  var transmitPower: Int8? { didSet { transmitPower.map { controller?.setTransmitPower($0) } } }

  /// How many faults keep it silent.
  private var silences = 0

  /// A fault silences it for this long, with or without power.
  func silence(for time: StackDuration) {
    silences += 1
    controller?.silence()
    air.loop.schedule(after: time, .background) { [weak self] in
      guard let self else { return }
      silences -= 1
      if silences == 0, !isSilent { controller?.comeBack() }
    }
  }

  /// Why other devices do not receive it, as text.
  var placeInWords: String? {
    if !isPlugged { return "its controller is removed" }
    if isSilent { return "without power" }
    if silences > 0 { return "silent" }
    return isAway ? "away" : nil
  }

  /// No packet is received over this distance, in metres.
  private static let outOfReach = 1e9

  init(name: String, address: DeviceAddress, position: Position?, air: Air) {
    self.name = name
    self.address = address
    self.position = position ?? .origin
    isPlaced = position != nil
    self.air = air
    configuration.name = name
  }

  /// A new controller, at the position of the old one.
  func makeTransport() throws(TransportError) -> any HCITransport {
    guard isPlugged else {
      throw TransportError(.unreachable, "The controller of \(name) was removed; insertController() puts it back.")
    }
    let fresh = air.makeController(address: address, position: place, configuration: configuration)
    // The radio is the device's: what the controller before it has on the air is on the air still.
    if sharesTime || configuration.sharesRadioTime { fresh.shareRadioTime(with: last) }
    controller = fresh
    last = fresh
    if bodyLoss != 0 { fresh.setAntennaOffset(-bodyLoss) }
    transmitPower.map { fresh.setTransmitPower($0) }
    if isSilent || silences > 0 { fresh.silence() }
    return fresh
  }

  /// All activities share the time of the radio, of this controller and of those that follow.
  func shareTime() {
    sharesTime = true
    controller?.shareRadioTime()
  }

  var loop: any StackLoop { air.loop }

  /// A program moves it, which ends its walk.
  func move(to position: Position) {
    motion.stop()
    place(at: position)
  }

  func place(at position: Position) {
    isPlaced = true
    self.position = position
  }

  func unplug() {
    isPlugged = false
    controller?.unplug()
    controller = nil
  }

  /// The process that used the controller was terminated; its controller ends with it.
  func processDied() {
    controller?.close()
    controller = nil
  }

  private var place: Position {
    if isAway { return Position(x: position.x + Self.outOfReach) }
    return detour == 0 ? position : Position(x: position.x + detour, y: position.y, z: position.z)
  }

  private func moved() { controller?.move(to: place) }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    tap?.tapDidHear(packet, direction, at: instant)
    if direction == .toHost { observer?.judge?.receive(packet, at: instant) }
    procedures?.hear(packet, direction)
    if losesPowerWhenConnected, direction == .toHost, packet.announcesConnection {
      losesPowerWhenConnected = false
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
