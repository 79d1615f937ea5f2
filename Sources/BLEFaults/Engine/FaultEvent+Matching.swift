import BLECore
import BLEWire

extension FaultEvent {
  /// Whether `packet` is an occurrence of it.
  func matches(_ packet: FaultPacket) -> Bool {
    switch self {
    case .read(let target): packet.opcode == .readRequest && target.matches(packet)
    case .write(let target): packet.isWrite && target.matches(packet)
    case .writeWithoutResponse(let target):
      (packet.opcode == .writeCommand || packet.opcode == .signedWriteCommand) && target.matches(packet)
    case .notification(let target): packet.opcode == .handleValueNotification && target.matches(packet)
    case .indication(let target): packet.opcode == .handleValueIndication && target.matches(packet)
    case .subscription(let target):
      packet.configuration.map { $0 != 0 } == true && target.matchesCharacteristic(of: packet)
    case .unsubscription(let target): packet.configuration == 0 && target.matchesCharacteristic(of: packet)
    case .packet(let kind, let sender): packet.kind == kind && (sender == nil || sender == packet.sender)
    case .phase(let phase): packet.phase == phase
    case .time, .connectionTime: false
    }
  }
}

extension FaultTarget {
  fileprivate func matches(_ packet: FaultPacket) -> Bool {
    switch self {
    case .any: packet.attribute.map { $0.descriptor == nil && !$0.isOfSystem } ?? true
    case .characteristic(let uuid): packet.attribute == FaultAttribute(characteristic: uuid)
    case .descriptor(let uuid, let characteristic):
      packet.attribute == FaultAttribute(characteristic: characteristic, descriptor: uuid)
    case .handle(let handle): packet.handle == handle
    }
  }

  fileprivate func matchesCharacteristic(of packet: FaultPacket) -> Bool {
    switch self {
    case .any: packet.attribute.map { !$0.isOfSystem } ?? true
    case .characteristic(let uuid), .descriptor(_, let uuid): packet.attribute?.characteristic == uuid
    case .handle(let handle): packet.handle == handle
    }
  }
}

extension FaultAttribute {
  /// Whether it belongs to Generic Access or Generic Attribute, which stacks use for themselves (Core, Vol 3 Part C 12 and Part G 7).
  fileprivate var isOfSystem: Bool {
    switch characteristic.short {
    case 0x2A00, 0x2A01, 0x2A04, 0x2A05, 0x2AA6, 0x2AC9, 0x2B29, 0x2B2A, 0x2B3A: true
    default: false
    }
  }
}

extension FaultPacket {
  /// A Write Request, or the first part of a long one, to anything but a configuration.
  fileprivate var isWrite: Bool {
    switch opcode {
    case .writeRequest: configuration == nil
    case .prepareWriteRequest: octets.count >= 5 && octets[3] == 0 && octets[4] == 0
    default: false
    }
  }

  /// The phase that it belongs to; `nil` for answers, confirmations and what has no phase.
  fileprivate var phase: FaultPhase? {
    if channel == .securityManager { return .pairing }
    switch opcode {
    case .exchangeMTURequest: return .mtuExchange
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest:
      return .discovery
    case .writeRequest, .prepareWriteRequest: return configuration == nil ? .steady : .subscription
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeCommand,
      .signedWriteCommand, .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification:
      return .steady
    default: return nil
    }
  }
}
