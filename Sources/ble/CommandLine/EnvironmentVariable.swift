/// A variable of the environment that the tool or the library below it reads.
struct EnvironmentVariable: Sendable {
  let name: String
  let meaning: String

  static let all = [
    EnvironmentVariable("BLE_ADAPTER", "The adapter, where '--adapter' names none."),
    EnvironmentVariable("BLE_PHY", "Where devices are looked for, as '--phy'."),
    EnvironmentVariable("BLE_LOG", "The level of the log: trace, debug, info, notice, warning, error or critical."),
    EnvironmentVariable("BLE_CAPTURE", "A file that takes all Bluetooth traffic, as '--capture' does."),
    EnvironmentVariable("BLE_CAPTURE_AIR", "As '--capture-air'."),
    EnvironmentVariable("BLE_CAPTURE_KEYS", "As '--capture-keys'."),
    EnvironmentVariable("BLE_CAPTURE_REDACTED", "As '--capture-redacted', where it is not empty."),
    EnvironmentVariable(
      "BLE_RADIO_SPEED",
      "How many seconds of the embedded radio pass in one, 1 to 1000. Programs of one speed hear each other."),
    EnvironmentVariable("NO_COLOR", "Where it is not empty, nothing is emphasised."),
    EnvironmentVariable("TERM", "The terminal; on a dumb one nothing is drawn."),
    EnvironmentVariable("XDG_CONFIG_HOME", "Where the configuration is, else ~/.config."),
    EnvironmentVariable("XDG_STATE_HOME", "Where state is kept, else ~/.local/state."),
    EnvironmentVariable("XDG_RUNTIME_DIR", "Where running programs meet, else /tmp."),
  ]

  init(_ name: String, _ meaning: String) {
    self.name = name
    self.meaning = meaning
  }
}
