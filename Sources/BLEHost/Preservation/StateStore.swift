import BLEAdapter

/// Where the states of a program's managers are kept. Everything on the loop.
public protocol StateStore: AnyObject {
  /// Takes the state of that key; `nil` where another manager has it, or where nothing can be kept, which the log is told.
  func claim(_ key: PreservationKey) -> (any PreservedState)?
  /// Calls `completion`, on the loop, when all that is to be kept so far is where it survives the process.
  func flush(_ completion: @escaping () -> Void)
}

/// A store that ends with its process, for simulations: the processes of the simulated device end when the test says so.
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

  /// The simulated process is gone without a word: what its managers were doing is left for the next.
  public func processDied() {
    for (key, state) in held {
      left[key] = state.current
      state.letGo()
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

    /// As long as nothing has changed, what was left is not outdated.
    var current: [UInt8]? { hasChanged ? source?() : left }

    func letGo() {
      source = nil
      ending = nil
    }

    func setChanged() { hasChanged = true }
    func setAside(because reason: String) { left = nil }

    func end() {
      ending?()
      letGo()
    }
  }
}
