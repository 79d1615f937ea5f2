import BLECore

/// One PDU of the Attribute Protocol. `encode(into:)` writes the parameters, `encodePDU(into:)` the opcode in front.
public protocol ATTPacket: WirePacket, Sendable {
  static var opcode: ATTOpcode { get }
}

extension ATTPacket {
  public static var name: String { opcode.description }

  var parts: PacketParts<ATTOpcode> { (Self.opcode, { encode(into: &$0) }) }

  /// Writes opcode and parameters. The writer's headroom is left for the headers below: one allocation on the way down.
  public func encodePDU(into writer: inout ByteWriter) {
    writer.append(Self.opcode.rawValue)
    encode(into: &writer)
  }

  /// Opcode and parameters.
  public var pdu: [UInt8] {
    var writer = ByteWriter()
    encodePDU(into: &writer)
    return writer.octets
  }
}

/// A handle and a value: most PDUs of a busy link. Written by hand, because a layout takes twice the time.
public protocol ATTHandleAndValue: ATTPacket {
  var attributeHandle: AttributeHandle { get }
  var attributeValue: ArraySlice<UInt8> { get }
  init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>)
}

extension ATTHandleAndValue {
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodeError) {
    self.init(attributeHandle: try reader.attributeHandle("Attribute Handle"), attributeValue: reader.rest())
  }

  @inlinable
  public func encode(into writer: inout ByteWriter) {
    writer.append(attributeHandle)
    writer.append(contentsOf: attributeValue)
  }

  public static var examples: [Self] {
    [[1, 2, 3], []].map { Self(attributeHandle: .example, attributeValue: $0) }
  }
}

/// Sizes of the Attribute Protocol, in octets.
public enum ATTLimits {
  /// The ATT_MTU of a link before the exchange (Core, Vol 3 Part G 5.2.1).
  public static let defaultMTU = 23
  /// The longest value an attribute can have (Core, Vol 3 Part F 3.2.9).
  public static let maximumValueLength = 512
  /// The smallest ATT_MTU with which a value of full length is written in one Prepare Write or sent in one notification.
  public static let fullValueMTU = 517
  /// Octets of the authentication signature of a signed command.
  public static let signatureLength = 12
}
