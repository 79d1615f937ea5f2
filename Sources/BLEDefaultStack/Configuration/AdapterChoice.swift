public import BLEAdapter
import BLEFiles

/// Which adapter a program gets, and what says so. The one reader of it: for the stacks as for those who explain them.
public struct AdapterChoice: Equatable, Sendable {
  /// What decides.
  public enum Source: Hashable, Sendable {
    /// The program itself, as by `--adapter`.
    case option
    /// `BLE_ADAPTER`.
    case environment
    case configuration(path: String)
    /// None is named, and the machine has one of its own that can be used as things are.
    case machine
    /// None is named, and the machine has none that can be used: the embedded radio.
    case standard
  }

  public let source: Source
  /// The adapter, or what is wrong with its name.
  public let name: Result<AdapterName, NamingMistake>
  /// Where none is named: what was found when the machine was looked at, as part of a sentence.
  public let remark: String?
  /// The machine has an adapter of its own, and none is named: which one was taken matters.
  public let isRemarkable: Bool

  /// Reads what names an adapter. Only where nothing does is the machine looked at, which may take a second.
  public init(in surroundings: Surroundings) {
    if let option = surroundings.option {
      self.init(.option, .success(option))
    } else if let text = surroundings.environment("BLE_ADAPTER") {
      self.init(.environment, Self.named(text, by: "BLE_ADAPTER"))
    } else if surroundings.isTest {
      // What is configured is for the programs of the user: a test has the radio, unless its own run names another.
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

  /// Why it is this adapter, as the second half of a sentence.
  public var reason: String {
    switch source {
    case .option: "--adapter names it"
    case .environment: "BLE_ADAPTER names it"
    case .configuration(let path): "\(path) names it"
    case .machine, .standard: "no adapter is named" + (remark.map { ", and \($0)" } ?? "")
    }
  }
}

/// Text that is to name something and does not: where it stands, and why.
public struct NamingMistake: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}
