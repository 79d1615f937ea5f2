import BLECore
import BLEWire

// Faults as sentences for people.

extension Fault: CustomStringConvertible {
  /// An English sentence without its full stop: "at the 2nd read of 2A37, the answer is Unlikely Error (0x0E)".
  public var description: String { "\(trigger), \(action.words(at: trigger.event))" }
}

extension FaultTrigger: CustomStringConvertible {
  /// The beginning of the sentence: "at the 2nd read of 2A37".
  public var description: String {
    switch (event, occurrence) {
    case (.time(let time), _): return "\(time.faultWords) after the start"
    case (.connectionTime(let time), .nth(let number)):
      return "\(time.faultWords) after the \(number.ordinal) connection"
    case (.connectionTime(let time), .every): return "\(time.faultWords) after every connection"
    case (.connectionTime(let time), .startingWith(let number)):
      return "\(time.faultWords) after every connection from the \(number.ordinal) on"
    case (.connectionTime(let time), .first(let count)):
      return "\(time.faultWords) after each of the first \(count) connections"
    case (.connectionTime(let time), .chance(let share)):
      return "\(time.faultWords) after each connection with a probability of \(share.percent)"
    case (_, .nth(let number)): return "at the \(number.ordinal) \(event.words)"
    case (_, .every): return "at every \(event.words)"
    case (_, .startingWith(let number)): return "at every \(event.words) from the \(number.ordinal) on"
    case (_, .first(let count)): return "at every \(event.words) up to the \(count.ordinal)"
    case (_, .chance(let share)): return "at each \(event.words) with a probability of \(share.percent)"
    }
  }
}

extension FaultEvent {
  /// What is counted, without an article: "read of 2A37".
  var words: String {
    switch self {
    case .read(let target): "read of \(target)"
    case .write(let target): "write of \(target)"
    case .writeWithoutResponse(let target): "write without response of \(target)"
    case .notification(let target): "notification of \(target)"
    case .indication(let target): "indication of \(target)"
    case .subscription(let target): "subscription to \(target)"
    case .unsubscription(let target): "end of a subscription to \(target)"
    case .packet(let kind, let sender): sender.map { "\(kind) from the \($0)" } ?? "\(kind)"
    case .phase(let phase): phase.words
    case .time: "time"
    case .connectionTime: "time after a connection"
    }
  }
}

extension FaultPhase {
  fileprivate var words: String {
    switch self {
    case .advertising: "begin of advertising"
    case .connecting: "connection"
    case .mtuExchange: "request for an MTU"
    case .discovery: "request of a discovery"
    case .subscription: "change of a subscription"
    case .pairing: "packet of a pairing"
    case .encryption: "encryption of a link"
    case .steady: "use of a value"
    }
  }
}

extension FaultTarget: CustomStringConvertible {
  /// "any characteristic", "2A37", "descriptor 2901 of 2A37" or "handle 0x0012".
  public var description: String {
    switch self {
    case .any: "any characteristic"
    case .characteristic(let uuid): "\(uuid)"
    case .descriptor(let uuid, let characteristic): "descriptor \(uuid) of \(characteristic)"
    case .handle(let handle): "handle \(handle)"
    }
  }
}

extension FaultPacketKind: CustomStringConvertible {
  /// The name in the specification: "ATT_READ_RSP", "Pairing Request", "L2CAP_COMMAND_REJECT_RSP".
  public var description: String {
    switch self {
    case .attributeProtocol(let opcode): "\(opcode)"
    case .securityManager(let code): "\(code)"
    case .signaling(let code): "\(code)"
    }
  }
}

extension FaultAction {
  /// The end of the sentence: "the answer is Unlikely Error (0x0E)".
  func words(at event: FaultEvent) -> String {
    let it = event.concernsAnswer ? "the answer" : "it"
    switch self {
    case .drop: return event.concernsAnswer ? "the request is lost" : "it is lost"
    case .delay(let time): return "\(it) comes \(time.faultWords) late"
    case .repeated(let count): return "\(it) comes \(count) times more"
    case .swapWithNext: return "\(it) comes after the next packet"
    case .cut(let count): return "\(it) is cut to \(count.counted("octet"))"
    case .lengthen(let count): return "\(it) is lengthened by \(count.counted("octet"))"
    case .flip(let octet, let mask): return "\(it) has octet \(octet) inverted by \(numberText(mask, digits: 2))"
    case .replace(let octets): return "\(it) is replaced with \(octets.hexadecimal)"
    case .send(let channel, let octets): return "the device sends \(octets.hexadecimal) on \(channel.words)"
    case .error(let code): return "the answer is \(code)"
    case .noAnswer: return "no answer comes"
    case .disconnect(let reason): return "the device ends the link with \(reason)"
    case .resetController: return "the device's controller fails and is reset"
    case .controller(let trouble): return "the device's controller \(trouble.words)"
    case .restart: return "the device is switched off and on again"
    case .changeTable(.removeService(let uuid)): return "the device removes the service \(uuid)"
    case .changeTable(.addService(let uuid)): return "the device adds the service \(uuid)"
    case .changeTable(.shiftHandles(let count)): return "the device's services move up by \(count.counted("handle"))"
    case .forgetBond: return "the device forgets its bonds"
    case .silence(let time): return "the device is silent for \(time.faultWords)"
    case .declareMTU(let octets): return "an MTU of \(octets) is declared"
    case .fillQueue(let time): return "the device's queue is full for \(time.faultWords)"
    }
  }
}

extension FaultControllerTrouble {
  fileprivate var words: String {
    switch self {
    case .loseDataToHost(let count): "loses the next \(count.counted("packet")) for its host"
    case .loseDataFromHost(let count): "loses the next \(count.counted("packet")) from its host"
    case .ignoreCommands(let count): "ignores the next \(count.counted("command"))"
    case .spoilEncryptedPackets(let count): "sends the next \(count.counted("encrypted packet")) changed"
    case .hang: "hangs"
    }
  }
}

extension FaultChannel {
  fileprivate var words: String {
    switch self {
    case .attributeProtocol: "the channel of the Attribute Protocol"
    case .securityManager: "the channel of the Security Manager Protocol"
    case .signaling: "the signaling channel"
    }
  }
}

extension Duration {
  /// In whole milliseconds, rounded down; negative durations are zero.
  var faultMilliseconds: Int64 { max(0, StackDuration(self).milliseconds) }

  /// Seconds with the decimals that they need: "12.5".
  var faultSeconds: String {
    let count = faultMilliseconds
    let fraction = String(count % 1_000 + 1_000).dropFirst()
    let decimals = String(fraction.reversed().drop { $0 == "0" }.reversed())
    return "\(count / 1_000)" + (decimals.isEmpty ? "" : "." + decimals)
  }

  fileprivate var faultWords: String { "\(faultSeconds) s" }
}

extension Int {
  /// "1st", "2nd", "11th".
  fileprivate var ordinal: String {
    let suffix =
      switch (self % 10, self % 100) {
      case (_, 11...13): "th"
      case (1, _): "st"
      case (2, _): "nd"
      case (3, _): "rd"
      default: "th"
      }
    return "\(self)\(suffix)"
  }

  fileprivate func counted(_ word: String) -> String { self == 1 ? "1 \(word)" : "\(self) \(word)s" }

  /// A number of thousandths in per cent.
  fileprivate var percent: String { self % 10 == 0 ? "\(self / 10) %" : "\(self / 10).\(self % 10) %" }
}
