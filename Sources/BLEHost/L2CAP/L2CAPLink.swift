import BLECore
import BLEWire

/// The Logical Link Control and Adaptation Protocol on one LE link (Core, Vol 3 Part A): reassembly of ACL fragments, the
/// fixed channels, and the signaling channel. Everything on the loop.
public final class L2CAPLink {
  /// Octets left free in front of each payload for the L2CAP header.
  public static let payloadHeadroom = L2CAPHeader.octetCount
  /// The longest payload accepted on the signaling channel, in octets. An LE frame holds one command, and none is longer.
  public static let signalingMTU = 64
  /// The longest payload accepted on the security manager's channel, in octets: a public key with its code.
  public static let securityManagerMTU = 65

  /// The number of queued frames beyond which requests of the peer are not answered. A peer that receives nothing could
  /// otherwise make this side queue answers without bound.
  public static let answerLimit = 64

  public let role: LinkRole
  let loop: any StackLoop
  let log: Logger
  private let carrier: any L2CAPCarrier

  /// Decides about requests of the peer. Without an owner they are refused.
  public weak var owner: (any L2CAPLinkOwner)?
  /// Receives the payloads of channel 0x0004. Retained until `close()`.
  public var attributeProtocol: (any L2CAPChannelReceiver)? {
    get { attributeReceiver }
    set { attributeReceiver = newValue }
  }
  /// Receives the payloads of channel 0x0006. Retained until `close()`.
  public var securityManager: (any L2CAPChannelReceiver)?
  /// The parameters of channels opened from now on.
  public var channelParameters = L2CAPChannelParameters()
  /// Whether this side supports enhanced channels, introduced in version 5.2.
  public var usesEnhancedChannels = true
  public internal(set) var statistics = L2CAPStatistics()

  /// Reached by this target only: see `HCILink`.
  private var attributeReceiver: (any L2CAPChannelReceiver)?
  private let reassembly = L2CAPReassembly()
  var signaling = SignalingState()
  var channels = L2CAPChannelTable()
  var channelScheduler = L2CAPChannelScheduler()
  var channelDrainWaiters: [ChannelDrainWaiter] = []
  /// Sees all payloads of the fixed channels; `nil` where nothing has to. Retained until `close()`.
  var gate: (any L2CAPGate)?

  /// - Parameter carrier: retained by the link.
  public init(role: LinkRole, loop: any StackLoop, carrier: any L2CAPCarrier, log: Logger = .silent) {
    self.role = role
    self.loop = loop
    self.carrier = carrier
    self.log = log
  }

  /// The link has ended: nothing more is received, and the receivers are released.
  public func close(_ reason: EndReason = .lost) {
    attributeProtocol = nil
    securityManager = nil
    owner = nil
    forgetParameterUpdate()
    endChannels(reason)
    let closed = gate
    gate = nil
    closed?.linkDidClose()
  }

  /// Receives the data of one ACL packet. `isFirst`: it begins a frame (packet boundary flag 0b10 or 0b00).
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
      channels[channel]?.closeAfterViolation("a frame longer than the MPS")
    case .frame(let channel, let payload):
      if let gate, channel.isFixed { gate.receive(payload, on: channel) } else { deliver(payload, of: channel) }
    }
    if reassembly.takeBrokenPredecessor() { statistics.brokenFrames += 1 }
  }

  /// The number of frames queued and not yet passed to the controller.
  public var queuedFrames: Int { carrier.queuedFrames }

  /// Sends a payload on a channel. `payload` begins with `payloadHeadroom` octets of headroom.
  public func send(_ payload: consuming ByteWriter, on channel: ChannelIdentifier, sent: (() -> Void)? = nil) {
    if let gate, channel.isFixed { return gate.send(payload, on: channel, sent: sent) }
    transmit(payload, on: channel, sent: sent)
  }

  /// Sends a payload that the gate, if there is one, lets pass.
  func transmit(_ payload: consuming ByteWriter, on channel: ChannelIdentifier, sent: (() -> Void)?) {
    let length = UInt16(clamping: payload.count - Self.payloadHeadroom)
    L2CAPHeader(length: length, channel: channel).store(into: &payload, at: 0)
    carrier.send(payload.takeOctets(), sent: sent)
  }

  /// The longest payload that `channel` accepts; `nil` if it is not open.
  private func maximumPayload(of channel: ChannelIdentifier) -> Int? {
    switch channel {
    case .attributeProtocol: ATTLimits.fullValueMTU
    case .lowEnergySignaling: Self.signalingMTU
    case .securityManager: Self.securityManagerMTU
    default: channels[channel].map { Int($0.parameters.maximumPayloadSize) }
    }
  }

  /// Hands a received payload that the gate, if there is one, lets pass to its receiver.
  func deliver(_ payload: ArraySlice<UInt8>, of channel: ChannelIdentifier) {
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
      log.log(.debug, "dropped \(payload.count) octets for channel \(channel), which is not open")
      return
    }
    receiver.receive(payload)
  }
}

extension L2CAPLink: ATTChannel, SecurityManagerChannel {
  public var headroom: Int { Self.payloadHeadroom }
  public var isCongested: Bool { queuedFrames > Self.answerLimit }
  public func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) { send(pdu, on: .attributeProtocol, sent: sent) }
  public func send(securityManagerCommand command: consuming ByteWriter) { send(command, on: .securityManager) }
}
