import BLECore

/// Reports the longest PDU that the client can receive (Core, Vol 3 Part F 3.4.2.1).
public struct ATTExchangeMTURequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.exchangeMTURequest

  /// Octets.
  public var clientRxMTU: UInt16

  public init(clientRxMTU: UInt16) { self.clientRxMTU = clientRxMTU }

  static let layout = Layout(Self.init, Field("Client Rx MTU", \.clientRxMTU))
}

/// Reports the longest PDU that the server can receive (Core, Vol 3 Part F 3.4.2.2).
public struct ATTExchangeMTUResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.exchangeMTUResponse

  /// Octets.
  public var serverRxMTU: UInt16

  public init(serverRxMTU: UInt16) { self.serverRxMTU = serverRxMTU }

  static let layout = Layout(Self.init, Field("Server Rx MTU", \.serverRxMTU))
}
