import BLEDefaultStack

/// The kernel's Bluetooth support.
struct KernelBluetooth: Equatable, Sendable {
  enum Support: Equatable, Sendable {
    case present
    /// There is a module, which is not loaded.
    case loadable
    case missing
  }

  let support: Support
  /// The loaded transport drivers, such as `btusb`.
  let drivers: [String]
  /// USB Bluetooth adapters without a driver, by their positions on the bus.
  let unclaimed: [String]

  private static let knownDrivers = [
    "btusb", "btsdio", "btmtkuart", "btmtksdio", "btnxpuart", "btintel_pcie", "hci_uart", "hci_vhci", "virtio_bt",
    "bcm203x",
    "ath3k",
  ]

  init(on machine: Machine) {
    let release = machine.system.line(of: "/proc/sys/kernel/osrelease") ?? ""
    let modules = Set(
      (machine.text(of: "/proc/modules", upTo: 1 << 20) ?? "").split(separator: "\n").compactMap {
        $0.split(separator: " ").first.map(String.init)
      })
    if machine.entry("/sys/module/bluetooth") != nil || modules.contains("bluetooth") {
      support = .present
    } else {
      let lists = ["modules.dep", "modules.builtin"].compactMap {
        machine.text(of: "/lib/modules/\(release)/\($0)", upTo: 8 << 20)
      }
      support = lists.contains { $0.contains("/net/bluetooth/bluetooth.ko") } ? .loadable : .missing
    }
    drivers = Self.knownDrivers.filter { modules.contains($0) || machine.entry("/sys/module/\($0)") != nil }
    unclaimed = Self.unclaimed(machine)
  }

  /// Interfaces of class Wireless Controller, RF Controller, Bluetooth (USB's list of class codes: E0, 01, 01) without a driver.
  private static func unclaimed(_ machine: Machine) -> [String] {
    let folder = "/sys/bus/usb/devices"
    return machine.names(in: folder).filter { name in
      let codes = ["bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol"].map {
        machine.system.line(of: "\(folder)/\(name)/\($0)")?.lowercased()
      }
      return codes == ["e0", "01", "01"] && machine.entry("\(folder)/\(name)/driver") == nil
    }
  }
}

/// Firmware files that the kernel could not load for an adapter, according to its messages.
struct FirmwareTrouble: Equatable, Sendable {
  /// The names of missing files: `rtl_bt/rtl8761bu_fw.bin`.
  let missing: [String]

  /// - Parameter log: the kernel's messages, oldest first.
  init(log: String) {
    var names: [String] = []
    for line in log.split(whereSeparator: \.isNewline) {
      guard let name = Self.file(in: line), !names.contains(name), names.count < 16 else { continue }
      names.append(name)
    }
    missing = names
  }

  /// Path prefixes of Bluetooth firmware, with the Debian packages that contain it.
  private static let packages = [
    ("intel/ibt-", "firmware-iwlwifi"), ("rtl_bt/", "firmware-realtek"), ("brcm/BCM", "firmware-brcm80211"),
    ("mediatek/BT", "firmware-mediatek"), ("mediatek/mt", "firmware-mediatek"), ("qca/", "firmware-atheros"),
    ("ar3k/", "firmware-atheros"), ("nxp/", "firmware-nxp"), ("ti-connectivity/", "firmware-ti-connectivity"),
  ]

  /// `Direct firmware load for rtl_bt/x.bin failed with error -2`, or `firmware file rtl_bt/x.bin not found`.
  private static func file(in line: Substring) -> String? {
    let isFailure =
      line.contains("Direct firmware load for") || line.contains("not found") || line.contains("failed to load")
    guard isFailure else { return nil }
    let words = line.split { $0 == " " || $0 == "'" || $0 == "(" || $0 == ")" || $0 == "," || $0 == ":" }
    return words.first { word in word.utf8.count < 128 && packages.contains { word.hasPrefix($0.0) } }.map(String.init)
  }

  /// The Debian package with a file.
  static func package(of file: String) -> String? { packages.first { file.hasPrefix($0.0) }?.1 }
}
