import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// One central's use of one link. The known database of the peer, the queue of operations and the subscriptions belong to the link,
/// and are shared with the other centrals of the process.
final class HostPeerLink: PeerLink, OperationCaller {
  let connection: HostConnection
  private let database: RemoteDatabase
  private(set) weak var central: HostCentral?
  weak var events: (any PeerLinkEvents)?
  /// Whether the link has ended, or the central has left it: no event is reported.
  private(set) var hasEnded = false
  /// Open channels of this central.
  private var channels: [L2CAPChannel] = []
  /// What follows the commands that are on their way, and one closure for all of them, because they go out in order.
  private let commands = DeferredCalls()
  private let commandLeft: () -> Void

  init(connection: HostConnection, central: HostCentral) {
    self.connection = connection
    self.central = central
    database = connection.database
    commandLeft = { [commands] in
      connection.pendingWrites -= 1
      commands.callNext()
    }
    database.add(self)
  }

  var peer: PeerIdentifier { connection.peer.identifier }
  var maximumTransmissionUnit: Int { connection.mtu }

  /// Ends the central's use of the link, which other centrals may continue to use.
  func leave() {
    if hasEnded { return }
    hasEnded = true
    commands.removeAll()
    for channel in channels { channel.close() }
    channels = []
    connection.links.removeAll { $0 === self }
    connection.disconnectIfUnused()
    // Subscriptions end with a link that is closing; a bonded peer stores them for the next one.
    if connection.phase != .closing { database.remove(self) }
  }

  /// The link has ended.
  func end() {
    hasEnded = true
    commands.removeAll()
    channels = []
  }

  /// Returns a completion that does nothing once the link has ended or the central has left.
  private func unlessEnded<Value>(_ completion: @escaping Completion<Value>) -> Completion<Value> {
    { [self] result in if !hasEnded { completion(result) } }
  }

  /// Fails with `.notConnected`, asynchronously.
  private func refuse<Value>(_ completion: @escaping Completion<Value>) {
    connection.loop.schedule(after: .zero, .work) { completion(.failure(.notConnected)) }
  }

  // MARK: Operations

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    if hasEnded { return refuse(completion) }
    // Not queued with the other operations, because it needs the controller only.
    connection.readRSSI(unlessEnded(completion))
  }

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    if hasEnded { return refuse(completion) }
    database.discoverServices(
      uuids,
      unlessEnded { [weak self] result in
        self?.connection.servicesWereDiscovered()
        completion(result)
      })
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    if hasEnded { return refuse(completion) }
    database.discoverIncludedServices(uuids, of: service, unlessEnded(completion))
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    if hasEnded { return refuse(completion) }
    database.discoverCharacteristics(uuids, of: service, for: self, completion)
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    if hasEnded { return refuse(completion) }
    database.discoverDescriptors(of: characteristic, for: self, completion)
  }

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    if hasEnded { return refuse(completion) }
    database.read(handle, for: self, completion)
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    if hasEnded { return refuse(completion) }
    connection.pendingWrites += 1
    database.write(value, to: handle) { [self] result in
      connection.pendingWrites -= 1
      if !hasEnded { completion(result) }
    }
  }

  func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void) {
    if hasEnded { return }
    connection.pendingWrites += 1
    commands.append(sent)
    if connection.protection.signsCommands, database.takesSignedCommandsOnly(handle) {
      return connection.writeSigned(value, to: handle, sent: commandLeft)
    }
    database.writeCommand(value, to: handle, sent: commandLeft)
  }

  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>) {
    if hasEnded { return refuse(completion) }
    database.setNotify(isOn, for: characteristic, by: self, unlessEnded(completion))
  }

  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    openChannel(multiplexer, raisesSecurity: true, completion)
  }

  /// - Parameter raisesSecurity: whether to raise the link's security and repeat the request once, if the peer requires that.
  private func openChannel(
    _ multiplexer: ProtocolServiceMultiplexer, raisesSecurity: Bool,
    _ completion: @escaping Completion<any PeerChannel>
  ) {
    guard !hasEnded, let link = connection.channels else { return refuse(completion) }
    link.openChannel(multiplexer) { [weak self] result in
      switch result {
      case .success(let channel):
        guard let self, !self.hasEnded else { return channel.close() }
        self.channels.removeAll { $0.isClosed }
        self.channels.append(channel)
        completion(.success(channel))
      case .failure(let failure):
        guard let self, !self.hasEnded else { return }
        guard raisesSecurity, case .refused(let result) = failure, let wanted = result.wantedSecurity else {
          return completion(.failure(OperationError(failure)))
        }
        self.connection.raiseSecurity(wanted) { [weak self] outcome in
          guard let self, !self.hasEnded else { return }
          switch outcome {
          case .raised: self.openChannel(multiplexer, raisesSecurity: false, completion)
          case .failed: completion(.failure(OperationError(failure)))
          case .tooManyBonds: completion(.failure(.tooManyBonds))
          }
        }
      }
    }
  }
}

extension L2CAPConnectionResult {
  /// The missing security as an ATT error code; `nil` for other refusals.
  fileprivate var wantedSecurity: ATTErrorCode? {
    switch self {
    case .insufficientAuthentication: .insufficientAuthentication
    case .insufficientEncryption: .insufficientEncryption
    case .encryptionKeySizeTooShort: .encryptionKeySizeTooShort
    default: nil
    }
  }
}

extension OperationError {
  init(_ failure: L2CAPChannelFailure) {
    switch failure {
    case .refused(let result): self = .channelRefused(code: result.rawValue)
    case .notUnderstood: self = .notSupported("the peer does not support channels")
    case .malformedAnswer: self = .protocolViolation("invalid response to a channel request")
    case .limitReached: self = .channelRefused(code: L2CAPConnectionResult.noResources.rawValue)
    case .timedOut: self = .timedOut
    case .linkClosed: self = .notConnected
    }
  }
}

extension HostPeerLink: RemoteDatabaseEvents {
  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    hasEnded || events?.link(self, didReceive: value, of: handle) ?? true
  }

  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    if !hasEnded { events?.link(self, didInvalidateServicesIn: handles) }
  }
}
