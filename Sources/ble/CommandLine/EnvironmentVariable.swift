/// The variables of the environment that the tool or the library below it reads.
enum EnvironmentVariable {
  static let all: [(name: String, meaning: String)] = [
    ("BLE_ADAPTER", "The adapter, where '--adapter' names none."),
    ("BLE_PHY", "Where devices are looked for, as '--phy'."),
    ("BLE_LOG", "The level of the log: trace, debug, info, notice, warning, error or critical."),
    ("BLE_CAPTURE", "A file that takes all Bluetooth traffic, as '--capture' does."),
    ("BLE_CAPTURE_AIR", "As '--capture-air'."),
    ("BLE_CAPTURE_KEYS", "As '--capture-keys'."),
    ("BLE_CAPTURE_REDACTED", "As '--capture-redacted', where it is not empty."),
    (
      "BLE_RADIO_SPEED",
      "How many seconds of the embedded radio pass in one, 1 to 1000. Programs of one speed hear each other."
    ),
    ("BLE_OPTIONS_FILE", "The file with the options of a service, which 'systemctl reload' has it read again."),
    ("NO_COLOR", "Where it is not empty, nothing is emphasised."),
    ("TERM", "The terminal; on a dumb one nothing is drawn."),
    ("XDG_CONFIG_HOME", "Where the configuration is, else ~/.config."),
    ("XDG_STATE_HOME", "Where state is kept, else ~/.local/state."),
    ("XDG_RUNTIME_DIR", "Where running programs meet, else /tmp."),
  ]
}
