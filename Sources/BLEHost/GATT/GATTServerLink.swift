import BLEAdapter
import BLECore
import BLEWire

/// One client of a GATT server: what it wants to be told, what it has queued, and its open request. Everything on the loop.
public final class GATTServerLink: ATTServerHandler {
  public let bearer: ATTBearer
  let server: GATTServer

  /// How well the link is protected. Looked at on each access.
  public var security = LinkSecurity.open
  /// Says whether a signed write is genuine. Without it signed writes are ignored.
  public var verifySignature: ((ATTSignedWriteCommand, _ verified: @escaping (Bool) -> Void) -> Void)?
  /// Told when something changed that is to be kept for a client that there are keys for.
  public var stateDidChange: ((GATTClientState) -> Void)?

  /// What the client wants of characteristics, by their values' handles. Nothing is not kept.
  var configurations: [AttributeHandle: ClientConfiguration] = [:]
  /// What the link must be for values of a characteristic to be sent, where that is more than nothing.
  var subscriptionRequirements: [AttributeHandle: AccessRequirement] = [:]
  var supportedFeatures: ClientSupportedFeatures = []
  var awareness = ChangeAwareness()
  var changes = ServiceChanges()
  var heldBack = HeldBackUpdates()
  var queue = PrepareQueue()
  /// The request that waits for a program.
  var waiting: WaitingRequest?

  init(server: GATTServer, bearer: ATTBearer, state: GATTClientState?) {
    self.server = server
    self.bearer = bearer
    if let state { restore(state) }
  }

  /// The client has proved to be one that is known: what it wanted before holds again. Programs are told who is subscribed.
  ///
  /// Of a database that has changed meanwhile only the subscription to Service Changed is left: the handles of the others could
  /// mean something else.
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

  /// The link is gone: what was queued is dropped, and programs are told that nobody is subscribed any more.
  public func close() {
    server.forget(self, openRequest: waiting?.number)
    waiting = nil
    queue.removeAll()
    for update in heldBack.takeAll() { update.drop() }
    let ended = configurations
    configurations = [:]
    for handle in ended.keys.sorted() { tellApplication(handle, []) }
  }

  /// What is to be kept for the next connection.
  public var state: GATTClientState {
    GATTClientState(
      configurations: configurations, supportedFeatures: supportedFeatures,
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
    // A client that does not know the database any more could write to what is not what it was.
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

  /// A program has answered the request that waited for it.
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
      goOn(reading)
    case .write(let handle):
      if let error { bearer.refuse(error, at: handle) } else { bearer.respond(ATTWriteResponse()) }
    case .execute(let execution):
      if let error { return bearer.refuse(error, at: execution.current) }
      goOn(execution)
    }
  }

  /// Notes the request that a program is about to be asked, and numbers it.
  func wait(_ kind: WaitingRequest.Kind, for application: any AttributeApplication) -> UInt64 {
    let number = server.openRequest(of: self)
    waiting = WaitingRequest(number: number, kind: kind, application: ObjectIdentifier(application))
    return number
  }

  /// The attribute at `handle`, where this link may read it.
  func readable(_ handle: AttributeHandle) throws(ATTErrorCode) -> Attribute {
    guard let attribute = server.database[handle] else { throw .invalidHandle }
    if let refusal = attribute.permissions.readRefusal(of: security) { throw refusal }
    return attribute
  }

  /// The attribute at `handle`, where this link may write it in this way.
  func writable(
    _ handle: AttributeHandle, _ form: AttributePermissions.WriteForms
  ) throws(ATTErrorCode) -> Attribute {
    guard let attribute = server.database[handle] else { throw .invalidHandle }
    if let refusal = attribute.permissions.writeRefusal(of: security, form: form) { throw refusal }
    return attribute
  }

  /// The value for this client, where it is not a program's.
  func value(of attribute: Attribute) -> ArraySlice<UInt8>? {
    switch attribute.content {
    case .value(let value): value[...]
    case .application: nil
    case .clientConfiguration(let handle, _): (configurations[handle] ?? []).octets[...]
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

/// A request that waits for a program's answer.
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
  /// Who was asked.
  let application: ObjectIdentifier
}
