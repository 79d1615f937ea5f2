import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEFiles
import BLETransports
import Foundation

/// A read-only view of the machine: files, folders, environment. Tests provide their own.
struct Machine: Sendable {
  var environment: [String: String]
  /// The prefix of all paths; empty for this machine.
  var root = ""
  var user = geteuid()
  /// This user's home folder in the password database.
  var accountHome = UserFolders.accountHome

  /// The adapter named on the command line.
  var option: AdapterName?
  /// The probes that find the machine's own adapter if none is named.
  var probes: [any AdapterProbe] = []

  /// The user that runs the system's processes.
  var administrator: uid_t = 0
  /// The name of this user.
  var accountName = Machine.userName
  /// The groups of this process.
  var groups: Set<gid_t> = []
  /// The path of this program's file.
  var programPath = "ble"
  /// The extended attribute with the program file's capabilities; `nil` if it has none.
  var fileCapabilities: @Sendable () -> [UInt8]? = { nil }
  /// The kernel's messages, oldest first; `nil` if this user may not read them.
  var kernelLog: @Sendable () -> String? = { nil }
  /// The adapters that the kernel manages; `nil` if it cannot be asked.
  var managedAdapters: @Sendable () -> [SystemAdapter.Information]? = { nil }
  /// The kernel's counters of an adapter, by its index.
  var statistics: @Sendable (UInt16) -> KernelAdapterStatistics? = { _ in nil }
  /// The running programs of this user.
  var programs: @Sendable () -> [RunningPrograms.Program] = { [] }
  /// The programs that may have an adapter by the user channel, in brackets.
  var channelHolder: @Sendable () -> String = { "" }

  /// This machine. `option` is what `--adapter` names.
  static func this(option: AdapterName? = nil) -> Machine {
    var machine = Machine(environment: ProcessInfo.processInfo.environment)
    machine.option = option
    machine.probes = Surroundings.machineProbes
    machine.groups = ProcessReadings.groups
    machine.programPath = ProcessReadings.programPath
    machine.fileCapabilities = { ProcessReadings.fileCapabilities }
    machine.kernelLog = { KernelLog.read() }
    machine.managedAdapters = {
      try? KernelAdapter.all().map {
        SystemAdapter.Information(
          index: $0.index, address: $0.address.description, version: $0.version, isPowered: $0.isPowered,
          supportsLowEnergy: $0.supportsLowEnergy)
      }
    }
    machine.statistics = { KernelAdapterStatistics(of: $0) }
    machine.programs = { [folders = machine.runtimeFolders] in RunningPrograms.all(in: folders) }
    machine.channelHolder = { UserChannelHolder.text }
    return machine
  }

  /// A variable's value, unless it is empty.
  func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The attributes of a file.
  struct Entry: Equatable, Sendable {
    enum Kind: Sendable { case file, folder, socket, device, link, other }
    let kind: Kind
    let owner: uid_t
    let group: gid_t
    /// The permissions.
    let mode: mode_t
  }

  /// Returns `nil` if there is nothing at the path, or this user may not see it.
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

  /// The names in a folder, sorted; empty if it cannot be read.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []).sorted()
  }

  /// The beginning of a file; `nil` if it cannot be read.
  func text(of path: String, upTo limit: Int = 65_536) -> String? {
    (try? UntrustedFile.beginning(of: root + path, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The last component of a link's target; `nil` if there is no link.
  func target(of link: String) -> String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: root + link)).map { ($0 as NSString).lastPathComponent }
  }

  /// The path of a program on PATH; `nil` if it is not found.
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

  /// Whether the folder can be created: its nearest existing parent is writable.
  func canMake(_ folder: String) -> Bool {
    var path = (folder as NSString).deletingLastPathComponent
    while path != "/", entry(path) == nil { path = (path as NSString).deletingLastPathComponent }
    return isWritableFolder(path)
  }

  // MARK: As the library sees it

  /// The choice of the adapter is read by the same code that the stacks use.
  var surroundings: Surroundings {
    var surroundings = Surroundings(
      environment: variable, readFile: Surroundings.fileReader(below: root), system: system, accountHome: accountHome)
    surroundings.option = option
    surroundings.probes = probes
    return surroundings
  }

  var system: SystemView { SystemView(names: names(in:), text: { text(of: $0) }) }

  private var folders: UserFolders { UserFolders(environment: variable, accountHome: accountHome) }

  var stateFolder: String { folders.state }
  var configurationPath: String { folders.configurationFile }
  /// The runtime folders of this user's programs: a service often runs without the variables of a terminal.
  private var runtimeFolders: [String] {
    let others = ["/run/user/\(user)/swift-corebluetooth", "/tmp/swift-corebluetooth-\(user)"]
    return [runtimeFolder] + others.filter { $0 != runtimeFolder }
  }
  var runtimeFolder: String {
    if let base = variable("XDG_RUNTIME_DIR"), base.hasPrefix("/"), let entry = entry(base, followingLinks: false),
      entry.kind == .folder, entry.owner == user, isWritableFolder(base)
    {
      return base + "/swift-corebluetooth"
    }
    return "/tmp/swift-corebluetooth-\(user)"
  }
}
