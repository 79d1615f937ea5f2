import BLECore
import BLEText
import BLEWire

// Faults as JSON, in one line each.

extension Fault {
  /// The fault as an object of JSON, which reads back as the same fault: `{"when": {"read": "2A37"}, "what": {"error": "0x0E"}}`.
  public var json: String { "{\"when\": {\(trigger.json)}, \"what\": \(action.json)}" }

  /// The fault as words, which read back as the same fault: `read 2A37 error 0x0E`.
  public var words: String { "\(trigger.shortForm) \(action.shortForm)" }
}

extension FaultTrigger {
  private var parts: [(key: String, value: String?, isText: Bool)] {
    var parts: [(String, String?, Bool)]
    switch event {
    case .read(let target): parts = [("read", target.json, true)]
    case .write(let target): parts = [("write", target.json, true)]
    case .writeWithoutResponse(let target): parts = [("write_without_response", target.json, true)]
    case .notification(let target): parts = [("notification", target.json, true)]
    case .indication(let target): parts = [("indication", target.json, true)]
    case .subscription(let target): parts = [("subscription", target.json, true)]
    case .unsubscription(let target): parts = [("unsubscription", target.json, true)]
    case .packet(let kind, let sender):
      parts = [("packet", kind.description, true)]
      if let sender { parts.append(("from", sender.rawValue, true)) }
    case .phase(let phase): parts = [("phase", phase.rawValue, true)]
    case .time(let time): return [("time", time.faultSeconds, false)]
    case .connectionTime(let time): parts = [("connection_time", time.faultSeconds, false)]
    }
    switch occurrence {
    case .nth(1): break
    case .nth(let number): parts.append(("nth", "\(number)", false))
    case .every: parts.append(("every", nil, false))
    case .startingWith(let number): parts.append(("starting_with", "\(number)", false))
    case .first(let count): parts.append(("first", "\(count)", false))
    case .chance(let share):
      // A thousandth is to a probability what a millisecond is to a second.
      parts.append(("chance", Duration.milliseconds(share).faultSeconds, false))
    }
    return parts
  }

  fileprivate var json: String {
    parts.map { part in
      let value = part.value ?? "true"
      return "\"\(part.key)\": \(part.isText ? "\"\(value)\"" : value)"
    }.joined(separator: ", ")
  }

  fileprivate var shortForm: String {
    parts.map { part in
      guard let value = part.value else { return part.key }
      return "\(part.key) \(value.contains(" ") ? "\"\(value)\"" : value)"
    }.joined(separator: " ")
  }
}

extension FaultTarget {
  fileprivate var json: String {
    switch self {
    case .any: "any"
    case .characteristic(let uuid): "\(uuid)"
    case .descriptor(let uuid, let characteristic): "\(characteristic)/\(uuid)"
    case .handle(let handle): "\(handle)"
    }
  }
}

extension FaultAction {
  /// The values, each with whether it is a text in JSON.
  private var value: (text: String, isText: Bool)? {
    switch self {
    case .drop, .swapWithNext, .noAnswer, .resetController, .controller(.hang), .restart, .forgetBond, .flip: nil
    case .delay(let time), .silence(let time), .fillQueue(let time): (time.faultSeconds, false)
    case .repeated(let count), .cut(let count), .lengthen(let count), .changeTable(.shiftHandles(let count)),
      .declareMTU(let count), .controller(.loseDataToHost(let count)), .controller(.loseDataFromHost(let count)),
      .controller(.ignoreCommands(let count)), .controller(.spoilEncryptedPackets(let count)):
      ("\(count)", false)
    case .replace(let octets), .send(_, let octets): (octets.hexadecimal, true)
    case .error(let code): (numberText(code.rawValue, digits: 2), true)
    case .disconnect(let reason): (numberText(reason.rawValue, digits: 2), true)
    case .changeTable(.removeService(let uuid)), .changeTable(.addService(let uuid)): ("\(uuid)", true)
    }
  }

  fileprivate var json: String {
    if case .flip(let octet, let mask) = self {
      return "{\"flip\": {\"octet\": \(octet), \"mask\": \"\(numberText(mask, digits: 2))\"}}"
    }
    guard let value else { return "\"\(kind.rawValue)\"" }
    return "{\"\(kind.rawValue)\": \(value.isText ? "\"\(value.text)\"" : value.text)}"
  }

  fileprivate var shortForm: String {
    if case .flip(let octet, let mask) = self { return "flip \(octet) \(numberText(mask, digits: 2))" }
    return value.map { "\(kind.rawValue) \($0.text)" } ?? kind.rawValue
  }
}
