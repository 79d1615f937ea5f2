import BLEAdapter
import Foundation

extension Examination {
  /// Variables with invalid values or unknown names.
  mutating func checkEnvironment() {
    let known = EnvironmentVariable.all.map(\.name)
    let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    if let level = machine.variable("BLE_LOG"), !levels.contains(level.lowercased()) {
      problem(
        "environment", "BLE_LOG is '\(level)', which is not a log level.",
        "export BLE_LOG=info, or one of \(levels.joined(separator: ", "))")
    }
    let phys = SearchPHYs.allCases.map(\.rawValue)
    if let phy = machine.variable("BLE_PHY"), !phys.contains(phy.lowercased()) {
      problem(
        "environment", "BLE_PHY is '\(phy)', which is not one of \(phys.joined(separator: ", ")).", "unset BLE_PHY")
    }
    if let speed = machine.variable("BLE_RADIO_SPEED") {
      if let number = Int(speed), (1...1000).contains(number) {
        if number > 1 {
          note(
            "environment", "BLE_RADIO_SPEED is \(number): only programs of that speed are heard.",
            "unset BLE_RADIO_SPEED")
        }
      } else {
        problem(
          "environment", "BLE_RADIO_SPEED is '\(speed)', which is not from 1 to 1000.", "unset BLE_RADIO_SPEED")
      }
    }
    for name in ["BLE_CAPTURE", "BLE_CAPTURE_AIR", "BLE_CAPTURE_KEYS"] {
      guard let path = machine.variable(name) else { continue }
      let folder = (path as NSString).deletingLastPathComponent
      if machine.entry(path) == nil, !machine.isWritableFolder(folder.isEmpty ? "." : folder) {
        problem(
          "environment", "\(name): \(path) cannot be created.",
          "Name a file in a folder that you can write to, or unset \(name).")
      } else {
        note("environment", "\(name) is set: traffic of every program goes to \(path).", "unset \(name)")
      }
    }
    for name in machine.environment.keys.sorted() where name.hasPrefix("BLE_") && !known.contains(name) {
      // Variables of tests and examples.
      if ["BLE_SEED", "BLE_CAPTURE_FOLDER", "BLE_TOOL", "BLE_FUZZ", "BLE_ONLY"].contains(name) { continue }
      let suggestion = Suggestion.nearest(to: name, among: known).map { "Perhaps \($0) is meant." }
      note("environment", "\(name) is set, but nothing reads it.", suggestion)
    }
  }

  /// Shared libraries that are loaded or can be loaded.
  mutating func checkLibraries() {
    let libcrypto = Self.text(ofFunction: "OpenSSL_version") { symbol in
      unsafeBitCast(symbol, to: (@convention(c) (CInt) -> UnsafePointer<CChar>?).self)(0)
    }
    if let libcrypto {
      good("libcrypto", "\(libcrypto).")
    } else {
      note("libcrypto", "Its version could not be determined.", "apt-get install libssl3")
    }
    let sqlite = Self.text(ofFunction: "sqlite3_libversion", in: "libsqlite3.so.0") { symbol in
      unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)()
    }
    if let sqlite {
      good("sqlite", "SQLite \(sqlite).")
    } else {
      note("sqlite", "SQLite is missing: nothing can be recorded.", "apt-get install libsqlite3-0")
    }
  }

  /// Returns the text that a function of a C library returns, without linking it; `nil` if it is not available.
  private static func text(
    ofFunction name: String, in library: String? = nil, _ call: (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
  ) -> String? {
    let program = dlopen(nil, RTLD_NOW)
    let symbol = dlsym(program, name) ?? library.flatMap { dlopen($0, RTLD_NOW) }.flatMap { dlsym($0, name) }
    return symbol.flatMap(call).map { String(cString: $0) }
  }

  mutating func checkTerminal() {
    let language = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(machine.variable).first
    let isUTF8 = language.map { $0.lowercased().replacing("-", with: "").contains("utf8") } ?? false
    if !isUTF8 {
      note(
        "terminal",
        "\(language.map { "The language is \($0)" } ?? "No language is set"): names in other scripts may look broken.",
        "export LANG=C.UTF-8")
    }
    switch machine.variable("TERM") {
    case nil:
      note("terminal", "TERM is not set: nothing is drawn, and lines are not edited.", "export TERM=xterm-256color")
    case "dumb"?: note("terminal", "TERM is dumb: nothing is drawn, and lines are not edited.")
    case let kind?:
      good("terminal", "\(kind)\(machine.variable("NO_COLOR") == nil ? "" : ", without emphasis (NO_COLOR)").")
    }
  }

  /// Optional programs.
  mutating func checkHelpers() {
    if let path = machine.program("wireshark") ?? machine.program("tshark") {
      good("wireshark", "\(path) opens what --capture writes.")
    } else {
      note(
        "wireshark", "Wireshark is not installed; 'ble capture show' reads captures.", "apt-get install wireshark")
    }
  }
}
