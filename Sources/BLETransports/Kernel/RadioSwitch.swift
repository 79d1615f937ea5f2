/// A switch that blocks Bluetooth (rfkill): one of the machine, or the one of each adapter.
public struct RadioSwitch: Hashable, Sendable {
  /// Its name: `hci0` for the adapter's own.
  public let name: String
  /// Whether a hardware switch, which no program can change, blocks.
  public let isHardBlocked: Bool
  /// Whether a program has blocked it.
  public let isSoftBlocked: Bool

  public init(name: String, isHardBlocked: Bool, isSoftBlocked: Bool) {
    self.name = name
    self.isHardBlocked = isHardBlocked
    self.isSoftBlocked = isSoftBlocked
  }

  public var isBlocked: Bool { isHardBlocked || isSoftBlocked }

  /// All for Bluetooth (Documentation/ABI/stable/sysfs-class-rfkill).
  /// - Parameters:
  ///   - names: the names in a folder.
  ///   - line: the first line of a file; `nil` if it cannot be read.
  public static func all(names: (_ folder: String) -> [String], line: (_ path: String) -> String?) -> [RadioSwitch] {
    names("/sys/class/rfkill").compactMap { entry in
      let folder = "/sys/class/rfkill/\(entry)"
      guard line("\(folder)/type") == "bluetooth" else { return nil }
      return RadioSwitch(
        name: line("\(folder)/name") ?? entry, isHardBlocked: line("\(folder)/hard") == "1",
        isSoftBlocked: line("\(folder)/soft") == "1")
    }
  }

  /// Those of this machine.
  public static func ofThisMachine() -> [RadioSwitch] {
    all(names: SystemFiles.names, line: { SystemFiles.lines(of: $0).first })
  }

  /// The switch that blocks the adapter, and what to do: its own switch, which is blocked with the machine's, else another one.
  /// - Parameter adapter: `hci0`.
  public static func blockage(of adapter: String, among switches: [RadioSwitch]) -> String? {
    let blocked = switches.filter(\.isBlocked)
    guard let found = blocked.first(where: { $0.name == adapter }) ?? blocked.first else { return nil }
    guard found.isHardBlocked else { return "Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth" }
    let further = found.isSoftBlocked ? ", then rfkill unblock bluetooth" : ""
    return "a switch of the machine has Bluetooth off (hard block of rfkill): find the switch\(further)"
  }
}
