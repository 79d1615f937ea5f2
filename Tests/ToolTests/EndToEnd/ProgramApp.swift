import Foundation

/// Makes this process one of the neighbourhood's.
func enter(_ root: String, _ adapter: String = "radio") {
  for (variable, folder) in [("XDG_RUNTIME_DIR", "run"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")] {
    setenv(variable, "\(root)/\(folder)", 1)
  }
  setenv("BLE_ADAPTER", adapter, 1)
  // A user who runs the tests at a terminal is not asked whether to pair: a process in the background has no terminal.
  _ = setpgid(0, 0)
}

/// The calls of a program's delegate, line by line. `@unchecked`: touched under the condition only.
class ProgramApp: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "app")
  private let condition = NSCondition()
  private var told: [String] = []

  var lines: [String] { condition.withLock { told } }

  func tell(_ line: String) {
    condition.withLock {
      told.append(line)
      condition.broadcast()
    }
  }

  /// Whether the condition holds within two minutes, of which a busy machine may need one.
  func reaches(_ isThere: (ProgramApp) -> Bool) -> Bool {
    let deadline = Date().addingTimeInterval(120)
    while !isThere(self) {
      if !condition.withLock({ condition.wait(until: min(deadline, Date().addingTimeInterval(0.1))) }),
        Date() > deadline
      {
        return isThere(self)
      }
    }
    return true
  }

  /// The last answer has time to be sent.
  func lingers() { usleep(1_000_000) }
}
