import BLECore
import BLEWire

/// A payload of one of L2CAP's fixed channels, on its way between the host of a device and its peer.
public struct FaultPacket: Hashable, Sendable {
  /// The link, by a number that is not used again.
  public var link: UInt64
  /// Identifies the packet to the engine's owner; 0 for one that a fault has made.
  public var number: UInt64
  /// Who sends it.
  public var sender: FaultSender
  /// The channel.
  public var channel: ChannelIdentifier
  /// The payload.
  public var octets: [UInt8]
  /// The attribute that it is about, if it is one of the Attribute Protocol with a handle of a characteristic or a descriptor.
  public var attribute: FaultAttribute?

  /// A packet; see its properties.
  public init(
    link: UInt64, number: UInt64, sender: FaultSender, channel: ChannelIdentifier, octets: [UInt8],
    attribute: FaultAttribute? = nil
  ) {
    self.link = link
    self.number = number
    self.sender = sender
    self.channel = channel
    self.octets = octets
    self.attribute = attribute
  }
}

/// An attribute as faults name it.
public struct FaultAttribute: Hashable, Sendable {
  /// The characteristic that it belongs to.
  public var characteristic: BLEUUID
  /// The type of a descriptor; `nil` for the characteristic's value.
  public var descriptor: BLEUUID?

  /// The value, or a descriptor, of a characteristic.
  public init(characteristic: BLEUUID, descriptor: BLEUUID? = nil) {
    self.characteristic = characteristic
    self.descriptor = descriptor
  }
}

/// What the engine's owner has to do.
public enum FaultOutput: Hashable, Sendable {
  /// Pass the packet on, in the direction that its sender says.
  case pass(FaultPacket)
  /// The packet with this number will not be passed on.
  case drop(number: UInt64)
  /// Do something to the device, and to this link if there is one.
  case perform(FaultAction, link: UInt64?)
  /// This fault has struck.
  case strike(Fault, link: UInt64?)
}

extension FaultPacket {
  /// The handle of a request, a command, a notification or an indication that has one.
  public var handle: AttributeHandle? {
    guard channel == .attributeProtocol, octets.count >= 3, let first = octets.first else { return nil }
    switch ATTOpcode(first) {
    case .readRequest, .readBlobRequest, .writeRequest, .prepareWriteRequest, .handleValueNotification,
      .handleValueIndication, .writeCommand, .signedWriteCommand, .findInformationRequest, .readByTypeRequest,
      .readByGroupTypeRequest, .findByTypeValueRequest:
      return AttributeHandle(UInt16(octets[1]) | UInt16(octets[2]) << 8)
    default: return nil
    }
  }

  /// Its first octet as an opcode of the Attribute Protocol.
  var opcode: ATTOpcode? { channel == .attributeProtocol ? octets.first.map { ATTOpcode($0) } : nil }

  var kind: FaultPacketKind? {
    guard let first = octets.first else { return nil }
    switch channel {
    case .attributeProtocol: return .attributeProtocol(ATTOpcode(first))
    case .securityManager: return .securityManager(SMPCode(first))
    case .lowEnergySignaling: return .signaling(L2CAPSignalingCode(first))
    default: return nil
    }
  }

  /// Where the octets begin that a fault of an operation counts: behind opcode and handle. For an answer, behind the opcode.
  var valueStart: Int {
    switch opcode {
    case .readResponse, .readBlobResponse: 1
    case .writeCommand, .handleValueNotification, .handleValueIndication, .writeRequest: 3
    case .prepareWriteRequest, .prepareWriteResponse: 5
    default: 0
    }
  }

  /// What a write to a Client Characteristic Configuration sets; `nil` for anything else.
  var configuration: UInt16? {
    guard opcode == .writeRequest, attribute?.descriptor == BLEUUID(0x2902), octets.count >= 4 else { return nil }
    return UInt16(octets[3]) | (octets.count > 4 ? UInt16(octets[4]) << 8 : 0)
  }

  /// The other direction.
  func answer(_ octets: [UInt8]) -> FaultPacket {
    FaultPacket(
      link: link, number: 0, sender: sender == .device ? .peer : .device, channel: channel, octets: octets)
  }
}
