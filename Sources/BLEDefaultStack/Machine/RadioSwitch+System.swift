public import BLETransports

extension RadioSwitch {
  /// Those of Bluetooth.
  public static func all(in system: SystemView) -> [RadioSwitch] {
    all(names: system.names, line: system.line(of:))
  }

  /// Whether the adapter `hci0`, say, is off by its switch.
  public static func blocks(_ adapter: String, in system: SystemView) -> Bool {
    all(in: system).contains { $0.name == adapter && $0.isBlocked }
  }
}
