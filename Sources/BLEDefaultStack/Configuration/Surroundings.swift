public import BLEAdapter
import BLECore
public import BLEFiles
import BLEState
import Dispatch
import Glibc

#if BlueZ
  import BLEBlueZ
#endif

/// The environment of a process: its variables, the user's folders, the machine. Read once, when the first adapter is needed.
public struct Surroundings: Sendable {
  /// The value of a variable; `nil` if it is missing or empty.
  public var environment: @Sendable (String) -> String?
  /// The contents of a file; throws `missing` if there is none that this user may see.
  var readFile: @Sendable (String) throws(PrivateFileError) -> [UInt8]
  /// The user's home in the password database.
  public var accountHome: String?
  /// The adapter that the program itself names, for example by `--adapter`.
  public var option: AdapterName?
  /// Whether this program is a bundle of tests.
  public var isTest = false
  public var system: SystemView
  /// The probes for the machine's own adapter if none is named, in this order.
  public var probes: [any AdapterProbe] = []
  /// The time limit for all of them together.
  var probeLimit = DispatchTimeInterval.seconds(1)

  public init(
    environment: @escaping @Sendable (String) -> String?,
    readFile: @escaping @Sendable (String) throws(PrivateFileError) -> [UInt8],
    system: SystemView, accountHome: String? = UserFolders.accountHome
  ) {
    self.environment = environment
    self.readFile = readFile
    self.system = system
    self.accountHome = accountHome
  }

  static let ofThisProcess: Surroundings = {
    var surroundings = Surroundings(
      environment: UserFolders.variable, readFile: fileReader(), system: .ofThisMachine)
    // A bundle that `swift test` builds and runs; processes that a test starts are programs.
    surroundings.isTest = programPath.hasSuffix(".xctest")
    surroundings.probes = machineProbes
    return surroundings
  }()

  /// Reads whole files, with `root` as a prefix of all paths.
  public static func fileReader(
    below root: String = ""
  ) -> @Sendable (_ path: String) throws(PrivateFileError) -> [UInt8] {
    { path throws(PrivateFileError) in try UntrustedFile.read(root + path, limit: ConfigurationFile.sizeLimit) }
  }

  /// The probes of this build.
  public static let machineProbes: [any AdapterProbe] = {
    #if BlueZ
      [DaemonProbe(), KernelAdapterProbe()]
    #else
      [KernelAdapterProbe()]
    #endif
  }()

  /// The name of this program: the default name of its device for peers.
  static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "swift-corebluetooth"
  }

  /// The executable of this process: processes with the same one are one program. Also if the file was replaced since the start.
  static var programPath: String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? 0
    }
    guard count > 0 else { return programName }
    let text = String(decoding: path.prefix(count), as: UTF8.self)
    let ending = " (deleted)"
    return text.hasSuffix(ending) ? String(text.dropLast(ending.count)) : text
  }

  private var folders: UserFolders { UserFolders(environment: environment, accountHome: accountHome) }

  /// The folder for persistent state: `$XDG_STATE_HOME`, else `~/.local/state`, and in it a folder of this project.
  var stateFolder: String { folders.state }

  private var bondPath: String { stateFolder + "/bonds" }
  var bondFolder: BondFolder { BondFolder(bondPath) }

  func bondStore(_ log: Logger) -> FileBondStore { FileBondStore(folder: bondPath, log: log) }

  public var configurationPath: String { folders.configurationFile }

  /// The contents of the configuration file; an empty configuration if there is none that this user may see.
  func configuration() throws(ConfigurationFile.Mistake) -> ConfigurationFile {
    let path = configurationPath
    let octets: [UInt8]
    do throws(PrivateFileError) {
      octets = try readFile(path)
    } catch {
      if error.kind == .missing { return ConfigurationFile() }
      throw ConfigurationFile.Mistake(path: path, line: nil, reason: error.reason)
    }
    return try ConfigurationFile(octets, path: path)
  }

  /// How many seconds of the embedded radio pass in one second. Programs with the same speed can communicate.
  var radioSpeed: Result<Int, NamingMistake> {
    guard let text = environment("BLE_RADIO_SPEED") else { return .success(1) }
    if let speed = Int(text), (1...1_000).contains(speed) { return .success(speed) }
    return .failure(NamingMistake(description: "BLE_RADIO_SPEED: '\(text)' is not a number of 1 to 1000"))
  }

  /// The PHYs used to scan and to initiate connections.
  var searchPHYs: Result<SearchPHYs, NamingMistake> {
    guard let text = environment("BLE_PHY") else { return .success(.le1M) }
    if let phys = SearchPHYs(rawValue: text.lowercased()) { return .success(phys) }
    let words = SearchPHYs.allCases.map(\.rawValue).joined(separator: ", ")
    return .failure(NamingMistake(description: "BLE_PHY: '\(text)' is not one of \(words)"))
  }

  /// The minimum level of lines on standard error.
  var logLevel: Result<LogLevel, NamingMistake> {
    guard let text = environment("BLE_LOG") else { return .success(.notice) }
    for level in LogLevel.allCases where "\(level)" == text.lowercased() { return .success(level) }
    let levels = LogLevel.allCases.map { "\($0)" }.joined(separator: ", ")
    return .failure(NamingMistake(description: "BLE_LOG: '\(text)' is not a level: \(levels)"))
  }
}
