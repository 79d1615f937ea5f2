internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// The common superclass of central and peripheral managers.
///
/// Availability: iOS 10.0, macOS 10.13.
open class CBManager: NSObject {
  let adapter: any Adapter
  /// Jobs of one manager are executed in order.
  let origin: JobOrigin
  private let wantsPowerAlert: Bool
  /// `nil` if nothing observes this manager.
  let watch: ProgramWatch?
  private let known = Mutex(Known())

  struct Known {
    var state = AdapterState.unknown
    var hasAlerted = false
  }

  /// `NSObject`'s initializer is not available: only the two subclasses are created.
  init(adapter: any Adapter, origin: JobOrigin, powerAlert: Bool, watch: ProgramWatch?) {
    self.adapter = adapter
    self.origin = origin
    wantsPowerAlert = powerAlert
    self.watch = watch
    super.init()
  }

  deinit { count(-1, if: known.withLock { $0.state }) }

  /// Whether Bluetooth can be used; `unknown` until the first call of the delegate's did-update-state method.
  open var state: CBManagerState { CBManagerState(known.withLock { $0.state }) }

  /// Whether the program may use Bluetooth.
  ///
  /// Availability: iOS 13.0, macOS 10.15; deprecated in iOS 13.1.
  @available(*, deprecated, message: "use the class property")
  open var authorization: CBManagerAuthorization { state == .unauthorized ? .denied : .allowedAlways }

  /// Whether the program may use Bluetooth. On Linux the user is not asked: it may, unless the state of one of its managers is
  /// `unauthorized`.
  ///
  /// Availability: iOS 13.1, macOS 10.15.
  open class var authorization: CBManagerAuthorization {
    refusedManagers.load(ordering: .relaxed) > 0 ? .denied : .allowedAlways
  }

  /// False if the state was the same. On the program's queue.
  func update(_ state: AdapterState) -> Bool {
    let (hasChanged, isAlert) = known.withLock { known in
      defer { known.state = state }
      count(-1, if: known.state)
      count(1, if: state)
      let isAlert = state == .poweredOff && wantsPowerAlert && !known.hasAlerted
      if isAlert { known.hasAlerted = true }
      return (known.state != state, isAlert)
    }
    if isAlert { adapter.log.log(.notice, "Bluetooth is switched off; \(nameAndAddress) asks to switch it on") }
    return hasChanged
  }

  private func count(_ change: Int, if state: AdapterState) {
    if state == .unauthorized { refusedManagers.add(change, ordering: .relaxed) }
  }

  /// Whether commands are accepted now; if not, this is logged in Apple's words.
  func isReadyForCommands(name: String = #function) -> Bool {
    if known.withLock({ $0.state == .poweredOn }) { return true }
    watch?.misuse(.notPoweredOn, in: name)
    adapter.log.misuse("<\(nameAndAddress)> can only accept this command while in the powered on state")
    return false
  }

  func submit(_ job: @escaping @Sendable () -> Void) { adapter.loop.submit(from: origin, job) }

  open override var description: String { "<\(nameAndAddress)>" }
}

private let refusedManagers = Atomic<Int>(0)

extension CBManagerState {
  init(_ state: AdapterState) {
    self =
      switch state {
      case .unknown: .unknown
      case .resetting: .resetting
      case .unsupported: .unsupported
      case .unauthorized: .unauthorized
      case .poweredOff: .poweredOff
      case .poweredOn: .poweredOn
      }
  }
}
