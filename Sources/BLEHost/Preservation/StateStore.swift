import BLEAdapter

/// A store for the preserved states of a program's managers. Everything on the loop.
public protocol StateStore: AnyObject {
  /// Claims the state with this key; `nil`, with a log message, if another manager has it or no state can be stored.
  func claim(_ key: PreservationKey) -> (any PreservedState)?
  /// Calls `completion`, on the loop, when all changes so far outlive the process.
  func flush(_ completion: @escaping () -> Void)
}

/// A store in memory, for simulations, in which a test decides when a simulated process ends.
public final class MemoryStateStore: StateStore {
  private var left: [PreservationKey: [UInt8]] = [:]
  private var held: [PreservationKey: State] = [:]

  public init() {}

  public func claim(_ key: PreservationKey) -> (any PreservedState)? {
    if held[key] != nil { return nil }
    let state = State(left: left[key]) { [weak self] in
      self?.left[key] = nil
      self?.held[key] = nil
    }
    held[key] = state
    return state
  }

  public func flush(_ completion: @escaping () -> Void) { completion() }

  /// Simulates the death of the process: the states of its managers are left for the next process.
  public func processDied() {
    for (key, state) in held {
      left[key] = state.current
      state.release()
    }
    held = [:]
  }

  private final class State: PreservedState {
    private(set) var left: [UInt8]?
    var source: (() -> [UInt8]?)?
    private var hasChanged = false
    private var ending: (() -> Void)?

    init(left: [UInt8]?, ending: @escaping () -> Void) {
      self.left = left
      self.ending = ending
    }

    /// Until the first change, the state left by the previous process is current.
    var current: [UInt8]? { hasChanged ? source?() : left }

    func release() {
      source = nil
      ending = nil
    }

    func setChanged() { hasChanged = true }
    func setAside(because reason: String) { left = nil }

    func end() {
      ending?()
      release()
    }
  }
}
