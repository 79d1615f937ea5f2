import BLEDefaultStack
import Foundation

/// BlueZ's daemon as far as files show it: installation, process and configuration.
struct BluetoothDaemon: Equatable, Sendable {
  /// The running daemon.
  struct Process: Equatable, Sendable {
    let number: Int32
    let arguments: [String]
  }

  let isInstalled: Bool
  /// `nil` if none runs, or none is visible, as in a container.
  let process: Process?
  /// The version of the distribution's package; `nil` if unknown.
  let version: String?
  let hasExperimentalInterfaces: Bool
  /// LE is switched off in the daemon's configuration.
  let isClassicOnly: Bool

  private static let places = [
    "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
  ]

  init(on machine: Machine) {
    process = Self.running(on: machine)
    isInstalled =
      process != nil || Self.places.contains { machine.entry($0)?.kind == .file }
      || machine.program("bluetoothd") != nil
    version = isInstalled ? Self.packageVersion(on: machine) : nil
    let settings = Settings(machine.text(of: "/etc/bluetooth/main.conf") ?? "")
    let isStartedSo = process?.arguments.contains { $0 == "-E" || $0 == "--experimental" } ?? false
    hasExperimentalInterfaces = isStartedSo || settings["General", "Experimental"]?.lowercased() == "true"
    isClassicOnly = settings["General", "ControllerMode"]?.lowercased() == "bredr"
  }

  /// Any user can run a program with this name, so only a process of the administrator counts.
  private static func running(on machine: Machine) -> Process? {
    for name in machine.names(in: "/proc") {
      guard let number = Int32(name), machine.system.line(of: "/proc/\(name)/comm") == "bluetoothd",
        machine.entry("/proc/\(name)")?.owner == machine.administrator
      else { continue }
      let arguments = (machine.text(of: "/proc/\(name)/cmdline") ?? "").split(separator: "\0").map(String.init)
      return Process(number: number, arguments: Array(arguments.dropFirst()))
    }
    return nil
  }

  private static func packageVersion(on machine: Machine) -> String? {
    guard let status = machine.text(of: "/var/lib/dpkg/status", upTo: 16 << 20),
      let start = status.range(of: "\nPackage: bluez\n") ?? status.range(of: "Package: bluez\n", options: .anchored)
    else { return nil }
    let entry = status[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).prefix {
      !$0.isEmpty
    }
    return entry.first { $0.hasPrefix("Version: ") }.map { String($0.dropFirst(9)) }
  }

  /// Whether it reads the battery level of each phone that connects, for which phones require pairing (bluetoothd(8), `--plugin` and
  /// `--noplugin`, both lists of patterns).
  var readsBatteries: Bool {
    guard let process else { return false }
    let wanted = Self.values("-p", "--plugin", in: process.arguments)
    let unwanted = Self.values("-P", "--noplugin", in: process.arguments)
    func isNamed(_ patterns: [String]) -> Bool { patterns.contains { fnmatch($0, "battery", 0) == 0 } }
    return !isNamed(unwanted) && (wanted.isEmpty || isNamed(wanted))
  }

  /// The values of an option in all its forms: `-P a,b`, `-Pa`, `--noplugin a`, `--noplugin=a`.
  private static func values(_ short: String, _ long: String, in arguments: [String]) -> [String] {
    var found: [Substring] = []
    for (index, argument) in arguments.enumerated() {
      if argument == short || argument == long {
        found += arguments.dropFirst(index + 1).prefix(1).flatMap { $0.split(separator: ",") }
      } else if argument.hasPrefix(long + "=") {
        found += argument.dropFirst(long.count + 1).split(separator: ",")
      } else if argument.hasPrefix(short), !argument.hasPrefix("--") {
        found += argument.dropFirst(short.count).split(separator: ",")
      }
    }
    return found.map(String.init)
  }

  /// A configuration file with sections of names and values.
  private struct Settings {
    private var values: [String: String] = [:]

    init(_ text: String) {
      var section = ""
      for line in text.split(whereSeparator: \.isNewline) {
        let line = line.trimmingCharacters(in: .whitespaces)
        if line.hasPrefix("["), line.hasSuffix("]") {
          section = String(line.dropFirst().dropLast())
        } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
          let name = line[..<equals].trimmingCharacters(in: .whitespaces)
          values["\(section)/\(name)"] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        }
      }
    }

    subscript(_ section: String, _ name: String) -> String? { values["\(section)/\(name)"] }
  }
}
