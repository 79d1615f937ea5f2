import BLEProfileFiles
import BLESession
import CoreBluetooth

/// Publishes the peripheral of a profile and reports its events.
@MainActor final class ProfileServer {
  let session: Session
  private let profile: Profile
  let characteristics: [ServedCharacteristic]
  private(set) var peripheral: PeripheralCore?
  private var hasStarted = false
  private var failure: ToolError?
  private var isOver = false

  private var waiting: Waiting { session.waiting }

  init(_ profile: Profile, in session: Session) {
    self.profile = profile
    self.session = session
    var counts: [CharacteristicPath: Int] = [:]
    characteristics = profile.services.flatMap { service in
      service.characteristics.map { characteristic in
        var path = CharacteristicPath(CBUUID(characteristic.uuid), in: CBUUID(service.uuid))
        let number = counts[path, default: 0]
        counts[path] = number + 1
        path.instance = number
        return ServedCharacteristic(characteristic, at: path)
      }
    }
  }

  /// Ends `run()`.
  func end() {
    isOver = true
    waiting.changed()
  }

  /// Publishes and advertises, again each time Bluetooth is back, until `end()`.
  func run() async throws(ToolError) {
    try await session.adapterIsReady { self.isOver }
    let peripheral = PeripheralCore(queue: .main, services: declarations(), options: nil, clock: SystemSessionClock())
    self.peripheral = peripheral
    peripheral.observers.append { [weak self] event in MainActor.assumeIsolated { self?.take(event) } }
    defer {
      for characteristic in characteristics { characteristic.unsubscribeAll() }
      peripheral.close()
    }
    try await session.powerIsOn { peripheral.state }
    let started = Reply<Void>()
    started.whenFailed = { [weak self] error in MainActor.assumeIsolated { self?.take(.failed(error)) } }
    peripheral.start(plan, started)
    let late = ToolError(.timedOut, "Publishing and advertising did not begin in time.")
    try await waiting.until(within: session.timeout, else: late) { () throws(ToolError) in
      try self.check() || self.hasStarted || peripheral.state != .poweredOn
    }
    try await waiting.until(within: nil) { () throws(ToolError) in try self.check() }
  }

  /// Whether `end()` was called; throws what ends the server.
  private func check() throws(ToolError) -> Bool {
    if let failure { throw failure }
    switch peripheral?.state {
    // Bluetooth that is switched off can be switched on; these states do not change by themselves.
    case .unsupported?, .unauthorized?:
      if let state = peripheral?.state, let failure = ToolError(state) { throw failure }
    default: break
    }
    return isOver
  }

  private var plan: AdvertisingPlan {
    AdvertisingPlan(localName: profile.name, services: profile.advertisedServices.map { CBUUID($0) })
  }

  private func declarations() -> [ServiceDeclaration] {
    var rest = characteristics[...]
    return profile.services.map { service in
      defer { rest = rest.dropFirst(service.characteristics.count) }
      return ServiceDeclaration(
        CBUUID(service.uuid), isPrimary: service.isPrimary,
        rest.prefix(service.characteristics.count).map { served in
          let profile = served.profile
          var declaration = CharacteristicDeclaration.dynamic(
            served.path.characteristic, read: { _ in MainActor.assumeIsolated { .value(Data(served.value)) } },
            write: { [weak self] access, value in
              MainActor.assumeIsolated { self?.accept(value, at: access.offset, for: served) ?? .unlikelyError }
            })
          declaration.make = { profile.makeCharacteristic() }
          return declaration
        })
    }
  }

  // MARK: Events

  private func take(_ event: PeripheralEvent) {
    switch event {
    case .state(.poweredOn), .state(.unknown): break
    case .state:
      for characteristic in characteristics { characteristic.unsubscribeAll() }
      if hasStarted { session.output.unavailable() }
      hasStarted = false
    case .advertising:
      hasStarted = true
      session.output.advertising(plan)
    // The state says the same.
    case .failed(let error) where error.code == .unavailable: break
    case .failed(let error): failure = ToolError(error)
    case .subscribed(let central, let path): subscribed(central.identifier, served(path))
    case .unsubscribed(let central, let path):
      guard let served = served(path) else { return }
      served.unsubscribe(central)
      report("unsubscribed", served, central, nil)
    case .read(let central, let path): if let served = served(path) { report("read", served, central, served.value) }
    case .wrote(let central, let path, _): if let served = served(path) { apply(to: served, from: central) }
    }
    waiting.changed()
  }

  private func served(_ path: CharacteristicPath) -> ServedCharacteristic? { characteristics.first { $0.path == path } }

  private func subscribed(_ central: UUID, _ served: ServedCharacteristic?) {
    guard let served else { return }
    served.subscribe(central)
    report("subscribed", served, central, nil)
    guard case .every(let interval, let templates) = served.profile.notifications else { return }
    served.startTimer(every: interval) { [weak self, weak served] in
      if let self, let served { self.tick(served, templates) }
    }
  }

  /// Accepts one write of a request. Nothing is changed before all of them are accepted.
  private func accept(_ value: Data, at offset: Int, for served: ServedCharacteristic) -> CBATTError.Code {
    let start = offset == 0 ? [] : served.written ?? served.value
    let code: CBATTError.Code =
      !(0...start.count).contains(offset)
      ? .invalidOffset : offset + value.count > ValueFormat.longest ? .invalidAttributeValueLength : .success
    if code == .success {
      served.written = Array(start[..<offset] + value)
    } else {
      for characteristic in characteristics { characteristic.written = nil }
    }
    return code
  }

  private func apply(to served: ServedCharacteristic, from central: UUID) {
    guard let value = served.written else { return }
    served.written = nil
    if served.profile.onWrite != .ignore { served.value = value }
    report("written", served, central, value)
    if served.profile.onWrite == .echo, !served.subscribers.isEmpty { notify(served, CollectionOfOne(value)) }
  }
}
