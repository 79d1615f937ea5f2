import BLECore

/// Opens up to five channels in enhanced credit based flow control mode (Core, Vol 3 Part A 4.25).
public struct L2CAPCreditBasedConnectionRequest: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.creditBasedConnectionRequest

  public var spsm: ProtocolServiceMultiplexer
  /// The longest SDU that the sender of the request takes, in octets.
  public var mtu: UInt16
  /// The longest K-frame payload that the sender of the request takes, in octets.
  public var mps: UInt16
  public var initialCredits: UInt16
  /// One for each channel. Not validated: the receiver checks the count and duplicates.
  public var sourceCIDs: [ChannelIdentifier]

  public init(
    spsm: ProtocolServiceMultiplexer, mtu: UInt16, mps: UInt16, initialCredits: UInt16,
    sourceCIDs: [ChannelIdentifier]
  ) {
    self.spsm = spsm
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.sourceCIDs = sourceCIDs
  }

  static let layout = Layout(
    Self.init, Field("SPSM", \.spsm), Field("MTU", \.mtu), Field("MPS", \.mps),
    Field("Initial Credits", \.initialCredits), Field("Source CID", \.sourceCIDs, .untilEnd()))
}

/// The answer (Core, Vol 3 Part A 4.26).
public struct L2CAPCreditBasedConnectionResponse: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.creditBasedConnectionResponse

  public var mtu: UInt16
  public var mps: UInt16
  public var initialCredits: UInt16
  public var result: L2CAPConnectionResult
  /// One for each channel of the request, in its order; 0x0000 where the channel was refused.
  public var destinationCIDs: [ChannelIdentifier]

  public init(
    mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: L2CAPConnectionResult,
    destinationCIDs: [ChannelIdentifier]
  ) {
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.result = result
    self.destinationCIDs = destinationCIDs
  }

  static let layout = Layout(
    Self.init, Field("MTU", \.mtu), Field("MPS", \.mps), Field("Initial Credits", \.initialCredits),
    Field("Result", \.result), Field("Destination CID", \.destinationCIDs, .untilEnd()))
}

/// Changes MTU and MPS of open channels (Core, Vol 3 Part A 4.27).
public struct L2CAPCreditBasedReconfigureRequest: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.creditBasedReconfigureRequest

  public var mtu: UInt16
  public var mps: UInt16
  /// The channels' ends at the sender of the request, which are the destinations of what the receiver sends.
  public var destinationCIDs: [ChannelIdentifier]

  public init(mtu: UInt16, mps: UInt16, destinationCIDs: [ChannelIdentifier]) {
    self.mtu = mtu
    self.mps = mps
    self.destinationCIDs = destinationCIDs
  }

  static let layout = Layout(
    Self.init, Field("MTU", \.mtu), Field("MPS", \.mps), Field("Destination CID", \.destinationCIDs, .untilEnd()))
}

/// The answer (Core, Vol 3 Part A 4.28).
public struct L2CAPCreditBasedReconfigureResponse: L2CAPSignalingPacket, HasLayout {
  public static let code = L2CAPSignalingCode.creditBasedReconfigureResponse

  public struct Result: WireNumber, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let successful = Result(rawValue: 0x0000)
    /// A smaller MTU is never allowed.
    public static let reductionOfMTU = Result(rawValue: 0x0001)
    /// A smaller MPS is allowed for one channel at a time only.
    public static let reductionOfMPS = Result(rawValue: 0x0002)
    public static let invalidDestinationCID = Result(rawValue: 0x0003)
    public static let unacceptableParameters = Result(rawValue: 0x0004)
  }

  public var result: Result

  public init(result: Result) { self.result = result }

  static let layout = Layout(Self.init, Field("Result", \.result))
}
