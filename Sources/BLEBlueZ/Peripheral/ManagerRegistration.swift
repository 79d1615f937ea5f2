import BLECore

/// What is registered with one of the adapter's managers: an application or an advertisement of this process, by its path.
final class ManagerRegistration {
  private static let answerLimit = StackDuration.seconds(25)

  private let noun: String
  private let manager: String
  private let path: String
  private let adapter: String
  private let bus: MessageBus
  private var registering: BusCall?

  /// - Parameters:
  ///   - noun: what it is in the names of the manager's methods: "Application" in `RegisterApplication`.
  ///   - manager: the manager's interface.
  init(_ noun: String, with manager: String, path: String, on adapter: String, bus: MessageBus) {
    self.noun = noun
    self.manager = manager
    self.path = path
    self.adapter = adapter
    self.bus = bus
  }

  func begin(_ completion: @escaping (BusError?) -> Void) {
    registering = bus.call(
      "Register\(noun)", of: manager, at: adapter, on: BlueZName.service, [.objectPath(path), .options([:])],
      timeout: Self.answerLimit
    ) { [weak self] result in
      guard let self else { return }
      self.registering = nil
      switch result {
      case .success: completion(nil)
      case .failure(let error): completion(error)
      }
    }
  }

  /// The completion of `begin` is not called after this; `ended` is, when the daemon has answered, and until then it reads the objects.
  func end(_ ended: @escaping () -> Void) {
    registering?.cancel()
    registering = nil
    bus.call(
      "Unregister\(noun)", of: manager, at: adapter, on: BlueZName.service, [.objectPath(path)],
      timeout: Self.answerLimit
    ) { _ in ended() }
  }
}
