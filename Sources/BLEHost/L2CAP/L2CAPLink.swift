import BLECore
import BLEWire

/// The Logical Link Control and Adaptation Protocol on one LE link (Core, Vol 3 Part A): frames out of ACL fragments, the
/// fixed channels, and the signaling channel. Everything on the loop.
public final class L2CAPLink {
  /// Octets left free in front of each frame for the ACL header.
  public static let carrierHeadroom = 4
  /// Octets that a payload's writer leaves free in front: for the ACL and the L2CAP header.
  public static let payloadHeadroom = carrierHeadroom + L2CAPHeader.octetCount
  /// The longest payload that is taken on the signaling channel, in octets. An LE frame holds one command, and none is
  /// longer than this.
  public static let signalingMTU = 64
  /// The longest payload that is taken on the security manager's channel, in octets: a public key with its code.
  public static let securityManagerMTU = 65

  /// How many frames may wait before a peer that asks further is not answered any more: it could make this side keep
  /// answers without end by taking none of them.
  public static let answerLimit = 64

  public let role: LinkRole
  let loop: any StackLoop
  let log: Logger
  private let carrier: any L2CAPCarrier

  /// Asked about the peer's wishes. Without an owner they are refused.
  public weak var owner: (any L2CAPLinkOwner)?
  /// Takes the payloads of channel 0x0004. Held until `close()`.
  public var attributeProtocol: (any L2CAPChannelReceiver)?
  /// Takes the payloads of channel 0x0006. Held until `close()`.
  public var securityManager: (any L2CAPChannelReceiver)?
  /// Says what peers may open channels to. Without it there is nothing.
  public weak var services: (any L2CAPServices)?
  /// What this side of channels takes that are yet to be opened.
  public var channelParameters = L2CAPChannelParameters()
  /// Whether this side knows enhanced channels, which came with version 5.2.
  public var usesEnhancedChannels = true
  public internal(set) var statistics = L2CAPStatistics()

  private var reassembly = L2CAPReassembly()
  var signaling = SignalingState()
  var channels = L2CAPChannelTable()
  var channelLine = L2CAPChannelLine()
  var channelFarewells: [ChannelFarewell] = []

  /// - Parameter carrier: is kept for as long as the link.
  public init(role: LinkRole, loop: any StackLoop, carrier: any L2CAPCarrier, log: Logger = .silent) {
    self.role = role
    self.loop = loop
    self.carrier = carrier
    self.log = log
  }

  /// The link is gone: nothing more is received, and what was held is let go.
  public func close(_ reason: EndReason = .lost) {
    attributeProtocol = nil
    securityManager = nil
    owner = nil
    services = nil
    forgetParameterUpdate()
    endChannels(reason)
  }

  /// The data of one ACL packet. `isFirst`: it begins a frame (packet boundary flag 0b10 or 0b00).
  public func receive(fragment: ArraySlice<UInt8>, isFirst: Bool) {
    switch reassembly.add(fragment, isFirst: isFirst, limit: maximumPayload) {
    case .incomplete: break
    case .broken:
      statistics.brokenFrames += 1
      log.log(.debug, "dropped a broken frame")
    case .oversized(let channel):
      statistics.oversizedFrames += 1
      log.log(.debug, "dropped a frame too long for channel \(channel)")
      if channel == .lowEnergySignaling { rejectOversizedCommand(reassembly.oversizedStart) }
      channels[channel]?.refuse("a frame longer than the MPS")
    case .frame(let channel, let payload): dispatch(payload, of: channel)
    }
    if reassembly.takeBrokenPredecessor() { statistics.brokenFrames += 1 }
  }

  /// Frames that were sent and have not left.
  public var queuedFrames: Int { carrier.queuedFrames }

  /// Sends a payload on a channel. `payload` was begun with `payloadHeadroom` octets of headroom.
  public func send(_ payload: consuming ByteWriter, on channel: ChannelIdentifier, sent: (() -> Void)? = nil) {
    let length = UInt16(clamping: payload.count - Self.payloadHeadroom)
    L2CAPHeader(length: length, channel: channel).store(into: &payload, at: Self.carrierHeadroom)
    carrier.send(payload.octets, sent: sent)
  }

  /// The longest payload that `channel` takes; `nil` where nobody serves it.
  private func maximumPayload(of channel: ChannelIdentifier) -> Int? {
    switch channel {
    case .attributeProtocol: ATTLimits.fullValueMTU
    case .lowEnergySignaling: Self.signalingMTU
    case .securityManager: Self.securityManagerMTU
    default: channels[channel].map { Int($0.parameters.maximumPayloadSize) }
    }
  }

  private func dispatch(_ payload: ArraySlice<UInt8>, of channel: ChannelIdentifier) {
    let receiver: (any L2CAPChannelReceiver)?
    switch channel {
    case .attributeProtocol: receiver = attributeProtocol
    case .securityManager: receiver = securityManager
    case .lowEnergySignaling:
      receiveSignaling(payload)
      return
    default:
      if let channel = channels[channel] { return channel.receive(payload) }
      receiver = nil
    }
    guard let receiver else {
      statistics.unknownChannels += 1
      log.log(.debug, "dropped \(payload.count) octets for channel \(channel), which nobody serves")
      return
    }
    receiver.receive(payload)
  }
}
