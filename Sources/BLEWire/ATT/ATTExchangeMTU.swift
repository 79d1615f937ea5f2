import BLECore

/// The client says how long a PDU it can receive (Core, Vol 3 Part F 3.4.2.1).
public struct ATTExchangeMTURequest: ATTPacket {
  public static let opcode = ATTOpcode.exchangeMTURequest

  /// Octets.
  public var clientRxMTU: UInt16

  public init(clientRxMTU: UInt16) { self.clientRxMTU = clientRxMTU }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    clientRxMTU = try reader.uint16("Client Rx MTU")
  }

  public func encode(into writer: inout ByteWriter) { writer.append(clientRxMTU) }

  public static var examples: [Self] { [Self(clientRxMTU: 23), Self(clientRxMTU: 517)] }
}

/// The server says how long a PDU it can receive (Core, Vol 3 Part F 3.4.2.2).
public struct ATTExchangeMTUResponse: ATTPacket {
  public static let opcode = ATTOpcode.exchangeMTUResponse

  /// Octets.
  public var serverRxMTU: UInt16

  public init(serverRxMTU: UInt16) { self.serverRxMTU = serverRxMTU }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    serverRxMTU = try reader.uint16("Server Rx MTU")
  }

  public func encode(into writer: inout ByteWriter) { writer.append(serverRxMTU) }

  public static var examples: [Self] { [Self(serverRxMTU: 23), Self(serverRxMTU: 517)] }
}
