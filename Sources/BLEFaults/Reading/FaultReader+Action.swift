import BLECore
import BLEText
import BLEWire

// What a fault does.

extension FaultReader {
  func action(_ json: PositionedJSON) -> FaultAction? {
    if case .string = json.content {
      return mistakes.attempt { () throws(PositionedError) in
        let kind: FaultAction.Kind = try json.word("an action")
        guard let action = FaultAction(plain: kind) else {
          throw PositionedError(json.position, "\"\(kind.rawValue)\" needs a value: {\"\(kind.rawValue)\": ...}")
        }
        return action
      }
    }
    guard var object = FileObject(json, "\"what\"", mistakes) else { return nil }
    let before = mistakes.count
    var actions: [FaultAction] = []
    for kind in FaultAction.Kind.allCases where !kind.isPlain {
      let action = object.optional(kind.rawValue) { (json) -> FaultAction? in self.action(kind, json) }
      if let action { actions.append(action) }
    }
    object.finish()
    guard mistakes.count == before else { return nil }
    guard actions.count == 1, let action = actions.first else {
      let words = FaultAction.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      mistakes.note(PositionedError(json.position, "\"what\" needs exactly one of \(words), found \(actions.count)"))
      return nil
    }
    return action
  }

  private func action(_ kind: FaultAction.Kind, _ json: PositionedJSON) -> FaultAction? {
    if kind == .flip { return flip(json) }
    return mistakes.attempt { () throws(PositionedError) in try Self.simpleAction(kind, json) }
  }

  private static func simpleAction(
    _ kind: FaultAction.Kind, _ json: PositionedJSON
  ) throws(PositionedError) -> FaultAction {
    switch kind {
    case .delay: return .delay(try duration(json))
    case .repeated: return .repeated(try json.wholeNumber(Fault.Limits.repetitions, "a number of times"))
    case .cut: return .cut(to: try json.wholeNumber(Fault.Limits.octets, "a number of octets"))
    case .lengthen: return .lengthen(by: try json.wholeNumber(Fault.Limits.packet, "a number of octets"))
    case .replace: return .replace(with: try json.packet())
    case .sendAttributeProtocol: return .send(.attributeProtocol, try json.packet())
    case .sendSecurityManager: return .send(.securityManager, try json.packet())
    case .sendSignaling: return .send(.signaling, try json.packet())
    case .error: return .error(ATTErrorCode(try json.octet(1...0xFF, "an ATT error code")))
    case .disconnect: return .disconnect(HCIErrorCode(rawValue: try json.octet(1...0xFF, "an HCI error code")))
    case .removeService: return .changeTable(.removeService(try json.serviceUUID()))
    case .addService: return .changeTable(.addService(try json.serviceUUID()))
    case .shiftHandles:
      return .changeTable(.shiftHandles(by: try json.wholeNumber(Fault.Limits.shift, "a number of handles")))
    case .loseDataToHost:
      return .controller(
        .loseDataToHost(packets: try json.wholeNumber(Fault.Limits.repetitions, "a number of packets")))
    case .loseDataFromHost:
      return .controller(
        .loseDataFromHost(packets: try json.wholeNumber(Fault.Limits.repetitions, "a number of packets")))
    case .ignoreCommands:
      return .controller(.ignoreCommands(try json.wholeNumber(Fault.Limits.repetitions, "a number of commands")))
    case .spoilEncryptedPackets:
      return .controller(.spoilEncryptedPackets(try json.wholeNumber(Fault.Limits.repetitions, "a number of packets")))
    case .silence: return .silence(try duration(json))
    case .declareMTU: return .declareMTU(try json.wholeNumber(Fault.Limits.mtu, "an MTU in octets"))
    case .fillQueue: return .fillQueue(try duration(json))
    case .drop, .swapWithNext, .noAnswer, .resetController, .hangController, .restart, .forgetBond, .flip:
      throw json.expected("nothing")
    }
  }

  private func flip(_ json: PositionedJSON) -> FaultAction? {
    guard var object = FileObject(json, "\"flip\"", mistakes) else { return nil }
    let octet = object.required("octet") { (json) throws(PositionedError) in
      try json.wholeNumber(Fault.Limits.octets, "the number of an octet")
    }
    let mask = object.required("mask") { (json) throws(PositionedError) in try json.octet(1...0xFF, "a mask of bits") }
    object.finish()
    guard let octet, let mask else { return nil }
    return .flip(octet: octet, mask: mask)
  }
}

extension FaultAction {
  /// An action without a value; `nil` for one that has a value.
  init?(plain kind: Kind) {
    switch kind {
    case .drop: self = .drop
    case .swapWithNext: self = .swapWithNext
    case .noAnswer: self = .noAnswer
    case .resetController: self = .resetController
    case .hangController: self = .controller(.hang)
    case .restart: self = .restart
    case .forgetBond: self = .forgetBond
    default: return nil
    }
  }
}
