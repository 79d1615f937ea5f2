import BLEAdapter
import BLECore
import BLEPairing
import Dispatch

/// Answers the daemon's pairing requests with the program's `PairingAgent`.
///
/// It is registered, but never as the default agent. The daemon asks it about pairings that this process starts. About those that others
/// start the daemon asks the default agent: the desktop's where there is one, otherwise the agent that was registered first. A program
/// that became the default agent would answer for all other programs as well.
///
/// So requests about devices that are unrelated to this process may arrive here: the program gets them as `unasked`.
final class BlueZAgent: ExportedObject {
  static let interface = "org.bluez.Agent1"
  private static let manager = "org.bluez.AgentManager1"
  private static let path = "/org/swift_corebluetooth/agent"

  /// The owner.
  private weak var environment: (any PairingEnvironment)?
  private let loop: any StackLoop
  private let log: Logger
  private let agents: () -> any PairingAgent
  /// The queue on which the program's agent is called.
  private let queue = DispatchQueue(label: "ble.pairing")
  private let origin: JobOrigin
  private var registration: BusRegistration?
  private weak var bus: MessageBus?
  private var registered: PairingCapability?

  /// The request that the daemon waits for: it makes one at a time.
  private var question: Question?
  /// The method of the pairing in progress, by device.
  private var methods: [String: PairingMethod] = [:]
  private var displays: [String: (passkey: UInt32, entered: UInt16, request: PairingRequest)] = [:]
  /// The devices with which this process has started a pairing.
  private var wanted: Set<String> = []

  private final class Question {
    let device: String
    let daemon: BusRequest
    var request: PairingRequest?
    init(_ device: String, _ daemon: BusRequest) {
      self.device = device
      self.daemon = daemon
    }
  }

  /// - Parameter agents: returns the agent to ask; called for each request.
  init(on environment: any PairingEnvironment, agents: @escaping () -> any PairingAgent) {
    self.environment = environment
    self.agents = agents
    loop = environment.loop
    log = environment.log
    origin = loop.makeOrigin()
  }

  // MARK: Registration

  /// Registers the agent with the daemon, with the current capability of the program's agent.
  func register() {
    guard let bus = environment?.bus else { return }
    let capability = agents().capability
    if self.bus === bus, registered == capability { return }
    if self.bus === bus, registered != nil { unregister() }
    do throws(BusError) {
      registration = try bus.export(self, at: Self.path, for: BlueZName.service)
    } catch {
      return log.log(.error, "the pairing agent can't be exported to the daemon: \(error)")
    }
    self.bus = bus
    registered = capability
    bus.call(
      "RegisterAgent", of: Self.manager, at: "/org/bluez", on: BlueZName.service,
      [.objectPath(Self.path), .string(capability.daemonName)], timeout: .seconds(25)
    ) { [weak self] result in
      guard let self, case .failure(let error) = result, self.registered == capability else { return }
      self.log.log(.warning, "the daemon does not accept the pairing agent of this program: \(error)")
    }
  }

  /// Called when the daemon or the adapter is gone: ends all requests.
  func stop() {
    unregister()
    endQuestion()
    for device in Array(displays.keys) { endDisplay(of: device) }
    methods = [:]
    wanted = []
  }

  private func unregister() {
    registration?.end()
    registration = nil
    if registered != nil {
      bus?.call(
        "UnregisterAgent", of: Self.manager, at: "/org/bluez", on: BlueZName.service, [.objectPath(Self.path)],
        timeout: .seconds(25)
      ) { _ in }
    }
    registered = nil
  }

  // MARK: Pairing

  /// Called when this process starts to pair with the device.
  func begin(with device: String) { wanted.insert(device) }

  /// Called when the pairing with the device has ended.
  func ended(with device: String, _ error: BusError?) {
    let wasWanted = wanted.remove(device) != nil
    if question?.device == device { endQuestion() }
    endDisplay(of: device)
    let method = methods.removeValue(forKey: device)
    guard wasWanted || method != nil, let peer = peer(of: device) else { return }
    let outcome: PairingOutcome =
      if let error { .failed(error.message.isEmpty ? error.name : error.message) } else {
        .paired(method ?? .justWorks, isBonded: true)
      }
    notifyAgent { $0.pairingEnded(with: peer, outcome) }
  }

  /// Called when the device's link has ended, and with it a pairing that this process has not started: the reply to `Pair` says how its own
  /// has ended.
  /// - Parameter isPaired: it was paired already, and the daemon does not show whether a further pairing has succeeded.
  func linkEnded(with device: String, isPaired: Bool) {
    guard !wanted.contains(device), question?.device == device || displays[device] != nil else { return }
    if isPaired { methods[device] = nil }
    ended(with: device, BusError(BusError.failed, "the connection has ended"))
  }

  private func peer(of device: String) -> PairingPeer? {
    environment?.peer(of: device).map { PairingPeer(address: $0.address, name: $0.name) }
  }

  private func notifyAgent(_ body: @escaping @Sendable (any PairingAgent) -> Void) {
    let agent = agents()
    queue.async { body(agent) }
  }

  /// - Parameter isPeerInitiated: the peer started it, which is the only case in which plain consent is requested.
  private func occasion(of device: String, isPeerInitiated: Bool) -> PairingOccasion {
    if wanted.contains(device) { return .wanted }
    if environment?.isUsed(device) == true { return isPeerInitiated ? .offered : .wanted }
    return environment?.offersProtectedValues == true ? .offered : .unasked
  }

  // MARK: The daemon's requests

  var interfaces: [String] { [Self.interface] }

  func handle(_ request: BusRequest) {
    let device = request.arguments.first?.path ?? ""
    let number = request.arguments.dropFirst().first?.unsigned32
    switch (request.member, number) {
    case ("RequestAuthorization", _): ask(.confirmJustWorks, .justWorks, about: device, isPeerInitiated: true, request)
    case ("RequestConfirmation", .some(let number)) where number <= 999_999:
      ask(.compare(Self.digits(number)), .numericComparison, about: device, isPeerInitiated: false, request)
    case ("RequestPasskey", _): ask(.enterPasskey, .passkeyEntry, about: device, isPeerInitiated: false, request)
    case ("DisplayPasskey", .some(let number)) where number <= 999_999:
      display(number, request.arguments.dropFirst(2).first?.unsigned16 ?? 0, device, request)
    case ("Cancel", _):
      request.answer()
      cancelled()
    case ("Release", _):
      request.answer()
      registered = nil
      stop()
    // Services and PIN codes belong to Bluetooth BR/EDR.
    case ("AuthorizeService", _), ("RequestPinCode", _), ("DisplayPinCode", _): request.refuse(.rejected)
    default: request.refuse(BusError(BusError.unknownMethod, "There is no \(request.member)."))
    }
  }

  private static func digits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  private func ask(
    _ kind: PairingRequest.Kind, _ method: PairingMethod, about device: String, isPeerInitiated: Bool,
    _ daemon: BusRequest
  ) {
    guard let peer = peer(of: device) else { return daemon.refuse(.rejected) }
    endQuestion()
    let question = Question(device, daemon)
    self.question = question
    methods[device] = method
    let bound = LoopBound((WeakReference(self), question))
    let (loop, origin) = (loop, origin)
    let request = PairingRequest(
      kind, method: method, isSecureConnections: method == .numericComparison, peer: peer,
      occasion: occasion(of: device, isPeerInitiated: isPeerInitiated)
    ) { answer in
      loop.submit(from: origin) { bound.value.0.object?.answer(bound.value.1, answer) }
    }
    question.request = request
    notifyAgent { $0.pairing(request) }
  }

  private func answer(_ question: Question, _ answer: PairingRequest.Answer) {
    if self.question === question { self.question = nil }
    switch answer {
    case .yes: question.daemon.answer()
    case .no: question.daemon.refuse(.rejected)
    case .passkey(let digits):
      if let number = UInt32(digits) {
        question.daemon.answer([.uint32(number)])
      } else {
        question.daemon.refuse(.rejected)
      }
    }
  }

  private func endQuestion() {
    guard let question else { return }
    self.question = nil
    question.request?.end()
    question.daemon.refuse(.canceled)
  }

  /// Called when the daemon withdraws the request that it waits for: the peer has disconnected, or has refused. Where none is open, the
  /// withdrawal has crossed the answer. It never means a displayed passkey, for which the daemon does not wait (`agent_cancel` in its
  /// `src/agent.c`): that ends with the pairing, with another passkey, or with the link.
  private func cancelled() {
    guard let device = question?.device else { return }
    endQuestion()
    // The reply to `Pair`, if this process has called it, says how the pairing ended.
    if !wanted.contains(device) { ended(with: device, BusError(BusError.failed, "the pairing was cancelled")) }
  }

  // MARK: Displayed passkeys

  /// - Parameter entered: how many digits the user of the peer has typed.
  private func display(_ passkey: UInt32, _ entered: UInt16, _ device: String, _ daemon: BusRequest) {
    guard let peer = peer(of: device) else { return daemon.refuse(.rejected) }
    daemon.answer()
    if let shown = displays[device], shown.passkey == passkey {
      guard shown.entered != entered else { return }
      displays[device]?.entered = entered
      let keypress: PairingKeypress = entered > shown.entered ? .digitEntered : .digitErased
      return notifyAgent { $0.pairing(with: peer, typed: keypress) }
    }
    endDisplay(of: device)
    methods[device] = .passkeyEntry
    let bound = LoopBound(WeakReference(self))
    let (loop, origin) = (loop, origin)
    let request = PairingRequest(
      .displayPasskey(Self.digits(passkey)), method: .passkeyEntry, isSecureConnections: false, peer: peer,
      occasion: occasion(of: device, isPeerInitiated: false)
    ) { answer in
      guard answer == .no else { return }
      loop.submit(from: origin) { bound.value.object?.refuse(device) }
    }
    displays[device] = (passkey, entered, request)
    notifyAgent { $0.pairing(request) }
  }

  /// Called when the user refuses a pairing whose passkey is displayed, which the daemon does not ask about.
  private func refuse(_ device: String) {
    guard displays[device] != nil else { return }
    bus?.call(
      "CancelPairing", of: "org.bluez.Device1", at: device, on: BlueZName.service, timeout: .seconds(25)
    ) { [weak self] result in
      // It cancels what this side has started; what the peer has started ends with the link.
      guard case .failure = result else { return }
      self?.bus?.call(
        "Disconnect", of: "org.bluez.Device1", at: device, on: BlueZName.service, timeout: .seconds(25)
      ) { _ in }
    }
  }

  private func endDisplay(of device: String) { displays.removeValue(forKey: device)?.request.end() }
}
