import BLEAdapter
import BLECore
import BLEPairing
import Dispatch

/// Answers the daemon's questions about pairings by the program's `PairingAgent`.
///
/// It is registered and never asks to be the default agent. The daemon asks it about the pairings that this process calls for; about those
/// that others begin it asks the default agent, which is the desktop's where there is one, and the one that was registered first else. A
/// program that wanted to be asked before the desktop would answer for all other programs as well.
///
/// So questions about devices that have nothing to do with this process may come here: for the program they are `unasked`.
final class BlueZAgent: ExportedObject {
  static let interface = "org.bluez.Agent1"
  private static let manager = "org.bluez.AgentManager1"
  private static let path = "/org/swift_corebluetooth/agent"

  private unowned let ground: any PairingGround
  private let agents: () -> any PairingAgent
  /// Where agents are called.
  private let queue = DispatchQueue(label: "ble.pairing")
  private let origin: JobOrigin
  private var registration: BusRegistration?
  private weak var bus: MessageBus?
  private var registered: PairingCapability?

  /// What the daemon waits for: it asks one question at a time.
  private var question: Question?
  /// By device: how the pairing that is under way came about.
  private var methods: [String: PairingMethod] = [:]
  private var displays: [String: (passkey: UInt32, entered: UInt16, request: PairingRequest)] = [:]
  /// The devices that this process pairs with.
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

  /// - Parameter agents: who answers; asked for each question.
  init(on ground: any PairingGround, agents: @escaping () -> any PairingAgent) {
    self.ground = ground
    self.agents = agents
    origin = ground.loop.makeOrigin()
  }

  // MARK: Registration

  /// Makes the agent known to the daemon, with what the program's agent is able to do now.
  func register() {
    guard let bus = ground.bus else { return }
    let capability = agents().capability
    if self.bus === bus, registered == capability { return }
    if self.bus === bus, registered != nil { unregister() }
    do throws(BusError) {
      registration = try bus.export(self, at: Self.path, for: BlueZName.service)
    } catch {
      return ground.log.log(.error, "the pairing agent can't be shown to the daemon: \(error)")
    }
    self.bus = bus
    registered = capability
    bus.call(
      "RegisterAgent", of: Self.manager, at: "/org/bluez", on: BlueZName.service,
      [.objectPath(Self.path), .string(capability.daemonName)], timeout: .seconds(25)
    ) { [weak self] result in
      guard let self, case .failure(let error) = result, self.registered == capability else { return }
      self.ground.log.log(.warning, "the daemon takes no pairing agent of this program: \(error)")
    }
  }

  /// The daemon or the adapter is gone: nothing is asked any more.
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

  /// A program of this process wants this pairing.
  func begin(with device: String) { wanted.insert(device) }

  /// The pairing with the device is over.
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
    tell { $0.pairingEnded(with: peer, outcome) }
  }

  private func peer(of device: String) -> PairingPeer? {
    ground.peer(of: device).map { PairingPeer(address: $0.address, name: $0.name) }
  }

  private func tell(_ body: @escaping @Sendable (any PairingAgent) -> Void) {
    let agent = agents()
    queue.async { body(agent) }
  }

  /// - Parameter isOther: the other side began: only then is mere consent asked for.
  private func occasion(of device: String, isOther: Bool) -> PairingOccasion {
    if wanted.contains(device) { return .wanted }
    if ground.isUsed(device) { return isOther ? .offered : .wanted }
    return ground.offersProtectedValues ? .offered : .unasked
  }

  // MARK: The daemon's questions

  var interfaces: [String] { [Self.interface] }

  func handle(_ request: BusRequest) {
    let device = request.arguments.first?.path ?? ""
    let number = request.arguments.dropFirst().first?.unsigned32
    switch (request.member, number) {
    case ("RequestAuthorization", _): ask(.confirmJustWorks, .justWorks, about: device, isOther: true, request)
    case ("RequestConfirmation", .some(let number)) where number <= 999_999:
      ask(.compare(Self.digits(number)), .numericComparison, about: device, isOther: false, request)
    case ("RequestPasskey", _): ask(.enterPasskey, .passkeyEntry, about: device, isOther: false, request)
    case ("DisplayPasskey", .some(let number)) where number <= 999_999:
      display(number, request.arguments.dropFirst(2).first?.unsigned16 ?? 0, device, request)
    case ("Cancel", _):
      request.answer()
      cancelled()
    case ("Release", _):
      request.answer()
      registered = nil
      stop()
    // Services and PIN codes are matters of the other kind of Bluetooth.
    case ("AuthorizeService", _), ("RequestPinCode", _), ("DisplayPinCode", _): request.refuse(.rejected)
    default: request.refuse(BusError(BusError.unknownMethod, "There is no \(request.member)."))
    }
  }

  private static func digits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  private func ask(
    _ kind: PairingRequest.Kind, _ method: PairingMethod, about device: String, isOther: Bool, _ daemon: BusRequest
  ) {
    guard let peer = peer(of: device) else { return daemon.refuse(.rejected) }
    endQuestion()
    let question = Question(device, daemon)
    self.question = question
    methods[device] = method
    let bound = LoopBound((WeakAgent(agent: self), question))
    let (loop, origin) = (ground.loop, origin)
    let request = PairingRequest(
      kind, method: method, isSecureConnections: method == .numericComparison, peer: peer,
      occasion: occasion(of: device, isOther: isOther)
    ) { answer in
      loop.submit(from: origin) { bound.value.0.agent?.answer(bound.value.1, answer) }
    }
    question.request = request
    tell { $0.pairing(request) }
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

  /// The daemon asks no more: the other side has gone, or has said no.
  private func cancelled() {
    guard let device = question?.device ?? displays.keys.first else { return }
    endQuestion()
    // The answer to the pairing that this process has called for says how it ended.
    if !wanted.contains(device) { ended(with: device, BusError(BusError.failed, "the pairing was given up")) }
  }

  // MARK: Passkeys that are shown

  /// - Parameter entered: how many digits the other side has typed.
  private func display(_ passkey: UInt32, _ entered: UInt16, _ device: String, _ daemon: BusRequest) {
    guard let peer = peer(of: device) else { return daemon.refuse(.rejected) }
    daemon.answer()
    if let shown = displays[device], shown.passkey == passkey {
      guard shown.entered != entered else { return }
      displays[device]?.entered = entered
      let keypress: PairingKeypress = entered > shown.entered ? .digitEntered : .digitErased
      return tell { $0.pairing(with: peer, typed: keypress) }
    }
    endDisplay(of: device)
    methods[device] = .passkeyEntry
    let bound = LoopBound(WeakAgent(agent: self))
    let (loop, origin) = (ground.loop, origin)
    let request = PairingRequest(
      .displayPasskey(Self.digits(passkey)), method: .passkeyEntry, isSecureConnections: false, peer: peer,
      occasion: occasion(of: device, isOther: false)
    ) { answer in
      guard answer == .no else { return }
      loop.submit(from: origin) { bound.value.agent?.refuse(device) }
    }
    displays[device] = (passkey, entered, request)
    tell { $0.pairing(request) }
  }

  /// The user does not want this pairing, of which the daemon has asked nothing.
  private func refuse(_ device: String) {
    guard displays[device] != nil else { return }
    bus?.call(
      "CancelPairing", of: "org.bluez.Device1", at: device, on: BlueZName.service, timeout: .seconds(25)
    ) { [weak self] result in
      // It cancels what this side has called for; what the other side began ends with the link.
      guard case .failure = result else { return }
      self?.bus?.call(
        "Disconnect", of: "org.bluez.Device1", at: device, on: BlueZName.service, timeout: .seconds(25)
      ) { _ in }
    }
  }

  private func endDisplay(of device: String) { displays.removeValue(forKey: device)?.request.end() }

  private struct WeakAgent {
    weak var agent: BlueZAgent?
  }
}
