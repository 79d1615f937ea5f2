import BLECore
import BLEWire

extension FaultEvent {
  /// Whether it is a packet; the others are times and changes of a link.
  public var isPacket: Bool {
    switch self {
    case .phase(.advertising), .phase(.connecting), .phase(.encryption), .time, .connectionTime: false
    default: true
    }
  }

  /// Whether what is done to octets and time concerns the answer, because the event is a request.
  public var concernsAnswer: Bool {
    switch self {
    case .read, .write, .subscription, .unsubscription, .phase(.mtuExchange), .phase(.discovery), .phase(.subscription):
      true
    default: false
    }
  }

  /// Whether it can have an answer that can be withheld, or an error in its place.
  var isRequest: Bool {
    if concernsAnswer { return true }
    guard case .packet(.attributeProtocol(let opcode), _) = self else { return false }
    return opcode.role == .request
  }

  /// Whether the octets of a value are counted, and not those of a packet.
  var concernsValue: Bool {
    switch self {
    case .read, .write, .writeWithoutResponse, .notification, .indication: true
    default: false
    }
  }
}

extension HCIErrorCode {
  /// The reasons with which a host may end a link (Core, Vol 4 Part E 7.1.6).
  static let allowedReasons: [HCIErrorCode] = [
    .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff, .unsupportedRemoteFeature,
    HCIErrorCode(rawValue: 0x29), .unacceptableConnectionParameters,
  ]
}

extension Fault {
  /// The limits of what a fault may say.
  enum Limits {
    static let counts = 1...1_000_000
    static let repetitions = 1...100
    static let octets = 0...65_535
    static let packet = 1...1_024
    static let mtu = 0...65_535
    static let shift = 1...1_000
    /// In milliseconds.
    static let durations: ClosedRange<Int64> = 1...86_400_000
  }

  /// Why it can never strike or has no meaning, as text; `nil` for a fault that can.
  public var mistake: String? {
    if action.needsPacket, !trigger.event.isPacket {
      return "'\(action.kind.rawValue)' needs a packet, and \(trigger.event.words) is none"
    }
    switch action {
    case .error where !trigger.event.isRequest: return "only a request can be answered with an error"
    case .noAnswer where !trigger.event.isRequest:
      if case .indication = trigger.event { return nil }
      if case .packet(.attributeProtocol(.handleValueIndication), _) = trigger.event { return nil }
      return "only a request or an indication has an answer"
    case .declareMTU where !trigger.event.concernsMTU: return "an MTU is declared in the MTU exchange only"
    case .disconnect(let reason) where !HCIErrorCode.allowedReasons.contains(reason):
      return "a device cannot end a link with \(reason)"
    default: return nil
    }
  }

  /// Whether a device that keeps to the specification can cause it.
  public var origin: FaultOrigin {
    switch action {
    case .disconnect, .resetController, .restart, .changeTable, .forgetBond, .silence, .error: return .correctDevice
    case .delay(let time), .fillQueue(let time):
      // The Attribute Protocol, the Security Manager Protocol and L2CAP all give up after 30 s.
      return time < .seconds(30) ? .correctDevice : .brokenDevice
    case .noAnswer, .declareMTU, .send, .controller: return .brokenDevice
    case .drop, .repeated, .swapWithNext, .cut, .lengthen, .flip, .replace: break
    }
    // What a device notifies, or gives as a value, is its application's affair: others cannot tell a fault from another value.
    switch (trigger.event, action) {
    case (.notification, .drop), (.notification, .repeated), (.notification, .swapWithNext): return .correctDevice
    case (.read, .cut), (.read, .flip), (.notification, .cut), (.notification, .flip), (.indication, .cut),
      (.indication, .flip):
      return .correctDevice
    default: return .brokenDevice
    }
  }
}

extension FaultEvent {
  fileprivate var concernsMTU: Bool {
    switch self {
    case .phase(.mtuExchange), .packet(.attributeProtocol(.exchangeMTURequest), _),
      .packet(.attributeProtocol(.exchangeMTUResponse), _):
      true
    default: false
    }
  }
}
