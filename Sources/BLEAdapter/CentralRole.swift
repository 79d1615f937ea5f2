import BLECore
import Synchronization

/// What a central manager asks of the stack. Everything on the loop.
public protocol CentralRole: AnyObject {
  /// Starts scanning, or replaces what a running scan looks for. Ignored unless powered on.
  func startScan(_ parameters: ScanParameters)
  func stopScan()

  /// Wants a connection to `peer` for as long as it takes: it ends by `didConnect`, `didFailToConnect` or
  /// `cancelConnection`. Where the link is there already, this role joins it and `didConnect` follows.
  func connect(_ peer: PeerIdentifier, options: ConnectionOptions)
  /// Gives up a pending connection, or leaves a link (which ends when nobody uses it any more). `didDisconnect` follows with
  /// `.requested`, unless there was neither.
  func cancelConnection(_ peer: PeerIdentifier)

  /// Ends this role: its scan, pending connections and links. No event follows.
  func close()
}

/// What a scan looks for.
public struct ScanParameters: Equatable, Sendable {
  /// Advertisers that have one of these; `nil` or empty: all.
  public var services: [BLEUUID]?
  /// Advertisers that solicit one of these as well.
  public var solicitedServices: [BLEUUID]
  /// An event for each packet, not only for new content.
  public var allowsDuplicates: Bool

  public init(services: [BLEUUID]? = nil, solicitedServices: [BLEUUID] = [], allowsDuplicates: Bool = false) {
    self.services = services
    self.solicitedServices = solicitedServices
    self.allowsDuplicates = allowsDuplicates
  }
}

public struct ConnectionOptions: Equatable, Sendable {
  /// How long to wait before the attempt starts.
  public var startDelay: StackDuration
  public init(startDelay: StackDuration = .zero) { self.startDelay = startDelay }
}

/// What an advertiser says, put together from its advertisement and its scan response. Immutable: as long as a device says
/// the same, the same object is handed out, so that what is derived from it can be kept with it.
public final class AdvertisementContent: Sendable {
  /// All advertising data structures as they came, advertisement first.
  public let octets: [UInt8]
  public let localName: String?
  /// Company identifier first, as it travelled.
  public let manufacturerData: [UInt8]?
  public let serviceData: [(uuid: BLEUUID, data: [UInt8])]
  public let serviceUUIDs: [BLEUUID]
  public let overflowServiceUUIDs: [BLEUUID]
  public let solicitedServiceUUIDs: [BLEUUID]
  /// In dBm.
  public let txPowerLevel: Int8?
  public let isConnectable: Bool
  private let rendering = AtomicLazyReference<AdvertisementRendering>()

  public init(
    octets: [UInt8], localName: String?, manufacturerData: [UInt8]?, serviceData: [(uuid: BLEUUID, data: [UInt8])],
    serviceUUIDs: [BLEUUID], overflowServiceUUIDs: [BLEUUID], solicitedServiceUUIDs: [BLEUUID],
    txPowerLevel: Int8?, isConnectable: Bool
  ) {
    self.octets = octets
    self.localName = localName
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.serviceUUIDs = serviceUUIDs
    self.overflowServiceUUIDs = overflowServiceUUIDs
    self.solicitedServiceUUIDs = solicitedServiceUUIDs
    self.txPowerLevel = txPowerLevel
    self.isConnectable = isConnectable
  }

  /// What programs are shown of this content: made by the first who asks, from any thread, and kept as long as the content. All
  /// who ask have to make it alike.
  public func rendering(orMake make: () -> AdvertisementRendering) -> AdvertisementRendering {
    rendering.load() ?? rendering.storeIfNil(make())
  }
}

/// What a facade makes of an advertisement's content: its own, kept with the content. Immutable.
///
/// `@unchecked Sendable`: it has no state, and what inherits from it must have none that changes.
open class AdvertisementRendering: @unchecked Sendable {
  public init() {}
}

/// One discovery event.
public struct DiscoveryEvent: Sendable {
  public let peer: PeerIdentifier
  public let address: DeviceAddress
  /// The name to show: what was read from the device, else what it advertises.
  public let name: String?
  public let content: AdvertisementContent
  /// In dBm; 127 where it is not available.
  public let rssi: Int8

  public init(
    peer: PeerIdentifier, address: DeviceAddress, name: String?, content: AdvertisementContent, rssi: Int8
  ) {
    self.peer = peer
    self.address = address
    self.name = name
    self.content = content
    self.rssi = rssi
  }
}

/// What the stack tells a central manager. Everything on the loop.
public protocol CentralEvents: AnyObject {
  /// The first event, and at each change. Below `poweredOn` scans have stopped and links are gone, without further events.
  func central(didUpdateState state: AdapterState)
  func central(didDiscover discovery: DiscoveryEvent)
  func central(didConnect peer: KnownPeer, link: any PeerLink)
  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason)
  /// The link is gone, or this role has left it. Operations that waited get no completion any more.
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason)
  /// Any role of this process has gained or lost a link to `peer`; once more when more of the services of a connected peer have
  /// become known.
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID])
}
