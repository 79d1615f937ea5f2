import BLECore

/// The name of an adapter, as in `BLE_ADAPTER`, in the configuration file and after `--adapter`.
public enum AdapterName: Hashable, Sendable, CustomStringConvertible {
  /// The embedded radio: an air that processes of one machine share, and the device on it (`nil`: this program's own).
  case radio(air: String, device: String?)
  case tcpClient(host: String, port: UInt16)
  case tcpServer(host: String, port: UInt16)
  case unixClient(path: String)
  case unixServer(path: String)
  case serial(path: String, speed: Int)
  /// An adapter of this machine, by the HCI user channel: its number or its address; `nil` is the first that supports LE.
  case hci(String?)
  /// An adapter of this machine, shared through BlueZ's daemon: its name (`hci0`) or its address; `nil` is the daemon's first
  /// that is switched on.
  case bluez(String?)

  public static let defaultAir = "default"
  public static let defaultSpeed = 115_200
  public static let standard = AdapterName.radio(air: defaultAir, device: nil)

  /// Parses `radio`, `radio:<air>`, `radio:<air>/<device>`, `tcp-client:<host>:<port>`, `tcp-server:<host>:<port>`,
  /// `unix-client:<path>`, `unix-server:<path>`, `serial:<device>[,<speed>]`, `hci`, `hci:<number>`, `hci:<address>`, `bluez`,
  /// `bluez:hci<number>` or `bluez:<address>`.
  public init(_ text: String) throws(AdapterNameError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let scheme = String(parts[0])
    let rest = parts.count == 2 ? String(parts[1]) : nil
    switch scheme {
    case "radio": self = try Self.radio(rest, in: text)
    case "tcp-client", "tcp-server":
      let (host, port) = try Self.endpoint(rest, in: text)
      self = scheme == "tcp-client" ? .tcpClient(host: host, port: port) : .tcpServer(host: host, port: port)
    case "unix-client", "unix-server":
      guard let rest, !rest.isEmpty else { throw AdapterNameError(text, "a path is missing after \(scheme):") }
      self = scheme == "unix-client" ? .unixClient(path: rest) : .unixServer(path: rest)
    case "serial": self = try Self.serial(rest, in: text)
    case "hci":
      guard rest.map({ Self.isIndex($0) || DeviceAddress($0, kind: .public) != nil }) ?? true else {
        throw AdapterNameError(text, "expected hci:<number>, as in hci:0, or hci:<address>")
      }
      self = .hci(rest?.uppercased())
    case "bluez": self = .bluez(try Self.bluezAdapter(rest, in: text))
    default:
      throw AdapterNameError(
        text,
        "\(scheme) is not a kind of adapter: radio, bluez, hci, tcp-client, tcp-server, unix-client, unix-server or serial"
      )
    }
  }

  private static func radio(_ rest: String?, in text: String) throws(AdapterNameError) -> AdapterName {
    guard let rest else { return .standard }
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    for part in parts where !isPlainName(part) {
      throw AdapterNameError(
        text, "the name of an air or a device has 1 to 64 letters, digits, dots, dashes or underscores")
    }
    return .radio(air: parts[0], device: parts.count == 2 ? parts[1] : nil)
  }

  /// Names become file names: this excludes paths that lead out of a folder.
  public static func isPlainName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
      && text.utf8.allSatisfy { octet in
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  private static func endpoint(
    _ rest: String?, in text: String
  ) throws(AdapterNameError) -> (host: String, port: UInt16) {
    guard let rest, let colon = rest.lastIndex(of: ":") else {
      throw AdapterNameError(text, "expected <host>:<port>")
    }
    let host = String(rest[..<colon])
    guard !host.isEmpty, let port = UInt16(rest[rest.index(after: colon)...]), port > 0 else {
      throw AdapterNameError(text, "expected <host>:<port> with a port of 1 to 65535")
    }
    return (host, port)
  }

  private static func serial(_ rest: String?, in text: String) throws(AdapterNameError) -> AdapterName {
    let parts = (rest ?? "").split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !parts[0].isEmpty else { throw AdapterNameError(text, "a device is missing after serial:") }
    guard parts.count == 2 else { return .serial(path: parts[0], speed: defaultSpeed) }
    guard let speed = Int(parts[1]), speed > 0 else { throw AdapterNameError(text, "a speed is a number of baud") }
    return .serial(path: parts[0], speed: speed)
  }

  private static func bluezAdapter(_ rest: String?, in text: String) throws(AdapterNameError) -> String? {
    guard let rest else { return nil }
    if let address = DeviceAddress(rest, kind: .public) { return "\(address)" }
    guard rest.hasPrefix("hci"), isIndex(rest.dropFirst(3)) else {
      throw AdapterNameError(text, "expected bluez:hci<number>, as in bluez:hci0, or bluez:<address>")
    }
    return rest
  }

  /// Whether `text` is the kernel's number of an adapter, in its canonical form.
  private static func isIndex(_ text: some StringProtocol) -> Bool { UInt16(text).map { "\($0)" == text } ?? false }

  public var description: String {
    switch self {
    case .radio(let air, let device): device.map { "radio:\(air)/\($0)" } ?? "radio:\(air)"
    case .tcpClient(let host, let port): "tcp-client:\(host):\(port)"
    case .tcpServer(let host, let port): "tcp-server:\(host):\(port)"
    case .unixClient(let path): "unix-client:\(path)"
    case .unixServer(let path): "unix-server:\(path)"
    case .serial(let path, let speed): "serial:\(path),\(speed)"
    case .hci(let which): which.map { "hci:\($0)" } ?? "hci"
    case .bluez(let which): which.map { "bluez:\($0)" } ?? "bluez"
    }
  }
}

/// Why a text is not the name of an adapter.
public struct AdapterNameError: Error, Hashable, Sendable, CustomStringConvertible {
  public let name: String
  public let reason: String
  init(_ name: String, _ reason: String) {
    self.name = name
    self.reason = reason
  }
  public var description: String { "adapter '\(name)': \(reason)" }
}
