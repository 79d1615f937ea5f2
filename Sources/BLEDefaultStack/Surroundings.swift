import BLEAdapter
import BLECore
import BLEFiles
import BLEHost
import Glibc

/// What a process finds around itself: its environment and the user's folders. Read once, when the first adapter is wanted.
struct Surroundings: Sendable {
  var environment: @Sendable (String) -> String?
  /// The octets of a file; `nil` where there is none.
  var readFile: @Sendable (String) -> [UInt8]?

  static let ofThisProcess = Surroundings(
    environment: UserFolders.variable,
    readFile: { path in
      guard let file = fopen(path, "re") else { return nil }
      defer { fclose(file) }
      // A configuration is a few lines; what is longer is none.
      var octets = [UInt8](repeating: 0, count: 64 << 10)
      let count = fread(&octets, 1, octets.count, file)
      return Array(octets.prefix(count))
    })

  /// What this program is called: the name that its device has for those who connect.
  static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "swift-corebluetooth"
  }

  /// The executable of this process: processes with one are one program. Also where the file was replaced since the start.
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

  /// The home that the password database has for this user.
  var accountHome = UserFolders.accountHome

  private var folders: UserFolders { UserFolders(environment: environment, accountHome: accountHome) }

  /// Where what is to outlive the process is kept: `$XDG_STATE_HOME`, else `~/.local/state`, and in it a folder of ours.
  var stateFolder: String { folders.state }

  private var bondPath: String { stateFolder + "/bonds" }
  var bondFolder: BondFolder { BondFolder(bondPath) }

  func bondStore(_ log: Logger) -> FileBondStore { FileBondStore(folder: bondPath, log: log) }

  var configurationPath: String { folders.configurationFile }

  /// What names the adapter, and where that was said; a mistake in it as a sentence for people.
  func adapterName() -> Result<AdapterName, NamingMistake> {
    if let text = environment("BLE_ADAPTER") { return named(text, by: "BLE_ADAPTER") }
    let path = configurationPath
    guard let octets = readFile(path) else { return .success(.standard) }
    do throws(ConfigurationFile.Mistake) {
      guard let text = try ConfigurationFile(octets, path: path).adapter else { return .success(.standard) }
      return named(text, by: path)
    } catch {
      return .failure(NamingMistake(description: "\(error)"))
    }
  }

  private func named(_ text: String, by source: String) -> Result<AdapterName, NamingMistake> {
    do throws(AdapterNameError) {
      return .success(try AdapterName(text))
    } catch {
      return .failure(NamingMistake(description: "\(source): \(error)"))
    }
  }

  /// How many seconds of the embedded radio pass in one. Programs of one speed hear each other.
  var radioSpeed: Result<Int, NamingMistake> {
    guard let text = environment("BLE_RADIO_SPEED") else { return .success(1) }
    if let speed = Int(text), (1...1_000).contains(speed) { return .success(speed) }
    return .failure(NamingMistake(description: "BLE_RADIO_SPEED: '\(text)' is not a number of 1 to 1000"))
  }

  /// On which PHYs devices are looked for.
  var searchPHYs: Result<SearchPHYs, NamingMistake> {
    guard let text = environment("BLE_PHY") else { return .success(.le1M) }
    if let phys = SearchPHYs(rawValue: text.lowercased()) { return .success(phys) }
    let words = SearchPHYs.allCases.map(\.rawValue).joined(separator: ", ")
    return .failure(NamingMistake(description: "BLE_PHY: '\(text)' is none of \(words)"))
  }

  /// The least important lines that are wanted on standard error.
  var logLevel: Result<LogLevel, NamingMistake> {
    guard let text = environment("BLE_LOG") else { return .success(.notice) }
    for level in LogLevel.allCases where "\(level)" == text.lowercased() { return .success(level) }
    let levels = LogLevel.allCases.map { "\($0)" }.joined(separator: ", ")
    return .failure(NamingMistake(description: "BLE_LOG: '\(text)' is no level: \(levels)"))
  }
}

/// A name that a user gave and that nothing can be made of.
struct NamingMistake: Error, Equatable, CustomStringConvertible {
  let description: String
}
