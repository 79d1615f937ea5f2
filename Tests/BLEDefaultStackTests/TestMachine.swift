import BLEAdapter
import BLEFiles
import Synchronization

@testable import BLEDefaultStack

extension Surroundings {
  /// A user on a simulated machine: variables, files by their paths, adapters by their names.
  static func made(
    _ environment: [String: String] = ["HOME": "/home/me"], files: [String: String] = [:], adapters: [String] = [],
    probes: [any AdapterProbe] = []
  ) -> Surroundings {
    var surroundings = Surroundings(
      environment: { environment[$0] },
      readFile: { path throws(PrivateFileError) in
        guard let text = files[path] else { throw PrivateFileError(.missing, "there is no \(path)") }
        return Array(text.utf8)
      }, system: SystemView(names: { $0 == "/sys/class/bluetooth" ? adapters : [] }, text: { files[$0] }))
    surroundings.probes = probes
    return surroundings
  }
}

let configurationPath = "/home/me/.config/swift-corebluetooth/config.json"

/// Answers as configured, and counts the queries.
final class ScriptedProbe: AdapterProbe {
  let subject: String
  private let finding: AdapterFinding?
  private let asked = Mutex(0)

  /// - Parameter finding: `nil`: it never answers.
  init(_ finding: AdapterFinding?, subject: String = "the daemon") {
    self.subject = subject
    self.finding = finding
  }

  var count: Int { asked.withLock { $0 } }

  func look(among adapters: [String], _ completion: @escaping @Sendable (AdapterFinding) -> Void) {
    asked.withLock { $0 += 1 }
    if let finding { completion(finding) }
  }
}
