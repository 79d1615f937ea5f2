import BLEAdapter
import BLEDefaultStack
import Foundation

extension Examination {
  mutating func checkProgram() {
    let version = (machine.text(of: "/proc/sys/kernel/osrelease") ?? "?").split(separator: "\n").first ?? "?"
    good("program", "ble \(Tool.version) on Linux \(version).")
  }

  /// The adapter that programs use.
  mutating func checkAdapter() {
    let choice = AdapterChoice(in: machine.surroundings)
    if case .configuration(let path) = choice.source {
      if let entry = machine.entry(path), entry.owner != machine.user, entry.owner != 0 {
        note("configuration", "\(path) belongs to another user.", "chown \(Machine.userName) \(path)")
      }
    }
    switch choice.name {
    case .failure(let mistake):
      problem(
        "adapter", "\(mistake).",
        "Name one that 'ble adapters' lists, or leave it out for the embedded radio.")
    case .success(let name): check(name, choice)
    }
  }

  private mutating func check(_ name: AdapterName, _ choice: AdapterChoice) {
    switch name {
    case .radio: good("adapter", "\(name), because \(choice.reason): it needs no hardware.")
    case .serial(let path, _):
      guard let entry = machine.entry(path) else {
        return problem(
          "adapter", "\(name): there is no \(path).", "Plug the controller in, and look with: ble adapters")
      }
      if entry.kind != .device {
        problem("adapter", "\(name): \(path) is not a device.", "Look with: ble adapters")
      } else if !machine.isReadableAndWritable(path) {
        problem("adapter", "\(name): you may not use \(path).", joining(entry.group))
      } else {
        good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
      }
    case .unixClient(let path):
      guard let entry = machine.entry(path), entry.kind == .socket else {
        return problem("adapter", "\(name): there is no socket \(path).", "Start the controller that listens there.")
      }
      if machine.isReadableAndWritable(path) {
        good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
      } else {
        problem("adapter", "\(name): you may not use \(path).", "chmod u+rw \(path)")
      }
    case .hci(let which): checkTaken(name, which, choice)
    case .bluez: checkShared(name, choice)
    case .tcpClient, .tcpServer, .unixServer:
      good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
    }
  }

  /// An adapter that is used exclusively.
  private mutating func checkTaken(_ name: AdapterName, _ which: String?, _ choice: AdapterChoice) {
    let adapter = system.adapters.first { adapter in
      guard let which else { return adapter.information?.supportsLowEnergy ?? true }
      return which == "\(adapter.index)" || which == adapter.information?.address
    }
    guard let adapter else {
      let there = system.adapters.map(\.name).joined(separator: ", ")
      return problem(
        "adapter", "\(name): there is no such adapter\(there.isEmpty ? "" : " among \(there)").",
        "Plug it in, and look with: ble adapters")
    }
    if case .program(let who) = adapter.holder {
      problem("adapter", "\(name): another program has \(adapter.name)\(who).", "Stop that program.")
    } else if adapter.isBlocked {
      problem("adapter", "\(name): \(adapter.name) is off by a switch (rfkill).", "rfkill unblock bluetooth")
    } else if !system.mayTakeAdapters {
      problem(
        "adapter", "\(name): this program does not have CAP_NET_ADMIN, which taking an adapter needs.",
        "sudo setcap cap_net_admin+ep \(machine.programPath)")
    } else {
      good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
    }
  }

  /// An adapter that is shared through BlueZ's daemon.
  private mutating func checkShared(_ name: AdapterName, _ choice: AdapterChoice) {
    if system.bus.access == .missing || system.bus.access == .notPermitted {
      problem(
        "adapter", "\(name): the system message bus cannot be used (\(system.bus.path ?? "?")).",
        system.container == nil ? "sudo systemctl start dbus" : "Start the container with -v /run/dbus:/run/dbus")
    } else if system.container == nil, system.daemon.process == nil {
      problem("adapter", "\(name): BlueZ's daemon is not running.", "sudo systemctl start bluetooth")
    } else {
      good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
    }
  }

  /// How to join a group.
  func joining(_ group: gid_t) -> String {
    "sudo usermod -aG \(Machine.groupName(group)) \(machine.accountName), then log in again"
  }

  /// Serial devices that could be controllers.
  mutating func checkDevices() {
    for device in machine.names(in: "/dev") where device.hasPrefix("ttyACM") || device.hasPrefix("ttyUSB") {
      guard let entry = machine.entry("/dev/\(device)"), entry.kind == .device else { continue }
      if machine.isReadableAndWritable("/dev/\(device)") {
        good("serial", "/dev/\(device) can be used: --adapter serial:/dev/\(device)")
      } else {
        note("serial", "You may not use /dev/\(device).", joining(entry.group))
      }
    }
  }
}
