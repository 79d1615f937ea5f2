import BLECore

/// Receives what the daemon signals of characteristics, which are their values and the MTU, of those that are listened to.
///
/// The daemon signals the result of each read as well, of any program, which costs as much to receive as the reply. So there is a rule for
/// each characteristic that somebody in this process listens to. The bus limits the number of rules of a program: beyond a number of them
/// one rule for all takes their place. On the loop.
final class CharacteristicSignals {
  /// dbus-daemon allows 512 rules for a connection to the system's bus.
  static let limit = 256

  /// The signals of a characteristic arrive while this is kept.
  final class Listening {
    fileprivate var registration: BusRegistration
    fileprivate init(_ registration: BusRegistration) { self.registration = registration }
  }

  private let bus: MessageBus
  private let handler: (String, PropertyChanges?) -> Void
  /// By path; some of them may no longer be kept.
  private var listening: [String: WeakReference<Listening>] = [:]
  /// The rule for all characteristics, as long as one of those is kept that it has replaced.
  private weak var all: BusRegistration?

  /// - Parameter handler: called once for each signal, with the characteristic's path.
  init(on bus: MessageBus, _ handler: @escaping (String, PropertyChanges?) -> Void) {
    self.bus = bus
    self.handler = handler
  }

  /// One for all that listen to the same characteristic.
  func listen(at path: String) -> Listening {
    if let present = listening[path]?.object { return present }
    if listening.count >= Self.limit { listening = listening.filter { $0.value.object != nil } }
    if all == nil, listening.count >= Self.limit { replaceAll() }
    let made = Listening(all ?? register(path))
    listening[path] = WeakReference(made)
    return made
  }

  /// The rule for all is sent before the others are withdrawn, so that no signal is missed.
  private func replaceAll() {
    let all = register(nil)
    self.all = all
    for each in listening.values { each.object?.registration = all }
  }

  private func register(_ path: String?) -> BusRegistration {
    bus.listenToProperties(of: BlueZName.gattCharacteristic, at: path, from: BlueZName.service, handler)
  }
}
