import BLECore
import BLEWire

// Faults drawn from a seed, for tests that try many, and simpler ones for a test that looks for the shortest story.

extension Fault {
  /// One fault of each kind of action, at an event that is usual for it.
  public static let known: [Fault] = [
    .at(.notification(.any), .nth(2), .drop),
    .at(.read(.any), .nth(1), .delay(.seconds(5))),
    .at(.notification(.any), .nth(1), .repeated(1)),
    .at(.notification(.any), .nth(1), .swapWithNext),
    .at(.read(.any), .nth(1), .cut(to: 0)),
    .at(.notification(.any), .nth(1), .lengthen(by: 4)),
    .at(.read(.any), .nth(1), .flip(octet: 0, mask: 0x01)),
    .at(.packet(.attributeProtocol(.readResponse), from: .device), .nth(1), .replace(with: [0x13])),
    .at(.write(.any), .nth(1), .error(.unlikelyError)),
    .at(.write(.any), .nth(1), .noAnswer),
    .at(.connectionTime(.seconds(3)), .nth(1), .send(.attributeProtocol, [0x0B, 0x00])),
    .at(.connectionTime(.seconds(3)), .nth(1), .send(.securityManager, [0x05, 0x08])),
    .at(.connectionTime(.seconds(3)), .nth(1), .send(.signaling, [0x7F, 0x01, 0x00, 0x00])),
    .at(.phase(.discovery), .nth(1), .disconnect(.remoteUserTerminated)),
    .at(.connectionTime(.seconds(3)), .nth(1), .resetController),
    .at(.connectionTime(.seconds(3)), .nth(1), .controller(.loseDataToHost(packets: 1))),
    .at(.connectionTime(.seconds(3)), .nth(1), .controller(.loseDataFromHost(packets: 1))),
    .at(.connectionTime(.seconds(3)), .nth(1), .controller(.ignoreCommands(1))),
    .at(.phase(.encryption), .nth(1), .controller(.spoilEncryptedPackets(1))),
    .at(.connectionTime(.seconds(3)), .nth(1), .controller(.hang)),
    .at(.connectionTime(.seconds(3)), .nth(1), .restart),
    .at(.connectionTime(.seconds(3)), .nth(1), .changeTable(.removeService(BLEUUID(0x180F)))),
    .at(.connectionTime(.seconds(3)), .nth(1), .changeTable(.addService(BLEUUID(0x180F)))),
    .at(.connectionTime(.seconds(3)), .nth(1), .changeTable(.shiftHandles(by: 4))),
    .at(.connectionTime(.seconds(3)), .nth(1), .forgetBond),
    .at(.connectionTime(.seconds(3)), .nth(1), .silence(.seconds(8))),
    .at(.phase(.mtuExchange), .nth(1), .declareMTU(512)),
    .at(.connectionTime(.seconds(3)), .nth(1), .fillQueue(.seconds(5))),
  ]

  /// A fault with an action of `kind`, its event and numbers drawn from `chance`. It has no `mistake`.
  /// - Parameter services: UUIDs for changes of the table, drawn from these; the Battery Service where there is none.
  public static func drawn(_ kind: FaultAction.Kind, by chance: SeededEntropy, services: [BLEUUID] = []) -> Fault {
    let action = FaultAction.drawn(kind, by: chance, services: services)
    let events = FaultEvent.drawable.filter { Fault.at($0, action).mistake == nil }
    var event = kind == .declareMTU ? .phase(.mtuExchange) : chance.pick(events, else: .connectionTime(.seconds(1)))
    if case .connectionTime = event { event = .connectionTime(.milliseconds(Int64(chance.uniform(0..<10_000)) + 1)) }
    let occurrence: FaultOccurrence =
      switch chance.uniform(0..<8) {
      case 0: .every
      case 1: .chance(perMille: 50 + Int(chance.uniform(0..<10)) * 50)
      case 2: .first(1 + Int(chance.uniform(0..<3)))
      default: .nth(1 + Int(chance.uniform(0..<4)))
      }
    return .at(event, occurrence, action)
  }

  /// Simpler faults of the same kind, the simplest first: an earlier occurrence, smaller numbers. Empty for the simplest.
  public var simpler: [Fault] {
    var found: [Fault] = []
    if trigger.occurrence != .nth(1) { found.append(.at(trigger.event, .nth(1), action)) }
    if case .nth(let number) = trigger.occurrence, number > 2 {
      found.append(.at(trigger.event, .nth(number / 2), action))
    }
    return found + action.smaller.map { Fault(trigger, $0) }
  }
}

extension FaultEvent {
  fileprivate static let drawable: [FaultEvent] = [
    .read(.any), .write(.any), .writeWithoutResponse(.any), .notification(.any), .indication(.any), .subscription(.any),
    .unsubscription(.any), .phase(.connecting), .phase(.mtuExchange), .phase(.discovery), .phase(.pairing),
    .phase(.encryption), .phase(.steady), .connectionTime(.seconds(1)),
  ]
}

extension FaultAction {
  fileprivate static func drawn(_ kind: Kind, by chance: SeededEntropy, services: [BLEUUID]) -> FaultAction {
    func number(_ range: ClosedRange<Int>) -> Int {
      range.lowerBound + Int(chance.uniform(0..<UInt64(range.upperBound - range.lowerBound + 1)))
    }
    func time() -> Duration { .milliseconds(50 << Int64(number(0...10))) }
    switch kind {
    case .drop: return .drop
    case .delay: return .delay(time())
    case .repeated: return .repeated(number(1...3))
    case .swapWithNext: return .swapWithNext
    case .cut: return .cut(to: number(0...3))
    case .lengthen: return .lengthen(by: number(1...30))
    case .flip: return .flip(octet: number(0...3), mask: 1 << UInt8(number(0...7)))
    case .replace: return .replace(with: chance.octets(number(1...8)))
    case .sendAttributeProtocol: return .send(.attributeProtocol, chance.octets(number(1...8)))
    case .sendSecurityManager: return .send(.securityManager, chance.octets(number(1...8)))
    case .sendSignaling: return .send(.signaling, chance.octets(number(1...8)))
    case .error:
      let codes: [ATTErrorCode] = [
        .unlikelyError, .insufficientResources, .invalidHandle, .invalidAttributeValueLength, .requestNotSupported,
        .insufficientAuthorization, .procedureAlreadyInProgress,
      ]
      return .error(chance.pick(codes, else: .unlikelyError))
    case .noAnswer: return .noAnswer
    case .disconnect: return .disconnect(chance.pick(HCIErrorCode.allowedReasons, else: .remoteUserTerminated))
    case .resetController: return .resetController
    case .loseDataToHost: return .controller(.loseDataToHost(packets: number(1...3)))
    case .loseDataFromHost: return .controller(.loseDataFromHost(packets: number(1...3)))
    case .ignoreCommands: return .controller(.ignoreCommands(number(1...3)))
    case .spoilEncryptedPackets: return .controller(.spoilEncryptedPackets(number(1...3)))
    case .hangController: return .controller(.hang)
    case .restart: return .restart
    case .removeService: return .changeTable(.removeService(chance.pick(services, else: BLEUUID(0x180F))))
    case .addService: return .changeTable(.addService(chance.pick(services, else: BLEUUID(0x180F))))
    case .shiftHandles: return .changeTable(.shiftHandles(by: number(1...8)))
    case .forgetBond: return .forgetBond
    case .silence: return .silence(time())
    case .declareMTU: return .declareMTU([23, 65, 185, 517, 65_535][number(0...4)])
    case .fillQueue: return .fillQueue(time())
    }
  }

  /// The same action with half of its number.
  fileprivate var smaller: [FaultAction] {
    func half(_ time: Duration, _ make: (Duration) -> FaultAction) -> [FaultAction] {
      time.faultMilliseconds < 200 ? [] : [make(.milliseconds(time.faultMilliseconds / 2))]
    }
    switch self {
    case .delay(let time): return half(time) { .delay($0) }
    case .silence(let time): return half(time) { .silence($0) }
    case .fillQueue(let time): return half(time) { .fillQueue($0) }
    case .repeated(let count) where count > 1: return [.repeated(1)]
    case .lengthen(let count) where count > 1: return [.lengthen(by: count / 2)]
    case .controller(.loseDataToHost(let count)) where count > 1: return [.controller(.loseDataToHost(packets: 1))]
    case .controller(.loseDataFromHost(let count)) where count > 1: return [.controller(.loseDataFromHost(packets: 1))]
    case .controller(.ignoreCommands(let count)) where count > 1: return [.controller(.ignoreCommands(1))]
    case .controller(.spoilEncryptedPackets(let count)) where count > 1:
      return [.controller(.spoilEncryptedPackets(1))]
    case .changeTable(.shiftHandles(let count)) where count > 1: return [.changeTable(.shiftHandles(by: 1))]
    default: return []
    }
  }
}

extension SeededEntropy {
  fileprivate func pick<Element>(_ elements: [Element], else standard: Element) -> Element {
    elements.isEmpty ? standard : elements[Int(uniform(0..<UInt64(elements.count)))]
  }
}
