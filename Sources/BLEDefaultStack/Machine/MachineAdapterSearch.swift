import BLEAdapter
import Dispatch
import Synchronization

/// Looks for the machine's own adapter if none is named: asks one probe after another.
struct MachineAdapterSearch {
  private let adapters: [String]
  private let probes: [any AdapterProbe]
  private let limit: DispatchTimeInterval

  init(in surroundings: Surroundings) {
    adapters = surroundings.system.adapters
    probes = surroundings.probes
    limit = surroundings.probeLimit
  }

  /// Whether the machine has any adapter, in use or not.
  var hasAdapter: Bool { !adapters.isEmpty }

  /// The adapter; `nil` if there is no usable one, with the reason in `remark`.
  func run() -> (name: AdapterName?, remark: String) {
    // Without an adapter no probe is asked.
    if adapters.isEmpty { return (nil, "this machine has no Bluetooth adapter of its own") }
    let deadline = DispatchTime.now() + limit
    var missing: [String] = []
    for probe in probes {
      switch ask(probe, until: deadline) {
      case .usable(let name): return (name, "it is this machine's own")
      case .absent(let reason): missing.append(reason)
      case .withheld(let reason): return (nil, reason)
      case nil: return (nil, "\(probe.subject) does not answer")
      }
    }
    return (nil, missing.isEmpty ? "this machine's own cannot be used" : missing.joined(separator: ", and "))
  }

  /// `nil` if there is no answer in time. A later one is dropped.
  private func ask(_ probe: any AdapterProbe, until deadline: DispatchTime) -> AdapterFinding? {
    let answer = Answer()
    probe.look(among: adapters) { answer.give($0) }
    return answer.wait(until: deadline)
  }

  private final class Answer: Sendable {
    private let finding = Mutex<AdapterFinding?>(nil)
    private let given = DispatchSemaphore(value: 0)

    func give(_ new: AdapterFinding) {
      finding.withLock { $0 = $0 ?? new }
      given.signal()
    }

    func wait(until deadline: DispatchTime) -> AdapterFinding? {
      given.wait(timeout: deadline) == .success ? finding.withLock { $0 } : nil
    }
  }
}
