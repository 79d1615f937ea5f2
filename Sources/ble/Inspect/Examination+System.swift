import BLEDefaultStack
import BLETransports
import Foundation

extension Examination {
  /// The kernel, its drivers, and the firmware that they load.
  mutating func checkKernel() {
    let kernel = system.kernel
    switch kernel.support {
    case .present:
      let drivers = kernel.drivers.isEmpty ? "" : ", with \(kernel.drivers.joined(separator: ", "))"
      good("kernel", "The kernel's Bluetooth is loaded\(drivers).")
    case .loadable: note("kernel", "The kernel's Bluetooth is not loaded.", "sudo modprobe bluetooth")
    case .missing:
      note(
        "kernel", "This kernel has no Bluetooth of its own: the embedded radio and controllers behind H4 need none.")
    }
    for place in kernel.unclaimed {
      note("kernel", "The Bluetooth adapter at USB \(place) has no driver.", "sudo modprobe btusb")
    }
    // Without Bluetooth support no driver requests firmware.
    guard kernel.support == .present else { return }
    guard let log = machine.kernelLog() else {
      return note(
        "firmware", "Whether firmware is missing is not known: this user may not read the kernel's messages.",
        "sudo dmesg | grep -i firmware")
    }
    let missing = FirmwareTrouble(log: log).missing
    if missing.isEmpty { good("firmware", "No firmware is missing.") }
    for file in missing {
      note(
        "firmware", "The kernel did not find the firmware \(file).",
        FirmwareTrouble.package(of: file).map { "sudo apt-get install \($0), then plug the adapter in again" })
    }
  }

  /// The kernel's adapters, and what uses them.
  mutating func checkAdapters() {
    for adapter in system.adapters {
      let title = adapter.title.isEmpty ? adapter.name : "\(adapter.name) (\(adapter.title))"
      if adapter.information?.supportsLowEnergy == false {
        note("system", "\(title) does not support Bluetooth LE.")
      } else if let holder = adapter.holderTitle {
        note("system", "\(title) is used by \(holder).", remedy(for: adapter))
      } else {
        good("system", "\(title) is free.")
      }
    }
  }

  private func remedy(for adapter: SystemAdapter) -> String? {
    switch adapter.holder {
    case .daemon:
      "Share it: --adapter bluez:\(adapter.name); or take it for one program: --adapter hci:\(adapter.index)"
    case .program: "Stop that program."
    case .kernel, .none: nil
    }
  }

  /// Switches that turn Bluetooth off.
  mutating func checkSwitches() {
    for item in RadioSwitch.all(in: machine.system) {
      if item.isHardBlocked {
        note("rfkill", "A switch on the machine turns its Bluetooth off (\(item.name)).", "Find the switch.")
      } else if item.isSoftBlocked {
        note("rfkill", "The machine's Bluetooth is turned off (\(item.name)).", "rfkill unblock bluetooth")
      }
    }
  }

  /// The capability that the HCI user channel needs: of the program's file and of this process.
  mutating func checkCapabilities() {
    guard !system.adapters.isEmpty, let capabilities = system.capabilities else { return }
    let file = machine.fileCapabilities().flatMap(FileCapabilities.init)
    let isGiven = file?.gives(.networkAdministration) ?? false
    if capabilities.has(.networkAdministration) {
      return good("capabilities", "This program has CAP_NET_ADMIN, which taking an adapter needs (--adapter hci).")
    }
    let text = "This program does not have CAP_NET_ADMIN, which taking an adapter needs (--adapter hci)"
    if !isGiven {
      note("capabilities", text + ".", "sudo setcap cap_net_admin+ep \(machine.programPath)")
    } else if capabilities.takesNoNewPrivileges {
      note("capabilities", text + ": its file gives it, but this process takes no new privileges (NoNewPrivileges).")
    } else if !capabilities.couldHave(.networkAdministration) {
      note("capabilities", text + ": its file gives it, but the process that started it may not pass it on.")
    } else {
      note(
        "capabilities",
        text + ": its file gives it, but it is not effective, or its file system is mounted without capabilities.",
        "sudo setcap cap_net_admin+ep \(machine.programPath), on a file system without nosuid")
    }
  }

  /// What the container withholds from its programs.
  mutating func checkContainer() {
    guard let container = system.container else { return }
    var missing: [String] = []
    if system.bus.access == .missing {
      let folder = ((system.bus.path ?? SystemBus.standardPath) as NSString).deletingLastPathComponent
      missing.append("-v \(folder):\(folder)")
    }
    if machine.managedAdapters() == nil { missing.append("--net=host") }
    for capability in ProcessCapabilities.Capability.allCases
    where !(system.capabilities?.couldHave(capability) ?? true) {
      missing.append("--cap-add=\(capability.name.dropFirst(4))")
    }
    if missing.isEmpty {
      return good("container", "This is a container (\(container.kind)) with the machine's Bluetooth.")
    }
    note(
      "container", "This is a container (\(container.kind)): the machine's own Bluetooth is not all here.",
      "Start it with \(missing.joined(separator: " ")): the bus is for --adapter bluez, the rest for --adapter hci")
  }
}
