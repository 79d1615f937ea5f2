import BLEFiles
import Foundation

/// The machine as it is to be looked at, without changing anything: files, folders, environment. Tests look at one of their own.
struct Machine: Sendable {
  var environment: [String: String]
  /// In front of all paths; empty for this machine.
  var root = ""
  var user = geteuid()
  /// The home that the password database has for this user.
  var accountHome = UserFolders.accountHome

  static let this = Machine(environment: ProcessInfo.processInfo.environment)

  /// A variable that says something.
  func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// What is at a path.
  struct Entry: Equatable, Sendable {
    enum Kind: Sendable { case file, folder, socket, device, link, other }
    let kind: Kind
    let owner: uid_t
    let group: gid_t
    /// The permissions.
    let mode: mode_t
  }

  /// `nil` where there is nothing, or nothing that may be seen.
  func entry(_ path: String, followingLinks: Bool = true) -> Entry? {
    let place = followingLinks ? URL(fileURLWithPath: root + path).resolvingSymlinksInPath().path : root + path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place) else { return nil }
    func number(_ key: FileAttributeKey) -> UInt32 { (attributes[key] as? NSNumber)?.uint32Value ?? 0 }
    let kind: Entry.Kind =
      switch attributes[.type] as? FileAttributeType {
      case .typeRegular?: .file
      case .typeDirectory?: .folder
      case .typeSocket?: .socket
      case .typeCharacterSpecial?: .device
      case .typeSymbolicLink?: .link
      default: .other
      }
    return Entry(
      kind: kind, owner: number(.ownerAccountID), group: number(.groupOwnerAccountID),
      mode: number(.posixPermissions) & 0o7777)
  }

  func isReadableAndWritable(_ path: String) -> Bool { access(root + path, R_OK | W_OK) == 0 }
  func isWritableFolder(_ path: String) -> Bool { access(root + path, W_OK | X_OK) == 0 }

  /// The names in a folder, sorted; none where it cannot be read.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []).sorted()
  }

  /// The beginning of a file; `nil` where it cannot be read.
  func text(of path: String, upTo limit: Int = 65_536) -> String? {
    // Pipes have no end, and devices do something when they are read.
    guard entry(path)?.kind == .file else { return nil }
    let descriptor = open(root + path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    // Files of the kernel have no length and come in pieces.
    while octets.count < limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      octets += buffer.prefix(count)
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// Where a program is on the path; `nil` where it is not.
  func program(_ name: String) -> String? {
    for folder in (variable("PATH") ?? "").split(separator: ":") where folder.hasPrefix("/") {
      let path = "\(folder)/\(name)"
      if entry(path)?.kind == .file, access(root + path, X_OK) == 0 { return path }
    }
    return nil
  }

  static func groupName(_ number: gid_t) -> String {
    guard let entry = getgrgid(number), let name = entry.pointee.gr_name else { return String(number) }
    return String(cString: name)
  }

  static var userName: String {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return String(geteuid()) }
    return String(cString: name)
  }

  /// Whether the folder can be made: the nearest one above it that is there is writable.
  func canMake(_ folder: String) -> Bool {
    var path = (folder as NSString).deletingLastPathComponent
    while path != "/", entry(path) == nil { path = (path as NSString).deletingLastPathComponent }
    return isWritableFolder(path)
  }

  // MARK: The library's places

  private var folders: UserFolders { UserFolders(environment: variable, accountHome: accountHome) }

  var stateFolder: String { folders.state }
  var configurationPath: String { folders.configurationFile }
  var runtimeFolder: String {
    if let base = variable("XDG_RUNTIME_DIR"), base.hasPrefix("/"), let entry = entry(base, followingLinks: false),
      entry.kind == .folder, entry.owner == user, isWritableFolder(base)
    {
      return base + "/swift-corebluetooth"
    }
    return "/tmp/swift-corebluetooth-\(user)"
  }
}
