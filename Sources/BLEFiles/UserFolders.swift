import Glibc

/// The folders of a user's programs, by the XDG Base Directory Specification: paths, none of which is made here.
public struct UserFolders: Sendable {
  private let configurationBase: String
  private let stateBase: String

  /// - Parameters:
  ///   - environment: the value of a variable; `nil` if it is missing or empty.
  ///   - accountHome: the user's home in the password database.
  public init(environment: (String) -> String?, accountHome: String? = Self.accountHome) {
    /// A relative path in these variables is ignored.
    func path(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    // Without either there is no folder of this user: in / only the system's own programs may write.
    var home = path("HOME") ?? accountHome ?? ""
    while home.hasSuffix("/") { home.removeLast() }
    configurationBase = path("XDG_CONFIG_HOME") ?? home + "/.config"
    stateBase = path("XDG_STATE_HOME") ?? home + "/.local/state"
  }

  /// Those of this process.
  public static var ofThisProcess: UserFolders { UserFolders(environment: variable) }

  /// The folder of persistent state: `swift-corebluetooth` in `$XDG_STATE_HOME`, else in `~/.local/state`.
  public var state: String { stateBase + "/swift-corebluetooth" }

  /// The configuration file: `swift-corebluetooth/config.json` in `$XDG_CONFIG_HOME`, else in `~/.config`.
  public var configurationFile: String { configurationBase + "/swift-corebluetooth/config.json" }

  /// The folder in which running programs find each other: `swift-corebluetooth` in `$XDG_RUNTIME_DIR` if that belongs to this
  /// user, else a folder of this user in `/tmp`.
  public static var runtime: String {
    if let base = variable("XDG_RUNTIME_DIR"), base.hasPrefix("/"), isOwnFolder(base) {
      return base + "/swift-corebluetooth"
    }
    return "/tmp/swift-corebluetooth-\(geteuid())"
  }

  /// The home in the password database; `nil` if this user is not in it, as in some containers.
  public static var accountHome: String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
    else {
      return nil
    }
    let path = String(cString: home)
    return path.hasPrefix("/") ? path : nil
  }

  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && access(path, W_OK | X_OK) == 0
  }

  /// The value of a variable of this process; `nil` if it is missing or empty.
  public static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
