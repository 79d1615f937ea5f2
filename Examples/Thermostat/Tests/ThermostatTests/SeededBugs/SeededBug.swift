#if canImport(BLETestKit)
  @testable import Thermostat

  /// Mistakes that apps make, each a session in which one decision is another one. The app knows nothing of them.
  enum SeededBug: String, CaseIterable, Sendable {
    case subscriptionNotRestored
    case staleHandle
    case lostLastFragment
    case doubleConnect
    case raceOfWriteAndNotification
    case timeOutNotCancelled
    case wrongDeviceAfterRestart
    case unboundedQueue
    case restoredStateIgnored
    case blockedQueue

    /// The session with this bug; without one, the app's.
    static func session(
      _ bug: SeededBug?, _ options: [String: Any], _ memory: any SessionMemory, _ clock: any AppClock,
      _ onEvent: @escaping (ThermostatSession.Event) -> Void
    ) -> ThermostatSession {
      let type =
        switch bug {
        case nil: ThermostatSession.self
        case .subscriptionNotRestored: SubscribesOnce.self
        case .staleHandle: KeepsFirstAttributes.self
        case .lostLastFragment: CountsHandedOverAsInstalled.self
        case .doubleConnect: ConnectsTwice.self
        case .raceOfWriteAndNotification: ShowsWhatItWrote.self
        case .timeOutNotCancelled: LeavesTimeOutsRunning.self
        case .wrongDeviceAfterRestart: TakesAnyThermostat.self
        case .unboundedQueue: QueuesEverything.self
        case .restoredStateIgnored: ReliesOnRestoration.self
        case .blockedQueue: WaitsForLostAnswers.self
        }
      return type.init(options: options, memory: memory, clock: clock, onEvent: onEvent)
    }
  }
#endif
