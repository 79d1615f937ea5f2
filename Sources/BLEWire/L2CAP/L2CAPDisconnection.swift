import BLECore

/// Ends a channel (Core, Vol 3 Part A 4.6).
public struct L2CAPDisconnectionRequest: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.disconnectionRequest

  /// The channel's end at the receiver of the request.
  public var destinationCID: ChannelIdentifier
  /// The channel's end at the sender of the request.
  public var sourceCID: ChannelIdentifier

  public init(destinationCID: ChannelIdentifier, sourceCID: ChannelIdentifier) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  static let layout = Layout(Self.init, Field("Destination CID", \.destinationCID), Field("Source CID", \.sourceCID))
}

/// The channel is gone (Core, Vol 3 Part A 4.7). Both identifiers are those of the request.
public struct L2CAPDisconnectionResponse: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.disconnectionResponse

  public var destinationCID: ChannelIdentifier
  public var sourceCID: ChannelIdentifier

  public init(destinationCID: ChannelIdentifier, sourceCID: ChannelIdentifier) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  static let layout = Layout(Self.init, Field("Destination CID", \.destinationCID), Field("Source CID", \.sourceCID))
}
