import BLEAdapter
import BLECore
import BLECrypto
import BLEWire

/// Receives a peer's values and changes of its database. Everything on the loop.
public protocol RemoteDatabaseEvents: AnyObject {
  /// Called for each value of a characteristic that this object subscribed to. The slice shares the storage of the packet.
  /// - Returns: whether there was room for it. If not, an indication is not confirmed.
  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
  /// Called when the services that overlap `handles` were removed or changed.
  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>)
}

/// What an operation is done for. Everything on the loop.
public protocol OperationCaller: AnyObject {
  /// Whether it receives no more results.
  var hasEnded: Bool { get }
}

/// A peer's GATT database as far as it was discovered, and the operations on it: one for each link, shared by all centrals of the
/// process. Everything on the loop.
///
/// Operations run one after another in the order of the calls. Each completion is called once and never inside the call; after
/// `close()` no completion is called, and a call fails with `.notConnected`.
///
/// Results are cached. A search covers as many handles after the requested ones as a response holds, so discovering a whole
/// database object by object takes hardly more requests than discovering it in one pass.
public final class RemoteDatabase: GATTClientEvents {
  public typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  public let client: GATTClient
  let loop: any StackLoop
  let log: Logger

  /// The cached layout, to be stored for the next connection.
  public internal(set) var layout: RemoteLayout
  /// Whether a layout from an earlier connection was checked against the peer's hash.
  var isLayoutVerified: Bool
  /// Whether `prepareForChanges` was called since the connection or the last change.
  var hasPreparedForChanges = false
  var hasWrittenFeatures = false
  var isSubscribedToChanges = false
  var changeThrottle = ChangeThrottle()
  var changeTimer: TimerToken?
  let subscriptions = SortedTable<AttributeHandle, Subscription>()
  var observers: [Observer] = []
  /// The value handle of Service Changed, once it is known.
  var serviceChanged: AttributeHandle?

  private enum Operation {
    case general(() -> Void)
    // Those of which there are many.
    case characteristics(RemoteService, [BLEUUID]?, (any OperationCaller)?, Completion<[RemoteCharacteristic]>)
    case descriptors(RemoteCharacteristic, (any OperationCaller)?, Completion<[RemoteDescriptor]>)
    case read(AttributeHandle, (any OperationCaller)?, Completion<ArraySlice<UInt8>>)
  }

  /// A result with the completion that receives it.
  private enum Outcome {
    case characteristics(Result<[RemoteCharacteristic], OperationError>, Completion<[RemoteCharacteristic]>)
    case descriptors(Result<[RemoteDescriptor], OperationError>, Completion<[RemoteDescriptor]>)
    case value(Result<ArraySlice<UInt8>, OperationError>, Completion<ArraySlice<UInt8>>)

    func report() {
      switch self {
      case .characteristics(let result, let completion): completion(result)
      case .descriptors(let result, let completion): completion(result)
      case .value(let result, let completion): completion(result)
      }
    }
  }

  private var waiting = FIFO<Operation>()
  private var isBusy = false
  private var isDraining = false
  private var callDepth = 0
  private var isClosed = false

  /// - Parameters:
  ///   - layout: the layout from an earlier connection.
  ///   - isRemembered: whether the peer has stored this client's configuration since then, as bonded peers do.
  public init(
    client: GATTClient, loop: any StackLoop, layout: RemoteLayout? = nil, isRemembered: Bool = false,
    log: Logger = .silent
  ) {
    self.client = client
    self.loop = loop
    self.log = log
    self.layout = layout ?? RemoteLayout()
    isLayoutVerified = layout == nil
    serviceChanged = layout?.characteristics.items.first { $0.uuid == GATTType.serviceChanged }?.valueHandle
    if isRemembered, layout != nil {
      isSubscribedToChanges = serviceChanged != nil
      hasWrittenFeatures = true
    }
    client.events = self
  }

  /// The link has ended.
  public func close() {
    isClosed = true
    if let changeTimer { loop.cancel(changeTimer) }
    client.events = nil
    waiting.removeAll()
    subscriptions.removeAll()
    observers = []
  }

  // MARK: Operations in order

  /// Runs an operation when those before it are done. `start` receives the client and the closure to call with the result.
  public func run<Value>(
    _ completion: @escaping Completion<Value>,
    _ start: @escaping (GATTClient, @escaping Completion<Value>) -> Void
  ) {
    if isClosed {
      loop.schedule(after: .zero, .work) { completion(.failure(.notConnected)) }
      return
    }
    callDepth += 1
    enqueue(
      .general { [self] in
        start(client) { [self] result in
          complete(result, completion)
          finish()
        }
      })
    callDepth -= 1
  }

  // Operations of which there are many are cases of an enumeration, which take fewer objects than closures.

  /// Discovers the characteristics of a service, all or those with given UUIDs, in handle order.
  ///
  /// - Parameter caller: receives no result once it has ended.
  public func discoverCharacteristics(
    _ uuids: [BLEUUID]?, of service: RemoteService, for caller: (any OperationCaller)? = nil,
    _ completion: @escaping Completion<[RemoteCharacteristic]>
  ) {
    if isClosed { return refuse(.characteristics(.failure(.notConnected), completion)) }
    run(.characteristics(service, uuids, caller, completion))
  }

  /// Discovers the descriptors of a characteristic, in handle order.
  ///
  /// - Parameter caller: receives no result once it has ended.
  public func discoverDescriptors(
    of characteristic: RemoteCharacteristic, for caller: (any OperationCaller)? = nil,
    _ completion: @escaping Completion<[RemoteDescriptor]>
  ) {
    if isClosed { return refuse(.descriptors(.failure(.notConnected), completion)) }
    run(.descriptors(characteristic, caller, completion))
  }

  /// Reads the whole value of an attribute, of any length.
  ///
  /// - Parameter caller: receives no result once it has ended.
  public func read(
    _ handle: AttributeHandle, for caller: (any OperationCaller)? = nil,
    _ completion: @escaping Completion<ArraySlice<UInt8>>
  ) {
    if isClosed { return refuse(.value(.failure(.notConnected), completion)) }
    run(.read(handle, caller, completion))
  }

  private func refuse(_ outcome: Outcome) {
    loop.schedule(after: .zero, .work) { outcome.report() }
  }

  private func run(_ operation: Operation) {
    callDepth += 1
    enqueue(operation)
    callDepth -= 1
  }

  private func begin(_ operation: Operation) {
    switch operation {
    case .general(let start): start()
    case .characteristics(let service, let uuids, let caller, let completion):
      // Most are found together with those of another service, as most descriptors are with those of another characteristic.
      if layout.hasNoUnknownCharacteristic(in: service.handles) {
        return finish(.characteristics(.success(layout.characteristics(uuids, of: service)), completion), for: caller)
      }
      findCharacteristics(in: service.handles) { [self] result in
        finish(.characteristics(result.map { layout.characteristics(uuids, of: service) }, completion), for: caller)
      }
    case .descriptors(let characteristic, let caller, let completion):
      if layout.knowsDescriptors(of: characteristic) {
        return finish(.descriptors(.success(knownDescriptors(of: characteristic)), completion), for: caller)
      }
      findDescriptors(of: characteristic) { [self] result in
        finish(.descriptors(result.map { knownDescriptors(of: characteristic) }, completion), for: caller)
      }
    case .read(let handle, let caller, let completion):
      client.beginReading(handle) { [self] answer in
        if case .success(let value) = answer, client.isWholeValue(answer) {
          return finish(.value(.success(value), completion), for: caller)
        }
        client.readLong(handle, after: answer) { [self] result in
          guard Self.isOutOfSync(result) else { return finish(.value(result, completion), for: caller) }
          retry(after: result) { [self] result in
            finish(.value(result, completion), for: caller)
          } _: { [client] done in
            client.readLong(handle, toleratesInvalidOffset: true, done)
          }
        }
      }
    }
  }

  /// Ends an operation: reports its outcome, and starts the next one.
  private func finish(_ outcome: Outcome, for caller: (any OperationCaller)?) {
    if isReceiving(caller) {
      if callDepth == 0 {
        outcome.report()
      } else {
        loop.schedule(after: .zero, .work) { [self] in
          if isReceiving(caller) { outcome.report() }
        }
      }
    }
    finish()
  }

  private func isReceiving(_ caller: (any OperationCaller)?) -> Bool { !isClosed && caller?.hasEnded != true }

  private func complete<Value>(_ result: Result<Value, OperationError>, _ completion: @escaping Completion<Value>) {
    if isClosed { return }
    if callDepth == 0 { return completion(result) }
    loop.schedule(after: .zero, .work) { [self] in
      if !isClosed { completion(result) }
    }
  }

  private func enqueue(_ operation: Operation) {
    if isBusy {
      waiting.append(operation)
    } else {
      isBusy = true
      begin(operation)
    }
  }

  /// Starts the next operations in a loop: one that completes immediately calls this again, which must not recurse.
  private func finish() {
    isBusy = false
    if isDraining { return }
    isDraining = true
    while !isBusy, let operation = waiting.popFirst() {
      isBusy = true
      begin(operation)
    }
    isDraining = false
  }

  /// Runs an operation. After Database Out Of Sync it is repeated if the peer's hash is still the known one; otherwise the whole
  /// layout is invalidated.
  func retryingWhenOutOfSync<Value>(
    _ done: @escaping Completion<Value>, _ operation: @escaping (@escaping Completion<Value>) -> Void
  ) {
    operation { [self] result in
      if Self.isOutOfSync(result) { retry(after: result, done, operation) } else { done(result) }
    }
  }

  private static func isOutOfSync<Value>(_ result: Result<Value, OperationError>) -> Bool {
    if case .failure(.attribute(ATTErrorCode.databaseOutOfSync.rawValue)) = result { true } else { false }
  }

  private func retry<Value>(
    after result: Result<Value, OperationError>, _ done: @escaping Completion<Value>,
    _ operation: @escaping (@escaping Completion<Value>) -> Void
  ) {
    fetchHash { [self] hash in
      if let hash, hash == layout.hash { return operation(done) }
      if didChange(.first ... .last) { layout.hash = hash }
      done(result)
    }
  }

  // MARK: Values

  /// Writes with response; a value longer than the MTU allows is written in parts, and the response to each is checked.
  public func write(_ value: [UInt8], to handle: AttributeHandle, _ completion: @escaping Completion<Void>) {
    run(completion) { [self] client, done in
      retryingWhenOutOfSync(done) { done in
        if value.count <= client.bearer.mtu - 3 {
          client.write(value[...], to: handle, done)
        } else {
          client.writeLong(value[...], to: handle, checksEcho: true, done)
        }
      }
    }
  }

  /// Writes without response, after the operations before it. `sent`: as in `L2CAPCarrier`; not called after `close()`.
  public func writeCommand(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void) {
    if isClosed { return }
    if !client.bearer.isOpen {
      loop.schedule(after: .zero, .work, sent)
    } else if isBusy {
      waiting.append(
        .general { [self] in
          client.writeCommand(value, to: handle, sent: sent)
          finish()
        })
    } else {
      client.writeCommand(value, to: handle, sent: sent)
    }
  }

  /// Writes with a signature, after the operations before it. `sign` then provides the key and the counter; without them an
  /// unsigned write command is sent, which a peer accepts on an encrypted link. `sent`: as in `writeCommand`.
  public func writeCommand(
    _ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void,
    signedBy sign: @escaping (_ completion: @escaping ((SignatureAlgorithm, UInt32)?) -> Void) -> Void
  ) {
    if isClosed { return }
    enqueue(
      .general { [self] in
        sign { [self] signature in
          if isClosed { return }
          if let (signing, counter) = signature {
            client.signedWrite(value, to: handle, signing, signCounter: counter, sent: sent)
          } else {
            client.writeCommand(value, to: handle, sent: sent)
          }
          finish()
        }
      })
  }

  /// Whether the characteristic with this value handle accepts write commands only if they are signed.
  public func takesSignedCommandsOnly(_ handle: AttributeHandle) -> Bool {
    guard handle > .first else { return false }
    let found = layout.characteristics.items(in: AttributeHandle(handle.rawValue - 1)...handle)
    guard let characteristic = found.last(where: { $0.valueHandle == handle }) else { return false }
    return characteristic.properties & CharacteristicProperties.authenticatedSignedWrites != 0
      && characteristic.properties & CharacteristicProperties.writeWithoutResponse == 0
  }

  /// Reads the name in the peer's Generic Access service; `nil` if it has none or it is not valid UTF-8.
  public func readDeviceName(_ completion: @escaping Completion<String?>) {
    run(completion) { client, done in
      // One request: a device has one name, and what follows it need not be searched.
      client.stepValues(GATTType.deviceName, from: .first, through: .last) { step in
        let name: TypedValue
        switch step {
        case .found(let values, _):
          guard let first = values.first else { return done(.success(nil)) }
          name = first
        case .ended(let code): return done(.failure(.attribute(code: code.rawValue)))
        case .failed(let error): return done(.failure(error))
        }
        // An entry of a Read By Type Response holds less than a Read Response.
        guard name.value.count >= min(client.bearer.mtu - 4, 253) else {
          return done(.success(String(validating: name.value, as: UTF8.self)))
        }
        client.readLong(name.handle, toleratesInvalidOffset: true) { result in
          done(result.map { String(validating: $0, as: UTF8.self) })
        }
      }
    }
  }
}

extension RemoteDatabase {
  /// The number of operations running or queued.
  var operationCount: Int { waiting.count + (isBusy ? 1 : 0) }
}
