import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEFiles
import BLETransports
import Foundation

/// The machine as it is to be looked at, without changing anything: files, folders, environment. Tests look at one of their own.
struct Machine: Sendable {
  var environment: [String: String]
  /// In front of all paths; empty for this machine.
  var root = ""
  var user = geteuid()
  /// The home that the password database has for this user.
  var accountHome = UserFolders.accountHome

  /// What the command line names.
  var option: AdapterName?
  /// Who is asked for the machine's own adapter where none is named.
  var probes: [any AdapterProbe] = []

  /// The user whose processes are the system's own.
  var administrator: uid_t = 0
  /// What this user is called here.
  var accountName = Machine.userName
  /// The groups of this process.
  var groups: Set<gid_t> = []
  /// The file of this program.
  var programPath = "ble"
  /// What gives the file capabilities; `nil` where nothing does.
  var fileCapabilities: @Sendable () -> [UInt8]? = { nil }
  /// The kernel's messages, oldest first; `nil` where they may not be read.
  var kernelLog: @Sendable () -> String? = { nil }
  /// The adapters that the kernel manages; `nil` where it cannot be asked.
  var managedAdapters: @Sendable () -> [SystemAdapter.Information]? = { nil }
  /// What the kernel counts for an adapter, by its number.
  var statistics: @Sendable (UInt16) -> KernelAdapterStatistics? = { _ in nil }
  /// The running programs of this user.
  var programs: @Sendable () -> [RunningPrograms.Program] = { [] }
  /// Who may have an adapter by the user channel, in brackets.
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
    (try? UntrustedFile.beginning(of: root + path, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The last part of what a link leads to; `nil` where there is none.
  func target(of link: String) -> String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: root + link)).map { ($0 as NSString).lastPathComponent }
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

  // MARK: As the library finds it

  /// What says so is read by what reads it for the stacks.
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
  /// Where programs of this user may be: a service is often started without the variables that a terminal has.
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
