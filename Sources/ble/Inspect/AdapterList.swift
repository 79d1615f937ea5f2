import BLEAdapter
import BLEDefaultStack
import Foundation

/// The adapters of this machine, found without opening or connecting to anything.
struct AdapterList: Equatable, Sendable {
  struct Adapter: Equatable, Sendable {
    enum Kind: String, Sendable {
      case radio, serial
      /// An adapter of the kernel, used by the HCI user channel.
      case system
      /// The same, used by BlueZ's daemon.
      case bluez
    }

    /// The value for `--adapter`.
    let name: String
    let kind: Kind
    /// What is known about it, as a sentence.
    let state: String
    /// Whether it can be used at present.
    let isUsable: Bool
    /// What the kernel knows about it, for an adapter of the kernel.
    var system: SystemAdapter?
  }

  let choice: AdapterChoice
  private(set) var adapters: [Adapter] = []

  init(on machine: Machine) {
    choice = AdapterChoice(in: machine.surroundings)
    addAirs(machine)
    addSerialDevices(machine)
    addSystemAdapters(SystemBluetooth(on: machine))
  }

  /// The airs with running programs or stored devices.
  private mutating func addAirs(_ machine: Machine) {
    let alive = Self.listeningSockets(machine)
    let runtime = machine.runtimeFolder + "/air"
    let kept = machine.stateFolder + "/devices"
    let airs = Set(machine.names(in: runtime) + machine.names(in: kept) + [AdapterName.defaultAir])
    for air in airs.sorted() where AdapterName.isPlainName(air) {
      let programs = machine.names(in: "\(runtime)/\(air)").filter { name in
        // The kernel lists a socket under the path at which it was bound, before it was renamed.
        ["", ".new"].contains { alive.contains("\(runtime)/\(air)/\(name)\($0)") }
      }.count
      let devices = machine.names(in: "\(kept)/\(air)").filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
      var state =
        programs == 0 ? "no program is on it" : programs == 1 ? "1 program is on it" : "\(programs) programs are on it"
      if !devices.isEmpty {
        state += "; devices kept: " + devices.prefix(6).map(\.inert).joined(separator: ", ")
        if devices.count > 6 { state += " and \(devices.count - 6) more" }
      }
      adapters.append(Adapter(name: "radio:\(air)", kind: .radio, state: state, isUsable: true))
    }
  }

  /// The paths of sockets that are bound by a living process.
  private static func listeningSockets(_ machine: Machine) -> Set<String> {
    // With a larger limit than for other files: there is one line for each socket of the machine.
    let lines = (machine.text(of: "/proc/net/unix", upTo: 16 << 20) ?? "").split(separator: "\n")
    return Set(lines.compactMap { $0.split(separator: " ", maxSplits: 7).dropFirst(7).first.map(String.init) })
  }

  private static let serialNames = ["ttyACM", "ttyUSB", "ttyAMA", "serial"]

  private mutating func addSerialDevices(_ machine: Machine) {
    for device in machine.names(in: "/dev") {
      guard Self.serialNames.contains(where: device.hasPrefix),
        let entry = machine.entry("/dev/\(device)"), entry.kind == .device
      else { continue }
      let mayUse = machine.isReadableAndWritable("/dev/\(device)")
      let state =
        mayUse
        ? "a serial line; whether a Bluetooth controller is behind it only using it shows"
        : "a serial line that belongs to the group \(Machine.groupName(entry.group)), which you are not in"
      adapters.append(Adapter(name: "serial:/dev/\(device)", kind: .serial, state: state, isUsable: mayUse))
    }
  }

  /// Each of them has two names: shared with the system, or taken exclusively.
  private mutating func addSystemAdapters(_ system: SystemBluetooth) {
    for adapter in system.adapters {
      let title = adapter.title.isEmpty ? "" : "\(adapter.title); "
      let isBlocked = adapter.isBlocked || adapter.information?.supportsLowEnergy == false
      if system.daemon.isInstalled || system.container != nil && system.bus.access == .open {
        let (state, isUsable) = Self.shared(adapter, system)
        adapters.append(
          Adapter(
            name: "bluez:\(adapter.name)", kind: .bluez, state: title + state, isUsable: isUsable && !isBlocked,
            system: adapter))
      }
      let (state, isUsable) = Self.taken(adapter, system)
      adapters.append(
        Adapter(
          name: "hci:\(adapter.index)", kind: .system, state: title + state, isUsable: isUsable && !isBlocked,
          system: adapter))
    }
  }

  private static func shared(_ adapter: SystemAdapter, _ system: SystemBluetooth) -> (state: String, isUsable: Bool) {
    if case .program(let who) = adapter.holder { return ("another program has it\(who)", false) }
    if system.daemon.process == nil, system.container == nil { return ("BlueZ's daemon is not running", false) }
    guard system.bus.access == .open else { return ("the system message bus cannot be used", false) }
    let isOn = adapter.information?.isPowered ?? true
    return (isOn ? "shared with the system by BlueZ's daemon" : "BlueZ's daemon has it switched off", isOn)
  }

  private static func taken(_ adapter: SystemAdapter, _ system: SystemBluetooth) -> (state: String, isUsable: Bool) {
    if case .program(let who) = adapter.holder { return ("another program has it\(who)", false) }
    let holder = adapter.holderTitle.map { ", from \($0)" } ?? ""
    guard system.mayTakeAdapters else { return ("taken for this program alone\(holder): needs CAP_NET_ADMIN", false) }
    return ("taken for this program alone\(holder)", true)
  }

  /// Adapter names that cannot be discovered.
  static let otherNames = [
    ("radio:<air>/<device>", "a device of its own on an air, which keeps its address"),
    ("tcp-client:<host>:<port>", "a controller, or 'ble controller', behind TCP"),
    ("tcp-server:<host>:<port>", "the same, where the controller connects"),
    ("unix-client:<path>", "a controller behind a Unix socket"),
    ("unix-server:<path>", "the same, where the controller connects"),
    ("serial:<device>[,<speed>]", "a controller on a serial line"),
    ("bluez, bluez:<address>", "an adapter of this machine, shared with the system by BlueZ's daemon"),
    ("hci, hci:<address>", "an adapter of this machine, for this program alone (HCI user channel)"),
  ]
}
