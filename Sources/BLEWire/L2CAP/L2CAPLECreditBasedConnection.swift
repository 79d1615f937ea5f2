import BLECore

/// Opens one channel with credits (Core, Vol 3 Part A 4.22).
public struct L2CAPLECreditBasedConnectionRequest: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.leCreditBasedConnectionRequest

  public var spsm: ProtocolServiceMultiplexer
  public var sourceCID: ChannelIdentifier
  /// The longest SDU that the sender of the request takes, in octets.
  public var mtu: UInt16
  /// The longest K-frame payload that the sender of the request takes, in octets.
  public var mps: UInt16
  /// K-frames that may be sent to the sender of the request at once.
  public var initialCredits: UInt16

  public init(
    spsm: ProtocolServiceMultiplexer, sourceCID: ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16
  ) {
    self.spsm = spsm
    self.sourceCID = sourceCID
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
  }

  static let layout = Layout(
    Self.init, Field("SPSM", \.spsm), Field("Source CID", \.sourceCID), Field("MTU", \.mtu), Field("MPS", \.mps),
    Field("Initial Credits", \.initialCredits))
}

/// The answer (Core, Vol 3 Part A 4.23). Where the result is a refusal the other fields mean nothing.
public struct L2CAPLECreditBasedConnectionResponse: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.leCreditBasedConnectionResponse

  public var destinationCID: ChannelIdentifier
  /// The longest SDU that the sender of the response takes, in octets.
  public var mtu: UInt16
  /// The longest K-frame payload that the sender of the response takes, in octets.
  public var mps: UInt16
  public var initialCredits: UInt16
  public var result: L2CAPConnectionResult

  public init(
    destinationCID: ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16,
    result: L2CAPConnectionResult
  ) {
    self.destinationCID = destinationCID
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.result = result
  }

  /// A refusal: every other field is zero.
  public init(refusing result: L2CAPConnectionResult) {
    self.init(destinationCID: ChannelIdentifier(0), mtu: 0, mps: 0, initialCredits: 0, result: result)
  }

  static let layout = Layout(
    Self.init, Field("Destination CID", \.destinationCID), Field("MTU", \.mtu), Field("MPS", \.mps),
    Field("Initial Credits", \.initialCredits), Field("Result", \.result))
}

/// Hands out further credits (Core, Vol 3 Part A 4.24).
public struct L2CAPFlowControlCredit: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.flowControlCredit

  /// The channel's end at the sender of the credits.
  public var cid: ChannelIdentifier
  /// K-frames that may be sent in addition; 0 is not allowed.
  public var credits: UInt16

  public init(cid: ChannelIdentifier, credits: UInt16) {
    self.cid = cid
    self.credits = credits
  }

  static let layout = Layout(Self.init, Field("CID", \.cid), Field("Credits", \.credits))
}
