public import BLEAdapter
import BLEFiles

/// The adapter that a program uses, and why. The only reader of that choice: for the stacks and for the commands that explain it.
public struct AdapterChoice: Equatable, Sendable {
  /// What determines the adapter.
  public enum Source: Hashable, Sendable {
    /// The program itself, for example by `--adapter`.
    case option
    /// `BLE_ADAPTER`.
    case environment
    case configuration(path: String)
    /// None is named, and the machine has an adapter that can be used without further configuration.
    case machine
    /// None is named, and the machine has no usable adapter: the embedded radio.
    case standard
  }

  public let source: Source
  /// The adapter, or the error in its name.
  public let name: Result<AdapterName, NamingMistake>
  /// If none is named: the result of the search of the machine, as part of a sentence.
  public let remark: String?
  /// Whether the machine has an adapter and none is named: then the user should know which one is used.
  public let isRemarkable: Bool

  /// Reads the name of the adapter. Only if there is none, the machine is searched, which may take a second.
  public init(in surroundings: Surroundings) {
    if let option = surroundings.option {
      self.init(.option, .success(option))
    } else if let text = surroundings.environment("BLE_ADAPTER") {
      self.init(.environment, Self.named(text, by: "BLE_ADAPTER"))
    } else if surroundings.isTest {
      // The configuration is for the user's programs: a test uses the radio, unless its environment names another.
      self.init(.standard, .success(.standard), "this is a test")
    } else if let configured = Self.configured(surroundings) {
      self.init(.configuration(path: surroundings.configurationPath), configured)
    } else {
      let search = MachineAdapterSearch(in: surroundings)
      let found = search.run()
      self.init(
        found.name == nil ? .standard : .machine, .success(found.name ?? .standard), found.remark,
        isRemarkable: search.hasAdapter)
    }
  }

  private init(
    _ source: Source, _ name: Result<AdapterName, NamingMistake>, _ remark: String? = nil, isRemarkable: Bool = false
  ) {
    (self.source, self.name, self.remark, self.isRemarkable) = (source, name, remark, isRemarkable)
  }

  private static func configured(_ surroundings: Surroundings) -> Result<AdapterName, NamingMistake>? {
    let path = surroundings.configurationPath
    do throws(ConfigurationFile.Mistake) {
      return try surroundings.configuration().adapter.map { named($0, by: path) }
    } catch {
      return .failure(NamingMistake(description: "\(error)"))
    }
  }

  private static func named(_ text: String, by source: String) -> Result<AdapterName, NamingMistake> {
    do throws(AdapterNameError) {
      return .success(try AdapterName(text))
    } catch {
      return .failure(NamingMistake(description: "\(source): \(error)"))
    }
  }

  /// Why this adapter is used, as the second half of a sentence.
  public var reason: String {
    switch source {
    case .option: "--adapter names it"
    case .environment: "BLE_ADAPTER names it"
    case .configuration(let path): "\(path) names it"
    case .machine, .standard: "no adapter is named" + (remark.map { ", and \($0)" } ?? "")
    }
  }
}

/// A text that does not name what it should: where it is, and why.
public struct NamingMistake: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}
