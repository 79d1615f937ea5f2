/// The capabilities of a process: privileges that are otherwise the administrator's (capabilities(7)).
public struct ProcessCapabilities: Hashable, Sendable {
  /// The bits of the capabilities that are relevant to Bluetooth (linux/capability.h).
  public enum Capability: UInt64, CaseIterable, Sendable {
    case networkAdministration = 12
    case rawNetwork = 13

    public var name: String {
      switch self {
      case .networkAdministration: "CAP_NET_ADMIN"
      case .rawNetwork: "CAP_NET_RAW"
      }
    }
  }

  /// The effective capabilities.
  public let effective: UInt64
  /// The capabilities that it, and its child processes, can be given at all.
  public let bounding: UInt64
  /// Whether executable files give it neither capabilities nor another user.
  public let takesNoNewPrivileges: Bool

  /// Parses `/proc/<process>/status`; `nil` if the values are missing.
  public init?(status: String) {
    var fields: [Substring: Substring] = [:]
    for line in status.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == "\t" || $0 == " " }
    }
    guard let effective = fields["CapEff"].flatMap({ UInt64($0, radix: 16) }) else { return nil }
    self.effective = effective
    bounding = fields["CapBnd"].flatMap { UInt64($0, radix: 16) } ?? ~0
    takesNoNewPrivileges = fields["NoNewPrivs"] == "1"
  }

  /// The current capabilities of this process.
  public init?(in system: SystemView) {
    guard let status = system.text("/proc/self/status") else { return nil }
    self.init(status: status)
  }

  public func has(_ capability: Capability) -> Bool { effective >> capability.rawValue & 1 == 1 }
  public func couldHave(_ capability: Capability) -> Bool { bounding >> capability.rawValue & 1 == 1 }
}
