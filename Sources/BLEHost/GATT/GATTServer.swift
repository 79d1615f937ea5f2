import BLEAdapter
import BLECore
import BLEWire

/// The GATT server of a host: one database, and a `GATTServerLink` for each client. Everything on the loop.
public final class GATTServer {
  public let database: AttributeDatabase
  let log: Logger
  /// The clients that are connected, in the order in which they came: what they are sent is the same in each run.
  private var links: [GATTServerLink] = []
  /// The requests that wait for a program's answer, and who made them.
  private var openRequests: [UInt64: GATTServerLink] = [:]
  private var nextRequest: UInt64 = 1
  /// The value of Service Changed, where the database has one.
  public internal(set) var serviceChanged: AttributeHandle?

  public init(database: AttributeDatabase = AttributeDatabase(), log: Logger = .silent) {
    self.database = database
    self.log = log
  }

  /// Begins to serve the client on a bearer. Ends with `GATTServerLink.close()`.
  public func makeLink(on bearer: ATTBearer, state: GATTClientState? = nil) -> GATTServerLink {
    let link = GATTServerLink(server: self, bearer: bearer, state: state)
    links.append(link)
    bearer.server = link
    return link
  }

  /// Everybody who is connected.
  public var clients: [GATTServerLink] { links }

  /// A program's answer to a request: the value that was asked for from the offset on, or nothing for a write.
  ///
  /// - Parameters:
  ///   - request: one that is answered already, or whose link is gone, is no harm.
  ///   - error: `nil`: it was done.
  public func respond(to request: UInt64, error: ATTErrorCode?, value: [UInt8] = []) {
    guard let link = openRequests.removeValue(forKey: request) else { return }
    link.applicationAnswered(error, value[...])
  }

  /// A program has gone: what it was asked and has not answered is refused, so that clients need not wait until they give up.
  public func refuseRequests(of application: any AttributeApplication) {
    let numbers = openRequests.filter { $0.value.waiting?.application == ObjectIdentifier(application) }.keys
    for number in numbers.sorted() { respond(to: number, error: .unlikelyError) }
  }

  // MARK: Changing the database

  /// Publishes a service and tells the clients.
  public func publish(
    _ service: LocalService, including included: [PublishedService] = [], application: any AttributeApplication
  ) -> PublishedService? {
    guard let published = database.publish(service, including: included, application: application) else { return nil }
    databaseDidChange(in: published.handles)
    return published
  }

  /// Removes a service and tells the clients. Who was subscribed to it is no longer.
  public func remove(_ service: PublishedService) {
    database.remove(service.handles)
    for link in links { link.forgetSubscriptions(in: service.handles) }
    databaseDidChange(in: service.handles)
  }

  /// Tells every client that the structure has changed (Core, Vol 3 Part G 7.1 and 2.5.2).
  public func databaseDidChange(in handles: ClosedRange<AttributeHandle>) {
    for link in links { link.databaseDidChange(in: handles) }
  }

  // MARK: Links

  func openRequest(of link: GATTServerLink) -> UInt64 {
    defer { nextRequest += 1 }
    openRequests[nextRequest] = link
    return nextRequest
  }

  /// A number for a request that needs no answer.
  func takeRequestNumber() -> UInt64 {
    defer { nextRequest += 1 }
    return nextRequest
  }

  func forget(_ link: GATTServerLink, openRequest: UInt64?) {
    links.removeAll { $0 === link }
    if let openRequest { openRequests[openRequest] = nil }
  }
}

/// What a server remembers of a client that it has keys for, from one connection to the next (Core, Vol 3 Part G 2.5.2,
/// 3.3.3.3 and 7.2).
public struct GATTClientState: Hashable, Sendable {
  /// What the client wants of each characteristic, by the value's handle.
  public var configurations: [AttributeHandle: ClientConfiguration]
  public var supportedFeatures: ClientSupportedFeatures
  /// The hash of the database that the client knows.
  public var knownHash: [UInt8]
  /// The hash of the database that the handles of `configurations` belong to.
  public var databaseHash: [UInt8]

  /// - Parameter databaseHash: by default the one that the client knows.
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

/// What a client says that it can do (Core, Vol 3 Part G 7.2).
public struct ClientSupportedFeatures: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let robustCaching = ClientSupportedFeatures(rawValue: 0x01)
  public static let enhancedBearer = ClientSupportedFeatures(rawValue: 0x02)
  public static let multipleNotifications = ClientSupportedFeatures(rawValue: 0x04)
}
