import BLECore
import BLEWire

// Faults in Swift, for a test that causes them again.

extension Fault {
  /// In Swift: `.at(.read(.characteristic(BLEUUID(0x2A37))), .nth(2), .error(ATTErrorCode(0x0E)))`.
  public var source: String { ".at(\(trigger.event.source), \(trigger.occurrence.source), \(action.source))" }
}

extension FaultEvent {
  fileprivate var source: String {
    switch self {
    case .read(let target): ".read(\(target.source))"
    case .write(let target): ".write(\(target.source))"
    case .writeWithoutResponse(let target): ".writeWithoutResponse(\(target.source))"
    case .notification(let target): ".notification(\(target.source))"
    case .indication(let target): ".indication(\(target.source))"
    case .subscription(let target): ".subscription(\(target.source))"
    case .unsubscription(let target): ".unsubscription(\(target.source))"
    case .packet(let kind, let sender): ".packet(\(kind.source), from: \(sender.map { ".\($0)" } ?? "nil"))"
    case .phase(let phase): ".phase(.\(phase))"
    case .time(let time): ".time(\(time.faultSource))"
    case .connectionTime(let time): ".connectionTime(\(time.faultSource))"
    }
  }
}

extension FaultTarget {
  fileprivate var source: String {
    switch self {
    case .any: ".any"
    case .characteristic(let uuid): ".characteristic(\(uuid.source))"
    case .descriptor(let uuid, let characteristic): ".descriptor(\(uuid.source), of: \(characteristic.source))"
    case .handle(let handle): ".handle(AttributeHandle(\(handle)))"
    }
  }
}

extension FaultPacketKind {
  fileprivate var source: String {
    switch self {
    case .attributeProtocol(let opcode): ".attributeProtocol(ATTOpcode(\(numberText(opcode.rawValue, digits: 2))))"
    case .securityManager(let code): ".securityManager(SMPCode(\(numberText(code.rawValue, digits: 2))))"
    case .signaling(let code): ".signaling(L2CAPSignalingCode(\(numberText(code.rawValue, digits: 2))))"
    }
  }
}

extension FaultOccurrence {
  fileprivate var source: String {
    switch self {
    case .nth(let number): ".nth(\(number))"
    case .every: ".every"
    case .startingWith(let number): ".startingWith(\(number))"
    case .first(let count): ".first(\(count))"
    case .chance(let share): ".chance(perMille: \(share))"
    }
  }
}

extension FaultAction {
  fileprivate var source: String {
    switch self {
    case .drop: ".drop"
    case .delay(let time): ".delay(\(time.faultSource))"
    case .repeated(let count): ".repeated(\(count))"
    case .swapWithNext: ".swapWithNext"
    case .cut(let count): ".cut(to: \(count))"
    case .lengthen(let count): ".lengthen(by: \(count))"
    case .flip(let octet, let mask): ".flip(octet: \(octet), mask: \(numberText(mask, digits: 2)))"
    case .replace(let octets): ".replace(with: \(octets.source))"
    case .send(let channel, let octets): ".send(.\(channel), \(octets.source))"
    case .error(let code): ".error(ATTErrorCode(\(numberText(code.rawValue, digits: 2))))"
    case .noAnswer: ".noAnswer"
    case .disconnect(let reason): ".disconnect(HCIErrorCode(rawValue: \(numberText(reason.rawValue, digits: 2))))"
    case .resetController: ".resetController"
    case .controller(.loseDataToHost(let count)): ".controller(.loseDataToHost(packets: \(count)))"
    case .controller(.loseDataFromHost(let count)): ".controller(.loseDataFromHost(packets: \(count)))"
    case .controller(.ignoreCommands(let count)): ".controller(.ignoreCommands(\(count)))"
    case .controller(.spoilEncryptedPackets(let count)): ".controller(.spoilEncryptedPackets(\(count)))"
    case .controller(.hang): ".controller(.hang)"
    case .restart: ".restart"
    case .changeTable(.removeService(let uuid)): ".changeTable(.removeService(\(uuid.source)))"
    case .changeTable(.addService(let uuid)): ".changeTable(.addService(\(uuid.source)))"
    case .changeTable(.shiftHandles(let count)): ".changeTable(.shiftHandles(by: \(count)))"
    case .forgetBond: ".forgetBond"
    case .silence(let time): ".silence(\(time.faultSource))"
    case .declareMTU(let octets): ".declareMTU(\(octets))"
    case .fillQueue(let time): ".fillQueue(\(time.faultSource))"
    }
  }
}

extension BLEUUID {
  fileprivate var source: String {
    switch width {
    case .short: "BLEUUID(0x\(self))"
    case .medium: "BLEUUID(medium: 0x\(self))"
    case .full: "BLEUUID(high: \(numberText(high, digits: 16)), low: \(numberText(low, digits: 16)))"
    }
  }
}

extension [UInt8] {
  fileprivate var source: String { "[\(map { numberText($0, digits: 2) }.joined(separator: ", "))]" }
}

extension Duration {
  fileprivate var faultSource: String {
    let count = faultMilliseconds
    return count % 1_000 == 0 ? ".seconds(\(count / 1_000))" : ".milliseconds(\(count))"
  }
}
