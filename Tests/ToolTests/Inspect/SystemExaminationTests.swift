import Foundation
import Testing

@testable import ble

/// The results of `doctor` and `adapters` for the Bluetooth of the machine itself.
@Suite("Examining the system's own Bluetooth")
final class SystemExaminationTests {
  private let folder: MachineFolder
  private var machine: Machine {
    get { folder.machine }
    set { folder.machine = newValue }
  }

  /// A laptop with one adapter, whose daemon runs.
  init() throws {
    folder = try MachineFolder()
    try folder.make("/sys/module/bluetooth")
    try folder.make("/sys/module/btusb")
    try folder.make("/sys/class/bluetooth/hci0/device")
    try folder.link("/sys/class/bluetooth/hci0/device/driver", to: "../../drivers/btusb")
    try folder.link("/sys/class/bluetooth/hci0/device/subsystem", to: "../../bus/usb")
    try folder.write("", to: "/usr/libexec/bluetooth/bluetoothd")
    try folder.write("bluetoothd\n", to: "/proc/512/comm")
    try folder.write("/usr/libexec/bluetooth/bluetoothd\0--noplugin=sap,battery\0", to: "/proc/512/cmdline")
    try folder.socket("/run/dbus/system_bus_socket")
    try folder.write(
      "<busconfig><policy context=\"default\"><allow send_destination=\"org.bluez\"/></policy></busconfig>",
      to: "/usr/share/dbus-1/system.d/bluetooth.conf")
    try folder.write(
      "Package: bluetooth\nVersion: 1\n\nPackage: bluez\nStatus: install ok installed\nVersion: 5.82-1.1\n\nPackage: zip\n",
      to: "/var/lib/dpkg/status")
    machine.kernelLog = { "6,1,2,-;Bluetooth: hci0: fine\n" }
    adapter(isPowered: true)
    try allow(effective: 0)
  }

  private func adapter(isPowered: Bool, lowEnergy: Bool = true) {
    machine.managedAdapters = {
      [
        SystemAdapter.Information(
          index: 0, address: "00:1A:7D:DA:71:13", version: 10, isPowered: isPowered, supportsLowEnergy: lowEnergy)
      ]
    }
  }

  private func allow(effective: UInt64, bounding: UInt64 = ~0, noNewPrivileges: Bool = false) throws {
    let hexadecimal = { (bits: UInt64) in String(bits, radix: 16) }
    try folder.write(
      "CapEff:\t\(hexadecimal(effective))\nCapBnd:\t\(hexadecimal(bounding))\nNoNewPrivs:\t\(noNewPrivileges ? 1 : 0)\n",
      to: "/proc/self/status")
  }

  private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: folder.root + path) }

  private func findings(_ check: String) -> [Finding] { Examination(of: machine).findings.filter { $0.check == check } }
  private func texts(_ check: String) -> [String] { findings(check).map(\.text) }
  private func remedies(_ check: String) -> [String] { findings(check).compactMap(\.remedy) }

  @Test("I12.4 a machine without problems is described, without anything being changed")
  func laptop() throws {
    let before = folder.snapshot()
    let examination = Examination(of: machine)
    #expect(!examination.hasProblems, "\(examination.findings)")
    #expect(texts("kernel") == ["The kernel's Bluetooth is loaded, with btusb."])
    #expect(texts("firmware") == ["No firmware is missing."])
    #expect(
      texts("system") == [
        "hci0 (00:1A:7D:DA:71:13, btusb on usb, Bluetooth 5.1, on) is used by BlueZ's daemon (bluetoothd, process 512)."
      ])
    #expect(texts("bluez") == ["BlueZ 5.82-1.1 runs (bluetoothd, process 512), without experimental interfaces."])
    #expect(texts("dbus") == ["The system message bus is at /run/dbus/system_bus_socket.", "You may use BlueZ."])
    #expect(remedies("capabilities") == ["sudo setcap cap_net_admin+ep ble"])
    #expect(findings("container").isEmpty && findings("rfkill").isEmpty)
    #expect(folder.snapshot() == before)
  }

  @Test("I12.4 kernel: modules not loaded, none at all, adapters without a driver, missing firmware")
  func kernel() throws {
    try folder.write("1\n", to: "/sys/bus/usb/devices/1-2:1.0/bInterfaceSubClass")
    for (name, code) in [("Class", "e0"), ("SubClass", "01"), ("Protocol", "01")] {
      try folder.write("\(code)\n", to: "/sys/bus/usb/devices/1-2:1.0/bInterface\(name)")
    }
    #expect(texts("kernel").last == "The Bluetooth adapter at USB 1-2:1.0 has no driver.")
    machine.kernelLog = {
      """
      4,7,1,-;bluetooth hci0: Direct firmware load for rtl_bt/rtl8761bu_fw.bin failed with error -2
      4,8,1,-;bluetooth hci0: Direct firmware load for rtl_bt/rtl8761bu_fw.bin failed with error -2
      4,9,1,-;usb 1-1: Product: \u{1B}[2J brcm/BCM\u{202E} not found
      4,9,1,-;Bluetooth: hci0: BCM: firmware Patch file not found, tried:
      """
    }
    #expect(texts("firmware").first == "The kernel did not find the firmware rtl_bt/rtl8761bu_fw.bin.")
    #expect(remedies("firmware").first == "sudo apt-get install firmware-realtek, then plug the adapter in again")
    #expect(texts("firmware").allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    machine.kernelLog = { nil }
    #expect(texts("firmware").first?.contains("is not known") == true)
    try remove("/sys/module")
    #expect(texts("kernel").first?.hasPrefix("This kernel has no Bluetooth") == true && findings("firmware").isEmpty)
    try folder.write("6.1.0\n", to: "/proc/sys/kernel/osrelease")
    try folder.write(
      "kernel/net/bluetooth/bluetooth.ko: kernel/net/rfkill/rfkill.ko\n", to: "/lib/modules/6.1.0/modules.dep")
    #expect(remedies("kernel").first == "sudo modprobe bluetooth")
  }

  @Test("I12.4 switches: which one is off, and how to turn it on")
  func switches() throws {
    for (name, value) in [("type", "bluetooth"), ("name", "hci0"), ("soft", "1"), ("hard", "0")] {
      try folder.write("\(value)\n", to: "/sys/class/rfkill/rfkill3/\(name)")
    }
    #expect(remedies("rfkill") == ["rfkill unblock bluetooth"])
    #expect(texts("system").first?.contains("blocked by a switch") == true)
    try folder.write("1\n", to: "/sys/class/rfkill/rfkill3/hard")
    #expect(remedies("rfkill") == ["Find the switch."])
    machine.environment["BLE_ADAPTER"] = "hci:0"
    try allow(effective: 1 << 12)
    #expect(findings("adapter").first?.verdict == .problem)
  }

  @Test(
    "I12.4 the daemon: missing, not running, experimental, LE switched off, a battery plug-in that makes phones prompt")
  func daemon() throws {
    for (arguments, reads) in [
      ("", true), ("-P\0battery\0", false), ("-Pinput,bat*\0", false), ("--noplugin\0sap\0", true),
      ("--plugin=gap\0", false), ("-p\0battery\0", true),
    ] {
      try folder.write("bluetoothd\0\(arguments)", to: "/proc/512/cmdline")
      #expect(texts("bluez").contains { $0.contains("battery") } == reads, "\(arguments)")
    }
    try folder.write("bluetoothd\0-E\0", to: "/proc/512/cmdline")
    #expect(texts("bluez").first?.hasSuffix("with experimental interfaces.") == true)
    try folder.write(
      "# ControllerMode = le\n[General]\n ControllerMode = bredr\nExperimental=true\n", to: "/etc/bluetooth/main.conf")
    try folder.write("bluetoothd\0", to: "/proc/512/cmdline")
    #expect(texts("bluez").first?.hasSuffix("with experimental interfaces.") == true)
    #expect(texts("bluez").contains { $0.contains("ControllerMode = bredr") })
    // Any program may have that name.
    machine.administrator = machine.user + 1
    #expect(remedies("bluez") == ["sudo systemctl start bluetooth"])
    machine.administrator = machine.user
    try remove("/proc/512")
    machine.environment["BLE_ADAPTER"] = "bluez"
    #expect(remedies("adapter") == ["sudo systemctl start bluetooth"])
    try remove("/usr/libexec/bluetooth")
    #expect(remedies("bluez") == ["sudo apt-get install bluez"])
  }

  @Test("I12.4 the bus: where it is, and which users may call the daemon")
  func bus() throws {
    machine.administrator = machine.user + 1
    machine.accountName = "ada"
    let policy = { (text: String) in
      try self.folder.write("<busconfig>\(text)</busconfig>", to: "/usr/share/dbus-1/system.d/bluetooth.conf")
    }
    let group = "<policy group=\"bluetooth\"><allow send_destination=\"org.bluez\"/></policy>"
    let denial = "<policy context='default'>\n<deny send_destination=\"org.bluez\" />\n</policy>"
    try policy(group + denial)
    try folder.write("root:x:0:\nbluetooth:x:112:bob,ada\n", to: "/etc/group")
    #expect(remedies("dbus") == ["Log out and in again, or: newgrp bluetooth"])
    machine.groups = [112]
    #expect(texts("dbus").last == "You may use BlueZ, being in the group bluetooth.")
    machine.groups = []
    machine.accountName = "eve"
    #expect(remedies("dbus") == ["sudo usermod -aG bluetooth eve, then log in again"])
    try policy("<!-- <policy context=\"default\"><allow send_destination=\"org.bluez\"/></policy> -->")
    #expect(texts("dbus").last == "Only the administrator may use BlueZ.")
    machine.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "tcp:host=x;unix:path=/run/other%20bus,guid=1"
    #expect(texts("dbus") == ["There is no system message bus at /run/other bus, which BlueZ needs."])
    machine.environment["BLE_ADAPTER"] = "bluez:hci0"
    #expect(findings("adapter").first?.verdict == .problem)
  }

  @Test("I12.4 capabilities: of the file, of the process, and why one does not become the other")
  func capabilities() throws {
    try allow(effective: 1 << 12)
    #expect(findings("capabilities").map(\.verdict) == [.good])
    machine.fileCapabilities = { [1, 0, 0, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }
    try allow(effective: 0, noNewPrivileges: true)
    #expect(texts("capabilities").first?.contains("NoNewPrivileges") == true)
    try allow(effective: 0, bounding: 0)
    #expect(texts("capabilities").first?.contains("may not pass it on") == true)
    try allow(effective: 0)
    #expect(texts("capabilities").first?.contains("mounted without") == true)
    machine.fileCapabilities = { [1, 0] }
    machine.programPath = "/opt/bin/ble"
    #expect(remedies("capabilities") == ["sudo setcap cap_net_admin+ep /opt/bin/ble"])
    machine.environment["BLE_ADAPTER"] = "hci"
    #expect(remedies("adapter") == ["sudo setcap cap_net_admin+ep /opt/bin/ble"])
    machine.environment["BLE_ADAPTER"] = "hci:7"
    #expect(texts("adapter") == ["hci:7: there is no such adapter among hci0."])
  }

  @Test("I12.4 a container: which mounts, which network and which capabilities are missing")
  func container() throws {
    try folder.write("", to: "/.dockerenv")
    #expect(texts("container") == ["This is a container (docker) with the machine's Bluetooth."])
    try remove("/run/dbus/system_bus_socket")
    machine.managedAdapters = { nil }
    try allow(effective: 0, bounding: 0)
    #expect(
      remedies("container").first?.hasPrefix(
        "Start it with -v /run/dbus:/run/dbus --net=host --cap-add=NET_ADMIN --cap-add=NET_RAW:")
        == true)
    try folder.write("podman\n", to: "/run/systemd/container")
    #expect(texts("container").first?.contains("(podman)") == true)
  }

  @Test("I12.3 adapters are listed by both their names, with address, driver, bus, holder and features")
  func list() throws {
    let list = AdapterList(on: machine)
    #expect(list.adapters.map(\.name) == ["radio:default", "bluez:hci0", "hci:0"])
    #expect(list.adapters.map(\.isUsable) == [true, true, false])
    #expect(
      list.json.text.hasSuffix(
        #"{"name":"hci:0","kind":"system","state":"00:1A:7D:DA:71:13, btusb on usb, Bluetooth 5.1, on; taken for this program "#
          + #"alone, from BlueZ's daemon (bluetoothd, process 512): needs CAP_NET_ADMIN","usable":false,"#
          + #""address":"00:1A:7D:DA:71:13","driver":"btusb","bus":"usb","holder":"BlueZ's daemon (bluetoothd, process 512)","#
          + #""powered":true,"version":"5.1","low_energy":true,"kernel_counters":null}]}"#), "\(list.json.text)")
    machine.managedAdapters = { [] }
    machine.channelHolder = { " (probably btmon, process 7)" }
    #expect(AdapterList(on: machine).adapters.dropFirst().allSatisfy { !$0.isUsable && $0.state.contains("btmon") })
    try remove("/proc/512")
    try allow(effective: 1 << 12)
    adapter(isPowered: false)
    #expect(AdapterList(on: machine).adapters.map(\.isUsable) == [true, false, true])
    adapter(isPowered: false, lowEnergy: false)
    #expect(AdapterList(on: machine).adapters.map(\.isUsable) == [true, false, false])
  }

  @Test("I12.4 files with arbitrary contents do no harm")
  func hostileFiles() throws {
    var generator = SystemRandomNumberGenerator()
    let paths = [
      "/proc/512/cmdline", "/proc/512/comm", "/proc/self/status", "/proc/modules", "/etc/bluetooth/main.conf",
      "/etc/group",
      "/usr/share/dbus-1/system.d/bluetooth.conf", "/var/lib/dpkg/status", "/sys/class/rfkill/rfkill0/type",
      "/run/systemd/container",
      "/proc/1/environ", "/proc/sys/kernel/osrelease",
    ]
    let pieces = [
      "<", "<policy", " group=\"", "<!--", "-->", "=", "\"", "\0", "\u{1B}]0;x\u{7}", "Package: bluez\n", "[", "]", ":",
      "\n", "bluetoothd",
      "CapEff:\t", "ffffffffffffffffff", "../../../../", "\u{202E}", "bluetooth\n",
    ]
    for _ in 0..<20 {
      for path in paths {
        try folder.write((0..<30).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(), to: path)
      }
      let log =
        (0..<60).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined() + " not found rtl_bt/\u{1B}x"
      machine.kernelLog = { log }
      machine.fileCapabilities = { Array(log.utf8.prefix(11)) }
      for finding in Examination(of: machine).findings {
        // Escaped text contains backslashes.
        let text = finding.text + (finding.remedy ?? "")
        #expect(text.unicodeScalars.allSatisfy { $0 == "\\" || !String.mayAct($0) }, "\(finding)")
      }
      _ = AdapterList(on: machine)
    }
  }
}
