import BLECore
import Synchronization

/// The stack's interface for a central manager. Everything on the loop.
public protocol CentralRole: AnyObject {
  /// Starts scanning, or replaces the parameters of a running scan. Ignored unless powered on.
  func startScan(_ parameters: ScanParameters)
  func stopScan()

  /// Requests a connection to `peer`, without a time limit: the request ends by `didConnect`, `didFailToConnect` or
  /// `cancelConnection`. If the link already exists, this role joins it and `didConnect` follows.
  func connect(_ peer: PeerIdentifier, options: ConnectionOptions)
  /// Cancels a pending connection, or leaves a link (which ends when no role uses it). `didDisconnect` follows with `.requested`,
  /// unless there was neither.
  func cancelConnection(_ peer: PeerIdentifier)

  /// Ends this role: its scan, pending connections and links. No event follows.
  func close()
}

/// The parameters of a scan.
public struct ScanParameters: Equatable, Sendable {
  /// Advertisers that have one of these; `nil` or empty: all.
  public var services: [BLEUUID]?
  /// Advertisers that solicit one of these as well.
  public var solicitedServices: [BLEUUID]
  /// An event for each packet, instead of only for new content.
  public var allowsDuplicates: Bool

  public init(services: [BLEUUID]? = nil, solicitedServices: [BLEUUID] = [], allowsDuplicates: Bool = false) {
    self.services = services
    self.solicitedServices = solicitedServices
    self.allowsDuplicates = allowsDuplicates
  }
}

public struct ConnectionOptions: Equatable, Sendable {
  /// The time to wait before the connection attempt starts.
  public var startDelay: StackDuration
  public init(startDelay: StackDuration = .zero) { self.startDelay = startDelay }
}

/// The content of an advertisement and its scan response. Immutable: as long as the content stays the same, the same object is
/// passed on, so that derived values can be cached in it.
public final class AdvertisementContent: Sendable {
  /// All advertising data structures as received, advertisement first.
  public let octets: [UInt8]
  public let localName: String?
  /// Company identifier first, as on the air.
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

  /// The facade's form of this content: made by the first caller, from any thread, and kept as long as the content. All callers
  /// have to make equal forms.
  public func rendering(orMake make: () -> AdvertisementRendering) -> AdvertisementRendering {
    rendering.load() ?? rendering.storeIfNil(make())
  }
}

/// A facade's form of an advertisement's content, cached with the content. Immutable.
///
/// `@unchecked Sendable`: it has no state, and subclasses must have no mutable state.
open class AdvertisementRendering: @unchecked Sendable {
  public init() {}
}

/// One discovery event.
public struct DiscoveryEvent: Sendable {
  public let peer: PeerIdentifier
  public let address: DeviceAddress
  /// The name to show: the one read from the device, else the advertised one.
  public let name: String?
  public let content: AdvertisementContent
  /// In dBm; 127 if it is not available.
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

/// The stack's events for a central manager. Everything on the loop.
public protocol CentralEvents: AnyObject {
  /// Called first, and at each change. Below `poweredOn` scans have stopped and links have ended, without further events.
  func central(didUpdateState state: AdapterState)
  func central(didDiscover discovery: DiscoveryEvent)
  func central(didConnect peer: KnownPeer, link: any PeerLink)
  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason)
  /// Called when the link has ended, or this role has left it. Completions of pending operations are not called.
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason)
  /// Called when any role of this process has gained or lost a link to `peer`, and when more services of a connected peer have
  /// become known.
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID])
}
