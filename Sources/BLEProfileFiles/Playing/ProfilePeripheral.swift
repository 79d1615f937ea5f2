import BLECore
import BLESession
import CoreBluetooth
import Foundation

/// What happens at the peripheral of a profile.
package enum ProfileEvent {
  /// What a central did with a characteristic, or the characteristic for its subscribers.
  package enum Access: String {
    case subscribed, unsubscribed, read, written, notified
  }

  /// The state of its manager has changed.
  case state(CBManagerState)
  case advertising
  /// Bluetooth is unavailable; the peripheral comes back with it.
  case unavailable
  /// It could not be published or advertised.
  case failed(SessionError)
  /// `central` is `nil` for a notification, which goes to all subscribers; `value` for what has none.
  case accessed(Access, ServedCharacteristic, central: UUID?, value: [UInt8]?)
  /// The profile's channel can be opened by this PSM.
  case channelPublished(CBL2CAPPSM)
  /// A central has opened the profile's channel. One that is not kept is closed.
  case channelOpened(OpenedChannel)
  /// A message for the user.
  case note(String)
}

/// The peripheral of a profile: publishes it, accepts writes, and notifies.
@MainActor package final class ProfilePeripheral {
  package let profile: Profile
  package let characteristics: [ServedCharacteristic]
  /// The advertised data.
  package let plan: AdvertisingPlan
  private let options: [String: Any]?
  private let clock: any SessionClock
  let tell: (ProfileEvent) -> Void
  private(set) var peripheral: PeripheralCore?
  package private(set) var isAdvertising = false
  /// Of the profile's channel, while it is published.
  package internal(set) var psm: CBL2CAPPSM?
  /// Whether the channel was asked for since Bluetooth was switched on.
  var isChannelAsked = false
  private(set) var isStarted = false

  /// - Parameters:
  ///   - options: of its `CBPeripheralManager`.
  ///   - clock: by which its intervals are measured.
  ///   - tell: called with all that happens.
  package init(
    _ profile: Profile, options: [String: Any]? = nil, clock: any SessionClock = SystemSessionClock(),
    tell: @escaping (ProfileEvent) -> Void
  ) {
    self.profile = profile
    self.options = options
    self.clock = clock
    self.tell = tell
    plan = AdvertisingPlan(localName: profile.name, services: profile.advertisedServices.map { CBUUID($0) })
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

  /// The state of its manager; `nil` before `open()` and after `close()`.
  package var state: CBManagerState? { peripheral?.state }

  /// Makes its manager.
  package func open() {
    guard peripheral == nil else { return }
    let peripheral = PeripheralCore(queue: .main, services: declarations(), options: options, clock: clock)
    peripheral.observers.append { [weak self] event in MainActor.assumeIsolated { self?.take(event) } }
    self.peripheral = peripheral
  }

  /// Publishes and advertises, again each time Bluetooth is back, until `close()`.
  package func start() {
    open()
    isStarted = true
    // Before the services, so that their PSM is there when they are discovered.
    publishChannel()
    let started = Reply<Void>()
    started.whenFailed = { [weak self] error in MainActor.assumeIsolated { self?.take(.failed(error)) } }
    peripheral?.start(plan, started)
  }

  package func close() {
    for characteristic in characteristics { characteristic.unsubscribeAll() }
    if let psm { peripheral?.unpublishChannel(psm) }
    loseChannel()
    isStarted = false
    peripheral?.close()
    peripheral = nil
    isAdvertising = false
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
    if case .state(let state) = event { tell(.state(state)) }
    switch event {
    case .state(.poweredOn): publishChannel()
    case .state(.unknown): break
    case .state:
      loseChannel()
      for characteristic in characteristics { characteristic.unsubscribeAll() }
      if isAdvertising { tell(.unavailable) }
      isAdvertising = false
    case .advertising:
      isAdvertising = true
      tell(.advertising)
    // The state says the same.
    case .failed(let error) where error.code == .unavailable: break
    case .failed(let error): tell(.failed(error))
    case .subscribed(let central, let path): subscribed(central.identifier, served(path))
    case .unsubscribed(let central, let path):
      guard let served = served(path) else { return }
      served.unsubscribe(central)
      report(.unsubscribed, served, central, nil)
    case .read(let central, let path): if let served = served(path) { report(.read, served, central, served.value) }
    case .wrote(let central, let path, _): if let served = served(path) { apply(to: served, from: central) }
    }
  }

  func report(_ access: ProfileEvent.Access, _ served: ServedCharacteristic, _ central: UUID?, _ value: [UInt8]?) {
    tell(.accessed(access, served, central: central, value: value))
  }

  func note(_ text: String) { tell(.note(text)) }

  private func served(_ path: CharacteristicPath) -> ServedCharacteristic? { characteristics.first { $0.path == path } }

  private func subscribed(_ central: UUID, _ served: ServedCharacteristic?) {
    guard let served else { return }
    served.subscribe(central)
    report(.subscribed, served, central, nil)
    guard case .every(let interval, let templates) = served.profile.notifications else { return }
    served.startTimer(every: .seconds(interval), by: clock) { [weak self, weak served] in
      if let self, let served { self.tick(served, templates) }
    }
  }

  /// Accepts one write of a request. Nothing is changed before all of them are accepted.
  private func accept(_ value: Data, at offset: Int, for served: ServedCharacteristic) -> CBATTError.Code {
    let start = offset == 0 ? [] : served.written ?? served.value
    let code: CBATTError.Code =
      !(0...start.count).contains(offset)
      ? .invalidOffset : offset + value.count > ValueReader.longest ? .invalidAttributeValueLength : .success
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
    report(.written, served, central, value)
    if served.profile.onWrite == .echo, !served.subscribers.isEmpty { notify(served, CollectionOfOne(value)) }
  }
}
