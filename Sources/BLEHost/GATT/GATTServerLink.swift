import BLEAdapter
import BLECore
import BLEWire

/// One client of a GATT server: its subscriptions, prepared writes and open request. Everything on the loop.
public final class GATTServerLink: ATTServerHandler {
  public let bearer: ATTBearer
  let server: GATTServer
  let peer: PeerIdentifier?

  /// The current security of the link, checked on each access.
  public var security = LinkSecurity.open
  /// Verifies the signature of a signed write. If `nil`, signed writes are ignored.
  public var verifySignature: ((ATTSignedWriteCommand, _ verified: @escaping (Bool) -> Void) -> Void)?
  /// Called when the state to be stored for a bonded client has changed.
  public var stateDidChange: ((GATTClientState) -> Void)?

  /// The client's characteristic configurations that are not empty, by value handle.
  let configurations = SortedTable<AttributeHandle, ClientConfiguration>()
  /// The security that the link needs for updates of a characteristic, where it needs any.
  let subscriptionRequirements = SortedTable<AttributeHandle, AccessRequirement>()
  var supportedFeatures: ClientSupportedFeatures = []
  var awareness = ChangeAwareness()
  var changes = ServiceChanges()
  var heldBack = HeldBackUpdates()
  var queue = PrepareQueue()
  /// The request that waits for an application's response.
  var waiting: WaitingRequest?
  /// The completions of notifications that are on their way to the controller. Indications have their own: they wait for the client.
  let notifications = DeferredCalls()
  /// One closure for all notifications, because they go out in order.
  let notificationLeft: () -> Void

  init(server: GATTServer, bearer: ATTBearer, state: GATTClientState?, peer: PeerIdentifier?) {
    self.server = server
    self.bearer = bearer
    self.peer = peer
    notificationLeft = { [notifications] in notifications.callNext() }
    if let state { restore(state) }
  }

  /// Restores the state of a bonded client that has proved its identity, and reports its subscriptions to the applications.
  ///
  /// If the database has changed since, only the subscription to Service Changed is restored: the other handles could mean
  /// something else.
  public func restore(_ state: GATTClientState) {
    supportedFeatures.formUnion(state.supportedFeatures)
    let hash = server.database.databaseHash
    let isSame = state.databaseHash == hash
    for (handle, wanted) in state.configurations.sorted(by: { $0.key < $1.key }) where configurations[handle] == nil {
      guard isSame || handle == server.serviceChanged,
        let attribute = server.database.clientConfiguration(of: handle),
        case .clientConfiguration(_, let offers) = attribute.content, wanted.isSubset(of: offers), !wanted.isEmpty
      else { continue }
      subscribe(to: handle, wanted, attribute)
    }
    if state.knownHash != hash { databaseDidChange(in: .first ... .last) }
  }

  /// The link has ended: drops queued data, and reports to the applications that the client is no longer subscribed.
  public func close() {
    server.forget(self, openRequest: waiting?.number)
    waiting = nil
    queue.removeAll()
    for update in heldBack.takeAll() { update.drop() }
    let ended = configurations.keys
    configurations.removeAll()
    for handle in ended { reportSubscription(handle, []) }
    notifications.callAll()
  }

  /// The client as reported to applications; `nil` if its device is not known.
  var remoteCentral: RemoteCentral? {
    peer.map { RemoteCentral(identifier: $0, maximumUpdateValueLength: bearer.mtu - 3) }
  }

  /// The state to be stored for the next connection.
  public var state: GATTClientState {
    GATTClientState(
      configurations: configurations.dictionary, supportedFeatures: supportedFeatures,
      knownHash: awareness.isAware ? server.database.databaseHash : [], databaseHash: server.database.databaseHash)
  }

  // MARK: Requests

  public func bearer(_ bearer: ATTBearer, didReceive request: ATTClientPDU) {
    if supportedFeatures.contains(.robustCaching), !awareness.isAware {
      guard awareness.admits(request) else { return bearer.refuse(.databaseOutOfSync, at: AttributeHandle(0)) }
      sendHeldBack()
    }
    switch request {
    case .readRequest(let request): read(request.attributeHandle, offset: 0, isBlob: false)
    case .readBlobRequest(let request):
      read(request.attributeHandle, offset: Int(request.valueOffset), isBlob: true)
    case .readMultipleRequest(let request): readMultiple(request.setOfHandles, isVariable: false)
    case .readMultipleVariableRequest(let request): readMultiple(request.setOfHandles, isVariable: true)
    case .readByTypeRequest(let request): readByType(request)
    case .readByGroupTypeRequest(let request): readByGroupType(request)
    case .findInformationRequest(let request): findInformation(request)
    case .findByTypeValueRequest(let request): findByTypeValue(request)
    case .writeRequest(let request): write(request.attributeValue, to: request.attributeHandle)
    case .prepareWriteRequest(let request): prepare(request)
    case .executeWriteRequest(let request): execute(request.flags)
    default: bearer.refuse(.requestNotSupported, at: AttributeHandle(0))
    }
  }

  public func bearer(_ bearer: ATTBearer, didReceiveCommand command: ATTClientPDU) {
    // To a change-unaware client the handle could mean something else.
    if supportedFeatures.contains(.robustCaching), !awareness.isAware { return }
    switch command {
    case .writeCommand(let command): writeCommand(command.attributeValue, to: command.attributeHandle)
    case .signedWriteCommand(let command):
      let verified = { [weak self] (isGenuine: Bool) in
        guard let self else { return }
        if isGenuine {
          writeCommand(command.attributeValue, to: command.attributeHandle, .signed)
        } else {
          server.log.log(.debug, "ignored a signed write that could not be verified")
        }
      }
      if let verifySignature { verifySignature(command, verified) } else { verified(false) }
    default: break
    }
  }

  /// Continues the waiting request with the application's response.
  func applicationAnswered(_ error: ATTErrorCode?, _ value: ArraySlice<UInt8>) {
    guard let answered = waiting else { return }
    waiting = nil
    switch answered.kind {
    case .read(let handle, let isBlob):
      if let error { bearer.refuse(error, at: handle) } else { respond(with: value, isBlob: isBlob) }
    case .readByType(let handle):
      if let error { bearer.refuse(error, at: handle) } else { respondToReadByType(handle, value) }
    case .multiple(var reading):
      if let error { return bearer.refuse(error, at: reading.next) }
      reading.append(value)
      resume(reading)
    case .write(let handle):
      if let error { bearer.refuse(error, at: handle) } else { bearer.respond(ATTWriteResponse()) }
    case .execute(let execution):
      if let error { return bearer.refuse(error, at: execution.current) }
      resume(execution)
    }
  }

  /// Records the request about to be passed to an application, and returns its number.
  func wait(_ kind: WaitingRequest.Kind, for application: any AttributeApplication) -> UInt64 {
    let number = server.openRequest(of: self)
    waiting = WaitingRequest(number: number, kind: kind, application: ObjectIdentifier(application))
    return number
  }

  /// Returns the attribute at `handle`; throws if this link may not read it.
  func readable(_ handle: AttributeHandle) throws(ATTErrorCode) -> Attribute {
    guard let attribute = server.database[handle] else { throw .invalidHandle }
    if let refusal = attribute.permissions.readRefusal(of: security) { throw refusal }
    return attribute
  }

  /// Returns the attribute at `handle`; throws if this link may not write it in this form.
  func writable(
    _ handle: AttributeHandle, _ form: AttributePermissions.WriteForms
  ) throws(ATTErrorCode) -> Attribute {
    guard let attribute = server.database[handle] else { throw .invalidHandle }
    if let refusal = attribute.permissions.writeRefusal(of: security, form: form) { throw refusal }
    return attribute
  }

  /// One array for all, because a discovery reads as many as there are.
  private static let emptyConfiguration = ClientConfiguration().octets[...]

  /// Returns the value for this client; `nil` if the application provides it.
  func value(of attribute: Attribute) -> ArraySlice<UInt8>? {
    switch attribute.content {
    case .value(let value): value[...]
    case .application: nil
    case .clientConfiguration(let handle, _): configurations[handle]?.octets[...] ?? Self.emptyConfiguration
    case .server(.serviceChanged): []
    case .server(.clientSupportedFeatures): [supportedFeatures.rawValue]
    case .server(.databaseHash): server.database.databaseHash[...]
    case .server(.serverSupportedFeatures): [0]
    }
  }
}

extension ClientConfiguration {
  var octets: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)] }
}

/// A request that waits for an application's response.
struct WaitingRequest {
  enum Kind {
    case read(AttributeHandle, isBlob: Bool)
    case readByType(AttributeHandle)
    case multiple(MultipleRead)
    case write(AttributeHandle)
    case execute(QueueExecution)
  }

  let number: UInt64
  let kind: Kind
  let application: ObjectIdentifier
}
