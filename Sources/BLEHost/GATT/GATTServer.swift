import BLEAdapter
import BLECore
import BLEWire

/// The GATT server of a host: one database, and a `GATTServerLink` for each client. Everything on the loop.
public final class GATTServer {
  public let database: AttributeDatabase
  let log: Logger
  /// The connected clients, in the order of their connection, so that packets to them have the same order in each run.
  private var links: [GATTServerLink] = []
  /// The requests that wait for an application's response, and the links that they came from: at most one of each link, so that a
  /// search costs less than a table.
  private var openRequests: [(number: UInt64, link: GATTServerLink)] = []
  private var nextRequest: UInt64 = 1
  /// The value handle of Service Changed, if the database has it.
  public internal(set) var serviceChanged: AttributeHandle?

  public init(database: AttributeDatabase = AttributeDatabase(), log: Logger = .silent) {
    self.database = database
    self.log = log
  }

  /// Starts to serve the client on a bearer, until `GATTServerLink.close()`.
  ///
  /// - Parameter peer: the client's device, for applications that ask for it.
  public func makeLink(
    on bearer: ATTBearer, state: GATTClientState? = nil, peer: PeerIdentifier? = nil
  ) -> GATTServerLink {
    let link = GATTServerLink(server: self, bearer: bearer, state: state, peer: peer)
    links.append(link)
    bearer.server = link
    return link
  }

  /// The connected clients.
  public var clients: [GATTServerLink] { links }

  /// Responds to a request for an application: with the value from the request's offset on, or without one for a write.
  ///
  /// - Parameters:
  ///   - request: the request's number; ignored if the request is answered or its link has ended.
  ///   - error: `nil` if the request succeeded.
  public func respond(to request: UInt64, error: ATTErrorCode?, value: [UInt8] = []) {
    guard let link = close(request) else { return }
    link.applicationAnswered(error, value[...])
  }

  /// Refuses the unanswered requests of an application that has ended, so that clients need not wait for the time-out.
  public func refuseRequests(of application: any AttributeApplication) {
    let open = openRequests.filter { $0.link.waiting?.application == ObjectIdentifier(application) }
    for request in open { respond(to: request.number, error: .unlikelyError) }
  }

  // MARK: Changing the database

  /// Publishes a service and indicates the change to the clients.
  public func publish(
    _ service: LocalService, including included: [PublishedService] = [], application: any AttributeApplication
  ) -> PublishedService? {
    guard let published = database.publish(service, including: included, application: application) else { return nil }
    databaseDidChange(in: published.handles)
    return published
  }

  /// Removes a service with the subscriptions to it, and indicates the change to the clients.
  public func remove(_ service: PublishedService) {
    database.remove(service.handles)
    for link in links { link.forgetSubscriptions(in: service.handles) }
    databaseDidChange(in: service.handles)
  }

  /// Indicates to every client that the structure has changed (Core, Vol 3 Part G 7.1 and 2.5.2).
  public func databaseDidChange(in handles: ClosedRange<AttributeHandle>) {
    for link in links { link.databaseDidChange(in: handles) }
  }

  // MARK: Links

  func openRequest(of link: GATTServerLink) -> UInt64 {
    defer { nextRequest += 1 }
    openRequests.append((nextRequest, link))
    return nextRequest
  }

  /// The link whose request of this number was open.
  private func close(_ request: UInt64) -> GATTServerLink? {
    guard let index = openRequests.firstIndex(where: { $0.number == request }) else { return nil }
    return openRequests.remove(at: index).link
  }

  /// Returns a number for a request that needs no response.
  func takeRequestNumber() -> UInt64 {
    defer { nextRequest += 1 }
    return nextRequest
  }

  func forget(_ link: GATTServerLink, openRequest: UInt64?) {
    links.removeAll { $0 === link }
    if let openRequest { _ = close(openRequest) }
  }
}

/// What a server stores for a bonded client between connections (Core, Vol 3 Part G 2.5.2, 3.3.3.3 and 7.2).
public struct GATTClientState: Hashable, Sendable {
  /// The client's characteristic configurations, by value handle.
  public var configurations: [AttributeHandle: ClientConfiguration]
  public var supportedFeatures: ClientSupportedFeatures
  /// The hash of the database that the client knows; empty if it is not change-aware.
  public var knownHash: [UInt8]
  /// The hash of the database to which the handles of `configurations` belong.
  public var databaseHash: [UInt8]

  /// - Parameter databaseHash: `knownHash` by default.
  public init(
    configurations: [AttributeHandle: ClientConfiguration] = [:], supportedFeatures: ClientSupportedFeatures = [],
    knownHash: [UInt8], databaseHash: [UInt8]? = nil
  ) {
    self.configurations = configurations
    self.supportedFeatures = supportedFeatures
    self.knownHash = knownHash
    self.databaseHash = databaseHash ?? knownHash
  }
}

/// The value of Client Supported Features (Core, Vol 3 Part G 7.2).
public struct ClientSupportedFeatures: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let robustCaching = ClientSupportedFeatures(rawValue: 0x01)
  public static let enhancedBearer = ClientSupportedFeatures(rawValue: 0x02)
  public static let multipleNotifications = ClientSupportedFeatures(rawValue: 0x04)
}
