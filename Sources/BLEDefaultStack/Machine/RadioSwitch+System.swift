public import BLETransports

extension RadioSwitch {
  /// All for Bluetooth.
  public static func all(in system: SystemView) -> [RadioSwitch] {
    all(names: system.names, line: system.line(of:))
  }

  /// Whether the switch of an adapter, for example `hci0`, blocks it.
  public static func blocks(_ adapter: String, in system: SystemView) -> Bool {
    all(in: system).contains { $0.name == adapter && $0.isBlocked }
  }
}
