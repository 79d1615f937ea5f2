#if canImport(BLETestKit)
  import BLETestKit
  import CoreBluetooth
  import Foundation
  import Thermostat

  /// Two thermostats of one kind, a phone with the app, and people who use them.
  final class Home {
    let hall: SimulatedThermostat
    /// In the neighbour's flat: the app has no business with it.
    let kitchen: SimulatedThermostat
    let hallDevice: Device
    let phone: Device
    let memory: Memory
    let app: LaunchedProgram<App>
    private let people: People

    init(in world: World, bug: SeededBug? = nil, hands: Hands = .busy) {
      hallDevice = world.makeDevice("hall")
      let kitchenDevice = world.makeDevice("kitchen")
      phone = world.makeDevice("phone")
      hallDevice.setMaximumTransmissionUnit(65)
      let clock = world.clock, memory = Memory()
      hall = SimulatedThermostat("hall", options: hallDevice.options, clock: clock)
      kitchen = SimulatedThermostat("kitchen", options: kitchenDevice.options, clock: clock)
      self.memory = memory
      let app = world.launch(on: phone) { App(options: $0, memory: memory, clock: clock, bug: bug) }
      self.app = app
      people = People(app: app, hall: hall, memory: memory, clock: clock, seed: world.seed, hands: hands)
      people.begin()
    }

    /// The app is, and the thermostat has a subscriber.
    var isReady: Bool { app.current.session.phase == .ready && hall.isWatched }
  }

  /// The world's clock for the app.
  struct WorldAppClock: AppClock {
    let clock: WorldClock
    func start(
      after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
    ) -> any AppTimer {
      RunningTimer(timer: clock.schedule(after: delay, on: queue, action))
    }

    private struct RunningTimer: AppTimer {
      let timer: WorldTimer
      func cancel() { timer.cancel() }
    }
  }

  /// What the phone keeps for the app.
  ///
  /// `@unchecked Sendable`: written on the app's queue, and looked at while the world's clock stands still.
  final class Memory: SessionMemory, @unchecked Sendable {
    var thermostat: UUID?
    var pendingImage: Data? {
      didSet { if let pendingImage { askedFor = pendingImage } }
    }
    /// The image that the app was last asked to install.
    private(set) var askedFor: Data?
  }

  /// One process of the app: its session, and what its user sees.
  ///
  /// `@unchecked Sendable`: changed on the session's queue, and looked at while the world's clock stands still.
  final class App: @unchecked Sendable {
    private(set) var session: ThermostatSession!
    private let clock: WorldClock
    /// The thermostats that can be chosen, by name.
    private(set) var offered: [String: UUID] = [:]
    /// Links that have begun and not ended.
    private(set) var links = 0
    private(set) var mostLinks = 0
    private(set) var openRequests = 0
    /// How often a lock was refused because the devices are not paired: the user has refused it, or a pairing was interrupted, after
    /// which the system lets some time pass.
    private(set) var unpairedLocks = 0
    /// Results that must not be seen, in words.
    private(set) var complaints: [String] = []

    init(options: [String: Any], memory: Memory, clock: WorldClock, bug: SeededBug?) {
      self.clock = clock
      session = SeededBug.session(bug, options, memory, WorldAppClock(clock: clock)) { [unowned self] in see($0) }
    }

    private func see(_ event: ThermostatSession.Event) {
      switch event {
      case .found(let identifier, let name): offered[name] = identifier
      case .linkBegan:
        links += 1
        mostLinks = max(mostLinks, links)
      case .linkEnded: links -= 1
      case .changed, .updateComplete: return
      }
    }

    func setTarget(_ hundredths: Int16) {
      let end = requestBegins(within: .seconds(10))
      session.setTarget(hundredths, completion: end)
    }

    func setChildLock(_ isOn: Bool) {
      let end = requestBegins(within: .seconds(60))
      session.setChildLock(isOn) { [self] result in
        if case .failure(.refused(CBATTError.insufficientAuthentication.rawValue)) = result {
          unpairedLocks += 1
          end(.success(()))
        } else {
          end(result)
        }
      }
    }

    private func requestBegins(within limit: Duration) -> @Sendable (Result<Void, RequestError>) -> Void {
      let begin = clock.now
      session.queue.async { [self] in openRequests += 1 }
      return { [self] result in
        openRequests -= 1
        switch result {
        case .success, .failure(.superseded): return
        case .failure(.refused(let code)): complaints.append("a request was refused with \(code)")
        case .failure(.timedOut):
          if clock.now - begin < limit { complaints.append("a request was given up after \(clock.now - begin)") }
        }
      }
    }
  }
#endif
