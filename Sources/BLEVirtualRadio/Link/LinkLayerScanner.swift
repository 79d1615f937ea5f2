import BLECore
import BLEWire

/// A scan: receives advertisements, requests scan responses, and filters duplicates.
final class LinkLayerScanner: AdvertisingListener, TimerTarget {
  struct Settings {
    var isActive: Bool
    var ownAddressType: LEOwnAddressType
    var filterPolicy: LEScanFilterPolicy
    var filtersDuplicates: Bool
    /// The period after which duplicates are reported again; zero for never.
    var period = StackDuration.zero
    /// Zero for no limit.
    var duration = StackDuration.zero
    /// Whether the host used the extended commands: it receives extended reports and extended advertisements.
    var isExtended: Bool
    var windows: [LEPHY: ListeningWindow]
  }

  private enum Timer: Int { case duration, period }

  private struct Seen: Hashable {
    let address: UInt64
    let isResponse: Bool
    /// Set identifier and data identifier of an extended advertisement.
    let information: UInt32
  }

  private static let seenLimit = 65_536

  let controller: VirtualController
  let node: AirNode
  let settings: Settings
  private let address: DeviceAddress
  private var seen: Set<Seen> = []
  private var durationTimer = TimerToken()
  private var periodTimer = TimerToken()

  init(controller: VirtualController, address: DeviceAddress, settings: Settings) {
    self.controller = controller
    node = controller.node
    self.address = address
    self.settings = settings
    controller.air.startListening(self)
    if settings.duration > .zero {
      durationTimer = controller.loop.schedule(
        after: settings.duration, .background, self, tag: Timer.duration.rawValue)
    }
    if settings.period > .zero { startPeriod() }
  }

  /// Whether reports have the extended form.
  var isExtended: Bool { settings.isExtended }

  func channel(at time: StackInstant) -> UInt8? { settings.windows.channel(at: time) }

  func stop() {
    controller.air.stopListening(self)
    controller.loop.cancel(durationTimer)
    controller.loop.cancel(periodTimer)
  }

  func timerFired(tag: Int) {
    switch Timer(rawValue: tag) {
    case .duration where settings.period == .zero: controller.scanEnded()
    case .period:
      seen.removeAll(keepingCapacity: true)
      startPeriod()
    default: break
    }
  }

  private func startPeriod() {
    periodTimer = controller.loop.schedule(after: settings.period, .background, self, tag: Timer.period.rawValue)
  }

  func hear(_ offer: AdvertisingOffer, start: StackInstant) {
    guard let window = settings.windows[offer.primaryPHY], offer.isLegacy || settings.isExtended, admits(offer) else {
      return
    }
    let asks = settings.isActive && offer.isScannable
    // A scanner that has reported everything need not listen.
    if isKnown(offer, isResponse: false), !asks || isKnown(offer, isResponse: true) { return }
    var path = offer.source.path(to: node)
    if path.isBlocked { return }
    guard window.hears(offer, start: start, over: &path, for: self) else { return }
    if remember(offer, isResponse: false) {
      controller.report(
        offer, data: offer.isLegacy || !offer.isScannable ? offer.data : [], isResponse: false,
        isExtended: settings.isExtended, signal: path.signal(node.chance))
    }
    guard asks, !isKnown(offer, isResponse: true), let advertiser = offer.advertiser else { return }
    let asker = askingAddress(advertiser)
    var back = offer.source.path(from: node)
    let time = start + offer.primaryDuration + AirTime.interFrameSpace
    let arrives = back.delivers(node.chance)
    if controller.air.hasTap, let tap = controller.air.tap {
      let request = AdvertisingChannelPDU.scanRequest(ScanRequest(scanner: asker, advertiser: advertiser))
      tap.air(controller.air, carried: offer.frame(request.octets, at: time, channel: 37, phy: offer.primaryPHY))
    }
    guard arrives, offer.source.answersScanRequest(from: asker) else { return }
    let heard = path.delivers(node.chance)
    if controller.air.hasTap, let tap = controller.air.tap {
      tap.air(
        controller.air,
        carried: offer.frame(
          offer.scanResponsePDU.octets, at: time + AirTime.packet(12, offer.primaryPHY) + AirTime.interFrameSpace,
          channel: 37, phy: offer.primaryPHY))
    }
    guard heard, remember(offer, isResponse: true) else { return }
    controller.report(
      offer, data: offer.scanData, isResponse: true, isExtended: settings.isExtended, signal: path.signal(node.chance))
  }

  /// Whether the filter policy accepts the advertisement (Core, Vol 6 Part B 4.3.3).
  private func admits(_ offer: AdvertisingOffer) -> Bool {
    let policy = settings.filterPolicy
    if policy == .listOnly || policy == .listAndUnresolvedDirected {
      guard let advertiser = offer.advertiser,
        controller.acceptList.contains(controller.identity(advertiser))
      else { return false }
    }
    if controller.resolvingList.isActive, let advertiser = offer.advertiser,
      controller.resolvingList.ignores(advertiser)
    {
      return false
    }
    guard let target = offer.target else { return true }
    if target == address || controller.isOwn(target) { return true }
    let takesUnresolved = policy == .allAndUnresolvedDirected || policy == .listAndUnresolvedDirected
    return takesUnresolved && target.randomKind == .resolvablePrivate
  }

  /// This device's address in scan requests.
  private func askingAddress(_ advertiser: DeviceAddress) -> DeviceAddress {
    guard settings.ownAddressType.isPrivate else { return address }
    return controller.localPrivateAddress(for: controller.identity(advertiser)) ?? address
  }

  private func key(_ offer: AdvertisingOffer, _ isResponse: Bool) -> Seen {
    let advertiser = offer.advertiser.map { controller.identity($0) }
    let information = offer.secondary.map { UInt32($0.setIdentifier) << 16 | UInt32($0.dataIdentifier) | 1 << 31 } ?? 0
    let kind: UInt64 = advertiser?.kind == .random ? 1 << 48 : 0
    return Seen(
      address: (advertiser?.value ?? 1 << 49) | kind, isResponse: isResponse,
      information: information | (offer.target == nil ? 0 : 1 << 30))
  }

  private func isKnown(_ offer: AdvertisingOffer, isResponse: Bool) -> Bool {
    settings.filtersDuplicates && seen.contains(key(offer, isResponse))
  }

  /// True if this is to be reported.
  private func remember(_ offer: AdvertisingOffer, isResponse: Bool) -> Bool {
    guard settings.filtersDuplicates else { return true }
    if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
    return seen.insert(key(offer, isResponse)).inserted
  }
}
