import BLECore
import BLEWire

/// A connection attempt; it lasts until a matching advertiser is received or the host cancels it (Core, Vol 6 Part B 4.4.4).
final class Initiator: AdvertisingListener {
  struct Settings {
    /// `nil` for any device on the filter accept list.
    var peer: DeviceAddress?
    var ownAddress: DeviceAddress
    /// If there is a private address towards the peer, it is used instead.
    var isPrivate: Bool
    var parameters: ConnectionParameters
    var windows: [LEPHY: ListeningWindow]
    /// Whether it connects to extended advertisers too.
    var isExtended: Bool
  }

  let controller: VirtualController
  let node: AirNode
  let settings: Settings

  init(controller: VirtualController, settings: Settings) {
    self.controller = controller
    node = controller.node
    self.settings = settings
    controller.air.startListening(self)
  }

  func channel(at time: StackInstant) -> UInt8? { settings.windows.channel(at: time) }

  func stop() { controller.air.stopListening(self) }

  func hear(_ offer: AdvertisingOffer, start: StackInstant) {
    guard offer.isConnectable, offer.isLegacy || settings.isExtended, let advertiser = offer.advertiser,
      !controller.resolvingList.ignores(advertiser)
    else { return }
    let identity = controller.identity(advertiser)
    guard
      settings.peer.map({ $0 == identity || $0 == advertiser }) ?? controller.acceptList.contains(identity),
      offer.target == nil || offer.target == settings.ownAddress || offer.target.map(controller.isOwn) == true,
      let window = settings.windows[offer.primaryPHY], controller.connection(to: identity) == nil
    else { return }
    var path = offer.source.path(to: node)
    if path.isBlocked { return }
    guard window.hears(offer, start: start, over: &path, for: self) else { return }
    let own = settings.isPrivate ? controller.localPrivateAddress(for: identity) : nil
    let indication = makeIndication(to: advertiser, from: own ?? settings.ownAddress)
    let arrives =
      offer.source.path(from: node).isPerfect
      || {
        var back = offer.source.path(from: node)
        return back.delivers(node.chance)
      }()
    if controller.air.hasTap, let tap = controller.air.tap {
      let time = start + offer.primaryDuration + AirTime.interFrameSpace
      tap.air(
        controller.air,
        carried: offer.frame(
          AdvertisingChannelPDU.connectIndication(indication).octets, at: time, channel: 37, phy: offer.primaryPHY))
    }
    let now = controller.loop.now
    guard case .sent(let peer) = offer.source.connect(indication, by: self, created: now, arrives: arrives) else {
      return
    }
    controller.initiatorConnected(indication, peer: peer, created: now, phy: offer.secondary?.phy ?? .le1M)
  }

  private func makeIndication(to advertiser: DeviceAddress, from own: DeviceAddress) -> ConnectIndication {
    let chance = node.chance
    let parameters = settings.parameters
    let interval = parameters.intervalMinimum.rawValue
    // The random number is drawn only where it is wanted: the air of a seed stays what it was.
    let offset = controller.air.variesFirstEvent ? UInt16(chance.uniform(0..<UInt64(interval) + 1)) : 0
    return ConnectIndication(
      initiator: own, advertiser: advertiser, supportsChannelSelection2: true,
      accessAddress: Self.accessAddress(chance), crcInitialization: UInt32(truncatingIfNeeded: chance.next()),
      windowSize: 1, windowOffset: offset, interval: interval, latency: parameters.latency,
      timeout: parameters.supervisionTimeout.rawValue, channelMap: controller.hostChannels.rawValue,
      hop: UInt8(chance.uniform(5..<17)))
  }

  /// A random access address with the properties that the specification requires (Core, Vol 6 Part B 2.1.2).
  private static func accessAddress(_ chance: SeededEntropy) -> UInt32 {
    while true {
      let value = UInt32(truncatingIfNeeded: chance.next())
      let changes = (value ^ value >> 1) & 0x7FFF_FFFF
      let octets = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
      let hasLongRun = (0..<26).contains { value >> UInt32($0) & 0x7F == 0 || value >> UInt32($0) & 0x7F == 0x7F }
      let differs = (value ^ AdvertisingChannelPDU.accessAddress).nonzeroBitCount > 1
      let isUniform = octets.allSatisfy { $0 == octets[0] }
      let isBusy = changes.nonzeroBitCount <= 24 && (changes >> 26).nonzeroBitCount >= 2
      if differs, !hasLongRun, !isUniform, isBusy { return value }
    }
  }
}
