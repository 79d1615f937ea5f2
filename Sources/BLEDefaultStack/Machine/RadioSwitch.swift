/// A switch that turns Bluetooth off (rfkill): one of the machine's own, or the one that each adapter has.
public struct RadioSwitch: Hashable, Sendable {
  /// What it is called: `hci0` for the adapter's own.
  public let name: String
  /// A switch of the machine, which no program can undo, is off.
  public let isHardBlocked: Bool
  /// A program has turned it off.
  public let isSoftBlocked: Bool

  /// Those of Bluetooth (Documentation/ABI/stable/sysfs-class-rfkill).
  public static func all(in system: SystemView) -> [RadioSwitch] {
    system.names("/sys/class/rfkill").compactMap { entry in
      let folder = "/sys/class/rfkill/\(entry)"
      guard system.line(of: "\(folder)/type") == "bluetooth" else { return nil }
      return RadioSwitch(
        name: system.line(of: "\(folder)/name") ?? entry,
        isHardBlocked: system.line(of: "\(folder)/hard") == "1", isSoftBlocked: system.line(of: "\(folder)/soft") == "1"
      )
    }
  }

  /// Whether the adapter `hci0`, say, is off by its switch.
  public static func blocks(_ adapter: String, in system: SystemView) -> Bool {
    all(in: system).contains { $0.name == adapter && ($0.isHardBlocked || $0.isSoftBlocked) }
  }
}
