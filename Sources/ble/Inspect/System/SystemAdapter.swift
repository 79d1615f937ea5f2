import BLECore
import BLEDefaultStack
import BLETransports

/// An adapter of the kernel.
struct SystemAdapter: Equatable, Sendable {
  /// What the kernel's management interface reports.
  struct Information: Equatable, Sendable {
    let index: UInt16
    let address: String
    /// The version of the Core Specification, by its assigned number.
    let version: UInt8
    let isPowered: Bool
    let supportsLowEnergy: Bool
  }

  /// What uses the adapter.
  enum Holder: Equatable, Sendable {
    /// BlueZ's daemon, by its process number.
    case daemon(Int32)
    /// A program, by the user channel; the text says which, as far as that can be seen: " (probably btmon, process 12)".
    case program(String)
    /// It is powered on by something that cannot be seen.
    case kernel
    case none
  }

  let index: UInt16
  var name: String { "hci\(index)" }
  let driver: String?
  let bus: String?
  let information: Information?
  let holder: Holder
  let isBlocked: Bool
  /// The kernel's counters of the adapter.
  let statistics: KernelAdapterStatistics?

  /// Versions of the Core Specification by their assigned numbers (Assigned Numbers, 2.1).
  private static let versions: [UInt8: String] = [
    6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0", 15: "6.1",
  ]

  static func all(on machine: Machine, _ daemon: BluetoothDaemon) -> [SystemAdapter] {
    let names = machine.system.adapters
    if names.isEmpty { return [] }
    let managed = machine.managedAdapters()
    return names.compactMap { name in
      guard let index = UInt16(name.dropFirst(3)) else { return nil }
      let information = managed?.first { $0.index == index }
      let holder: Holder =
        if managed != nil, information == nil {
          // An adapter that the kernel has but does not manage is used by a program.
          .program(machine.channelHolder())
        } else if let process = daemon.process {
          .daemon(process.number)
        } else {
          information?.isPowered == true ? .kernel : .none
        }
      return SystemAdapter(
        index: index, driver: machine.target(of: "/sys/class/bluetooth/\(name)/device/driver"),
        bus: machine.target(of: "/sys/class/bluetooth/\(name)/device/subsystem"), information: information,
        holder: holder, isBlocked: RadioSwitch.blocks(name, in: machine.system),
        statistics: machine.statistics(index))
    }
  }

  var version: String? { information.flatMap { Self.versions[$0.version] } }

  /// A short description: `00:1A:7D:DA:71:13, btusb on usb, Bluetooth 5.1`.
  var title: String {
    var parts = [information?.address].compactMap(\.self)
    if let driver { parts.append(bus.map { "\(driver) on \($0)" } ?? driver) }
    if let version { parts.append("Bluetooth \(version)") }
    if information?.supportsLowEnergy == false { parts.append("without LE") }
    if isBlocked {
      parts.append("blocked by a switch")
    } else if let information {
      parts.append(information.isPowered ? "on" : "off")
    }
    return parts.joined(separator: ", ")
  }

  /// What uses it, in words; `nil` if nothing does.
  var holderTitle: String? {
    switch holder {
    case .daemon(let number): "BlueZ's daemon (bluetoothd, process \(number))"
    case .program(let who): "another program\(who)"
    case .kernel: "something that cannot be seen from here"
    case .none: nil
    }
  }
}
