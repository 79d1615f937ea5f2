import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// One central's use of one link. What is known of the peer's database, the order of operations and the subscriptions are the
/// link's, and shared with the other centrals of the process.
final class HostPeerLink: PeerLink {
  let connection: HostConnection
  private let database: RemoteDatabase
  private(set) weak var central: HostCentral?
  weak var events: (any PeerLinkEvents)?
  /// The link has ended, or the central has left it: nothing is told any more.
  private(set) var isOver = false
  /// Open channels of this central.
  private var channels: [L2CAPChannel] = []

  init(connection: HostConnection, central: HostCentral) {
    self.connection = connection
    self.central = central
    database = connection.database
    database.add(self)
  }

  var peer: PeerIdentifier { connection.peer.identifier }
  var maximumTransmissionUnit: Int { connection.mtu }

  /// The central has no more use for the link, which may go on for others.
  func leave() {
    if isOver { return }
    isOver = true
    for channel in channels { channel.close() }
    channels = []
    connection.links.removeAll { $0 === self }
    connection.leaveIfUnused()
    // A link that ends takes its subscriptions along; a bonded peer keeps them for the next one.
    if connection.phase != .closing { database.remove(self) }
  }

  /// The link has ended.
  func end() {
    isOver = true
    channels = []
  }

  /// The completion, as long as the central has not left.
  private func whileIn<Value>(_ completion: @escaping Completion<Value>) -> Completion<Value> {
    { [self] result in if !isOver { completion(result) } }
  }

  /// Tells that the link is over, later as always.
  private func refuse<Value>(_ completion: @escaping Completion<Value>) {
    connection.loop.schedule(after: .zero, .work) { completion(.failure(.notConnected)) }
  }

  // MARK: Operations

  func readRSSI(_ completion: @escaping Completion<Int8>) {
    if isOver { return refuse(completion) }
    // The radio is asked, not the peer: no need to wait for a turn.
    connection.readRSSI(whileIn(completion))
  }

  func discoverServices(_ uuids: [BLEUUID]?, _ completion: @escaping Completion<[RemoteService]>) {
    if isOver { return refuse(completion) }
    database.discoverServices(
      uuids,
      whileIn { [weak self] result in
        self?.connection.servicesWereDiscovered()
        completion(result)
      })
  }

  func discoverIncludedServices(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteService]>
  ) {
    if isOver { return refuse(completion) }
    database.discoverIncludedServices(uuids, of: service, whileIn(completion))
  }

  func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    if isOver { return refuse(completion) }
    database.discoverCharacteristics(uuids, of: service, whileIn(completion))
  }

  func discoverDescriptors(
    of characteristic: RemoteCharacteristic, _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    if isOver { return refuse(completion) }
    database.discoverDescriptors(of: characteristic, whileIn(completion))
  }

  func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    if isOver { return refuse(completion) }
    database.read(handle, whileIn(completion))
  }

  func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    if isOver { return refuse(completion) }
    connection.writesUnderWay += 1
    database.write(value, to: handle) { [self] result in
      connection.writesUnderWay -= 1
      if !isOver { completion(result) }
    }
  }

  func writeCommand(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void) {
    if isOver { return }
    connection.writesUnderWay += 1
    let left = { [self] in
      connection.writesUnderWay -= 1
      if !isOver { sent() }
    }
    if connection.protection.signsCommands, database.takesSignedCommandsOnly(handle) {
      return connection.writeSigned(value, to: handle, sent: left)
    }
    database.writeCommand(value, to: handle, sent: left)
  }

  func setNotify(_ isOn: Bool, for characteristic: RemoteCharacteristic, _ completion: @escaping Completion<Void>) {
    if isOver { return refuse(completion) }
    database.setNotify(isOn, for: characteristic, by: self, whileIn(completion))
  }

  func openChannel(_ multiplexer: ProtocolServiceMultiplexer, _ completion: @escaping Completion<any PeerChannel>) {
    openChannel(multiplexer, raisesSecurity: true, completion)
  }

  /// - Parameter raisesSecurity: where the peer wants a better protected link, it is asked once more over one.
  private func openChannel(
    _ multiplexer: ProtocolServiceMultiplexer, raisesSecurity: Bool,
    _ completion: @escaping Completion<any PeerChannel>
  ) {
    guard !isOver, let link = connection.channels else { return refuse(completion) }
    link.openChannel(multiplexer) { [weak self] result in
      switch result {
      case .success(let channel):
        guard let self, !self.isOver else { return channel.close() }
        self.channels.removeAll { $0.isClosed }
        self.channels.append(channel)
        completion(.success(channel))
      case .failure(let failure):
        guard let self, !self.isOver else { return }
        guard raisesSecurity, case .refused(let result) = failure, let wanted = result.wantedSecurity else {
          return completion(.failure(OperationError(failure)))
        }
        self.connection.raiseSecurity(wanted) { [weak self] outcome in
          guard let self, !self.isOver else { return }
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
  /// What the link lacks, in the words of the attribute protocol; `nil` where it was refused for something else.
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
    case .notUnderstood: self = .notSupported("the peer has no channels")
    case .malformedAnswer: self = .protocolViolation("the answer to the request for a channel")
    case .limitReached: self = .channelRefused(code: L2CAPConnectionResult.noResources.rawValue)
    case .timedOut: self = .timedOut
    case .linkClosed: self = .notConnected
    }
  }
}

extension HostPeerLink: RemoteDatabaseEvents {
  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    isOver || events?.link(self, didReceive: value, of: handle) ?? true
  }

  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    if !isOver { events?.link(self, didInvalidateServicesIn: handles) }
  }
}
