import BLEDefaultStack
import Foundation

extension Examination {
  /// BlueZ's daemon.
  mutating func checkDaemon() {
    let daemon = system.daemon
    guard daemon.isInstalled else {
      if !system.adapters.isEmpty {
        note("bluez", "BlueZ is not installed: adapters can be taken, but not shared.", "sudo apt-get install bluez")
      }
      return
    }
    let title = daemon.version.map { "BlueZ \($0)" } ?? "BlueZ, whose version is not known,"
    guard let process = daemon.process else {
      let fate = system.container == nil ? "is not running" : "is not visible from this container"
      return note(
        "bluez", "\(title) is installed, and its daemon \(fate).",
        system.container == nil ? "sudo systemctl start bluetooth" : nil)
    }
    good(
      "bluez",
      "\(title) runs (bluetoothd, process \(process.number)), \(daemon.hasExperimentalInterfaces ? "with" : "without") experimental interfaces."
    )
    if daemon.isClassicOnly {
      note(
        "bluez", "The daemon has LE switched off: ControllerMode = bredr.",
        "Set ControllerMode = dual in /etc/bluetooth/main.conf, then: sudo systemctl restart bluetooth")
    }
    if daemon.readsBatteries {
      note(
        "bluez",
        "The daemon reads the battery level of each phone that connects: phones ask their users to pair for that.",
        "Where you serve phones: sudo systemctl edit bluetooth, with ExecStart= and ExecStart=<bluetoothd> --noplugin=battery"
      )
    }
  }

  /// The system message bus.
  mutating func checkBus() {
    guard system.isPresent || machine.variable("DBUS_SYSTEM_BUS_ADDRESS") != nil else { return }
    let bus = system.bus
    let path = bus.path ?? "?"
    switch bus.access {
    case .missing:
      note(
        "dbus", "There is no system message bus at \(path), which BlueZ needs.",
        system.container == nil ? "sudo apt-get install dbus" : nil)
    case .notPermitted: note("dbus", "You may not use the system message bus at \(path).", "Look with: ls -l \(path)")
    case .unknown: note("dbus", "DBUS_SYSTEM_BUS_ADDRESS names no socket in the file system.")
    case .open:
      good("dbus", "The system message bus is at \(path).")
      checkPolicy()
    }
  }

  /// Whether the bus policy lets this user send messages to the daemon.
  private mutating func checkPolicy() {
    guard system.daemon.isInstalled else { return }
    guard let policy = BusPolicy(on: machine) else {
      return note("dbus", "It is not known who may use BlueZ: its bus policy cannot be read.")
    }
    if policy.isOpen || machine.user == machine.administrator { return good("dbus", "You may use BlueZ.") }
    let known = policy.groups.compactMap { Group(named: $0, on: machine) }
    if let group = known.first(where: { machine.groups.contains($0.number) }) {
      return good("dbus", "You may use BlueZ, being in the group \(group.name).")
    }
    if let group = known.first(where: { $0.members.contains(machine.accountName) }) {
      return note(
        "dbus", "You are in the group \(group.name), which may use BlueZ, but this session began before that.",
        "Log out and in again, or: newgrp \(group.name)")
    }
    note(
      "dbus",
      policy.groups.isEmpty
        ? "Only the administrator may use BlueZ."
        : "Only the group \(policy.groups.joined(separator: " or ")) may use BlueZ.",
      policy.groups.first.map { "sudo usermod -aG \($0) \(machine.accountName), then log in again" })
  }

  /// One line of `/etc/group`.
  private struct Group {
    let name: String
    let number: gid_t
    let members: [String]

    init?(named name: String, on machine: Machine) {
      for line in (machine.text(of: "/etc/group", upTo: 1 << 20) ?? "").split(separator: "\n") {
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == name, let number = gid_t(parts[2]) else { continue }
        self.name = name
        self.number = number
        members = parts[3].split(separator: ",").map(String.init)
        return
      }
      return nil
    }
  }
}
