/// The result of one check.
struct Finding: Equatable, Sendable {
  enum Verdict: String, Sendable {
    case good
    /// Works, but may be worth knowing.
    case note
    /// Does not work as it is.
    case problem
  }

  /// A short, stable name.
  let check: String
  let verdict: Verdict
  /// The result, as a sentence.
  let text: String
  /// What to do about it, if possible as a command.
  var remedy: String?
}

/// Checks everything that Bluetooth with this library needs. It changes nothing and opens no adapter.
struct Examination: Sendable {
  let machine: Machine
  let system: SystemBluetooth
  private(set) var findings: [Finding] = []

  init(of machine: Machine) {
    self.machine = machine
    system = SystemBluetooth(on: machine)
    checkProgram()
    checkAdapter()
    checkEnvironment()
    checkState()
    checkRuntime()
    checkDevices()
    checkKernel()
    checkAdapters()
    checkSwitches()
    checkDaemon()
    checkBus()
    checkCapabilities()
    checkContainer()
    checkLibraries()
    checkTerminal()
    checkHelpers()
  }

  var problems: Int { findings.count { $0.verdict == .problem } }
  var hasProblems: Bool { problems > 0 }

  mutating func good(_ check: String, _ text: String) {
    findings.append(Finding(check: check, verdict: .good, text: text.inert))
  }

  mutating func note(_ check: String, _ text: String, _ remedy: String? = nil) {
    findings.append(Finding(check: check, verdict: .note, text: text.inert, remedy: remedy?.inert))
  }

  mutating func problem(_ check: String, _ text: String, _ remedy: String) {
    findings.append(Finding(check: check, verdict: .problem, text: text.inert, remedy: remedy.inert))
  }
}
