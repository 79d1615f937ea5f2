import BLEAdapter
import BLECore

/// What all rules of a device look at.
struct RuleScene {
  let information: RuleSet.ApplicationInformation?
  /// The name of the device.
  let device: String
  let registry: IdentifierRegistry
  var isInBackground = false
  /// When the system last had a reason to let the app run in the background.
  var lastEvent = StackInstant.zero
  /// The managers that are known not to be powered on.
  private var off: Set<ProgramManager> = []

  init(information: RuleSet.ApplicationInformation?, device: String, registry: IdentifierRegistry) {
    self.information = information
    self.device = device
    self.registry = registry
  }

  mutating func follow(_ event: ProgramEvent) {
    switch event.kind {
    case .call where event.name == "init(delegate:queue:options:)": off.insert(event.manager)
    case .callback, .undelivered:
      guard let isOn = event.powersOn else { return }
      if isOn { off.remove(event.manager) } else { off.insert(event.manager) }
    default: return
    }
  }

  /// Whether a call has no effect because its manager is not powered on.
  func isRefused(_ event: ProgramEvent) -> Bool {
    (event.kind == .call || event.kind == .result) && off.contains(event.manager) && !event.isSettingUp
  }
}

extension ProgramEvent {
  static let stateMethods: Set = ["centralManagerDidUpdateState(_:)", "peripheralManagerDidUpdateState(_:)"]

  /// Whether a reported state is `poweredOn`; `nil` if this is not the report of a state.
  var powersOn: Bool? {
    guard Self.stateMethods.contains(name), kind == .callback || kind == .undelivered else { return nil }
    return argument("state") == "poweredOn"
  }

  /// Whether the call is no command.
  var isSettingUp: Bool { name == "init(delegate:queue:options:)" || name == "deinit" || name == "delegate" }

  func isCall(_ name: String) -> Bool { kind == .call && self.name == name }
  /// Whether or not there was a delegate.
  func isCallback(_ name: String) -> Bool { (kind == .callback || kind == .undelivered) && self.name == name }

  func flag(_ label: String) -> Bool { ["true", "1"].contains(argument(label)) }

  /// The attribute in words.
  var attributeInWords: String { attribute.map { "\($0.uuid)" } ?? "an attribute" }
  var peerInWords: String { address.map { "the device \($0)" } ?? "a device" }
  /// Distinguishes peers and attributes.
  var subject: String {
    let peer = peer.map { "\($0.high) \($0.low)" } ?? ""
    // In steps: as one expression it takes the type checker two seconds.
    guard let attribute else { return "\(peer) " }
    guard let handle = attribute.handle else { return "\(peer) \(attribute.uuid)" }
    return "\(peer) \(handle)"
  }
}
