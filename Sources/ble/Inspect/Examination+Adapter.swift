import BLEAdapter
import Foundation

extension Examination {
  mutating func checkProgram() {
    let version = (machine.text(of: "/proc/sys/kernel/osrelease") ?? "?").split(separator: "\n").first ?? "?"
    good("program", "ble \(Tool.version) on Linux \(version).")
  }

  /// The adapter that programs get.
  mutating func checkAdapter() {
    let choice = AdapterChoice(on: machine)
    if case .configuration(let path) = choice.source, machine.variable("BLE_ADAPTER") == nil {
      if let entry = machine.entry(path), entry.owner != machine.user, entry.owner != 0 {
        note("configuration", "\(path) belongs to somebody else.", "chown \(Machine.userName) \(path)")
      }
    }
    switch choice.name {
    case .failure(let mistake):
      problem(
        "adapter", "\(choice.source.description): \(mistake.reason).",
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
        problem("adapter", "\(name): \(path) is no device.", "Look with: ble adapters")
      } else if !machine.isReadableAndWritable(path) {
        problem("adapter", "\(name): you may not use \(path).", Self.joining(entry.group))
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
    case .tcpClient, .tcpServer, .unixServer, .hci, .bluez:
      good("adapter", "\(name), because \(choice.reason); whether it answers 'ble scan' shows.")
    }
  }

  /// How to get into a group.
  static func joining(_ group: gid_t) -> String {
    "sudo usermod -aG \(Machine.groupName(group)) \(Machine.userName), then log in anew"
  }

  /// What else Bluetooth could go through on this machine.
  mutating func checkDevices() {
    for device in machine.names(in: "/dev") where device.hasPrefix("ttyACM") || device.hasPrefix("ttyUSB") {
      guard let entry = machine.entry("/dev/\(device)"), entry.kind == .device else { continue }
      if machine.isReadableAndWritable("/dev/\(device)") {
        good("serial", "/dev/\(device) can be used: --adapter serial:/dev/\(device)")
      } else {
        note("serial", "You may not use /dev/\(device).", Self.joining(entry.group))
      }
    }
    let adapters = machine.names(in: "/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
    for adapter in adapters {
      note(
        "system",
        "\(adapter) belongs to the system's Bluetooth; --adapter hci takes it for one program, which needs CAP_NET_ADMIN.",
        "sudo setcap cap_net_admin+ep <the program>")
    }
    for name in machine.names(in: "/sys/class/rfkill") {
      let folder = "/sys/class/rfkill/\(name)"
      guard machine.text(of: folder + "/type")?.hasPrefix("bluetooth") == true else { continue }
      if machine.text(of: folder + "/hard")?.hasPrefix("1") == true {
        note("rfkill", "A switch on the machine turns its Bluetooth off.", "Find the switch.")
      } else if machine.text(of: folder + "/soft")?.hasPrefix("1") == true {
        note("rfkill", "The machine's Bluetooth is turned off.", "rfkill unblock bluetooth")
      }
    }
    checkCapabilities(hasSystemAdapter: !adapters.isEmpty)
  }

  /// Bit 12 (capabilities(7)): what the system's own adapters need.
  private mutating func checkCapabilities(hasSystemAdapter: Bool) {
    guard hasSystemAdapter, let status = machine.text(of: "/proc/self/status"),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
      let bits = UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16)
    else { return }
    let isThere = bits >> 12 & 1 == 1
    note(
      "capabilities",
      "This program has \(isThere ? "" : "not ")CAP_NET_ADMIN, which the system's own adapters need (--adapter hci).")
  }
}
