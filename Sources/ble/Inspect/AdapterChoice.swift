import BLEAdapter
import Foundation

/// Which adapter a program of this user gets, and what says so.
struct AdapterChoice: Equatable, Sendable {
  enum Source: Equatable, Sendable {
    case environment
    case configuration(path: String)
    case standard

    var description: String {
      switch self {
      case .environment: "BLE_ADAPTER or --adapter"
      case .configuration(let path): path
      case .standard: "nothing else is named"
      }
    }
  }

  let source: Source
  /// The adapter; a text that names none with the reason why it does not.
  let name: Result<AdapterName, Mistake>

  struct Mistake: Error, Equatable, Sendable {
    let reason: String
  }

  init(on machine: Machine) {
    if let text = machine.variable("BLE_ADAPTER") {
      source = .environment
      name = Self.read(text)
      return
    }
    let path = machine.configurationPath
    guard let text = machine.text(of: path) else {
      source = .standard
      name = .success(.standard)
      return
    }
    source = .configuration(path: path)
    guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      name = .failure(Mistake(reason: "it is no JSON object such as {\"adapter\": \"radio\"}"))
      return
    }
    if let unknown = object.keys.sorted().first(where: { $0 != "adapter" }) {
      name = .failure(Mistake(reason: "'\(unknown.inert)' is no setting: adapter"))
    } else if let adapter = object["adapter"] as? String {
      name = Self.read(adapter)
    } else {
      name = object.isEmpty ? .success(.standard) : .failure(Mistake(reason: "the value of 'adapter' is no text"))
    }
  }

  private static func read(_ text: String) -> Result<AdapterName, Mistake> {
    do {
      return .success(try AdapterName(text))
    } catch {
      return .failure(Mistake(reason: error.reason.inert))
    }
  }
}
