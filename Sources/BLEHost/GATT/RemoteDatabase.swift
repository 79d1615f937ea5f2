import BLEAdapter
import BLECore
import BLECrypto
import BLEWire

/// Who is told about a peer's values and changes. Everything on the loop.
public protocol RemoteDatabaseEvents: AnyObject {
  /// A value of a characteristic that this one subscribed to. The slice shares the storage of the packet.
  /// - Returns: whether there was room for it. An indication for which there was none is not confirmed.
  func database(_ database: RemoteDatabase, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
  /// The services that overlap `handles` are gone or changed.
  func database(_ database: RemoteDatabase, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>)
}

/// A peer's GATT database as this side knows it, and everything that is done with it: one for each link, shared by all
/// centrals of the process. Everything on the loop.
///
/// Operations run one after another in the order in which they were asked for. Each completion is called once and never
/// inside the call; after `close()` none is called any more, and a call fails with `.notConnected`.
///
/// What was found is kept. Searches run on behind what was asked for, as far as the response reaches, so that walking a
/// whole database object by object costs hardly more requests than its size demands.
public final class RemoteDatabase: GATTClientEvents {
  public typealias Completion<Value> = (Result<Value, OperationError>) -> Void

  public let client: GATTClient
  let loop: any StackLoop
  let log: Logger

  /// What is known of the peer, to be kept for the next connection.
  public internal(set) var layout: RemoteLayout
  /// A layout from an earlier connection counts once the peer's hash was seen to be the same.
  var isLayoutVerified: Bool
  /// Whether what keeps up with changes was set up since the last discovery or change.
  var hasPrepared = false
  var hasAnnounced = false
  var isWatching = false
  var changePace = ChangePace()
  var changeTimer: TimerToken?
  var subscriptions: [AttributeHandle: Subscription] = [:]
  var observers: [Observer] = []
  /// The value of Service Changed, once this side is told about changes.
  var serviceChanged: AttributeHandle?

  private var waiting: [() -> Void] = []
  private var nextWaiting = 0
  private var isBusy = false
  private var isDraining = false
  private var callDepth = 0
  private var isClosed = false

  /// - Parameters:
  ///   - layout: what is known from an earlier connection.
  ///   - isRemembered: the peer has kept what this side wanted of it then, as bonded peers do.
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
      isWatching = serviceChanged != nil
      hasAnnounced = true
    }
    client.events = self
  }

  /// The link has ended.
  public func close() {
    isClosed = true
    if let changeTimer { loop.cancel(changeTimer) }
    client.events = nil
    waiting = []
    nextWaiting = 0
    subscriptions = [:]
    observers = []
  }

  // MARK: Operations in order

  /// Runs an operation when those before it are done. `start` gets the client and what to call with the result.
  public func run<Value>(
    _ completion: @escaping Completion<Value>,
    _ start: @escaping (GATTClient, @escaping Completion<Value>) -> Void
  ) {
    if isClosed {
      loop.schedule(after: .zero, .work) { completion(.failure(.notConnected)) }
      return
    }
    callDepth += 1
    enqueue { [self] in
      start(client) { [self] result in
        complete(result, completion)
        finish()
      }
    }
    callDepth -= 1
  }

  private func complete<Value>(_ result: Result<Value, OperationError>, _ completion: @escaping Completion<Value>) {
    if isClosed { return }
    if callDepth == 0 { return completion(result) }
    loop.schedule(after: .zero, .work) { [self] in
      if !isClosed { completion(result) }
    }
  }

  private func enqueue(_ operation: @escaping () -> Void) {
    if isBusy {
      waiting.append(operation)
    } else {
      isBusy = true
      operation()
    }
  }

  /// Starts what waits. An operation that is done at once comes back here: it must not go deeper each time.
  private func finish() {
    isBusy = false
    if isDraining { return }
    isDraining = true
    while !isBusy, nextWaiting < waiting.count {
      let operation = waiting[nextWaiting]
      nextWaiting += 1
      isBusy = true
      operation()
    }
    isDraining = false
    if nextWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      nextWaiting = 0
    } else if nextWaiting > 64 {
      waiting.removeSubrange(..<nextWaiting)
      nextWaiting = 0
    }
  }

  // MARK: Values

  /// The whole value of an attribute, however long.
  public func read(_ handle: AttributeHandle, _ completion: @escaping Completion<ArraySlice<UInt8>>) {
    run(completion) { [self] client, done in
      retryingWhenOutOfSync(done) { done in client.readLong(handle, toleratesInvalidOffset: true, done) }
    }
  }

  /// A write with response; what the MTU does not allow in one goes in parts, and each part's echo is checked.
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

  /// A write without response, after the operations before it. `sent`: as in `L2CAPCarrier`; it is not called after
  /// `close()`.
  public func writeCommand(_ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void) {
    if isClosed { return }
    if !client.bearer.isOpen {
      loop.schedule(after: .zero, .work, sent)
    } else if isBusy {
      waiting.append { [self] in
        client.writeCommand(value[...], to: handle, sent: sent)
        finish()
      }
    } else {
      client.writeCommand(value[...], to: handle, sent: sent)
    }
  }

  /// A signed write, after the operations before it. `sign` gives the key and the counter when its turn has come; without
  /// them it goes as a plain write without response, which a peer takes on an encrypted link. `sent`: as in `writeCommand`.
  public func writeCommand(
    _ value: [UInt8], to handle: AttributeHandle, sent: @escaping () -> Void,
    signedBy sign: @escaping (_ completion: @escaping ((SignatureAlgorithm, UInt32)?) -> Void) -> Void
  ) {
    if isClosed { return }
    enqueue { [self] in
      sign { [self] signature in
        if isClosed { return }
        if let (signing, counter) = signature {
          client.signedWrite(value[...], to: handle, signing, signCounter: counter, sent: sent)
        } else {
          client.writeCommand(value[...], to: handle, sent: sent)
        }
        finish()
      }
    }
  }

  /// Whether the characteristic with this value takes commands only where they are signed.
  public func takesSignedCommandsOnly(_ handle: AttributeHandle) -> Bool {
    guard handle > .first else { return false }
    let found = layout.characteristics.items(in: AttributeHandle(handle.rawValue - 1)...handle)
    guard let characteristic = found.last(where: { $0.valueHandle == handle }) else { return false }
    return characteristic.properties & CharacteristicProperties.authenticatedSignedWrites != 0
      && characteristic.properties & CharacteristicProperties.writeWithoutResponse == 0
  }

  /// The name in the peer's Generic Access service; `nil` where it has none or it is no UTF-8.
  public func readDeviceName(_ completion: @escaping Completion<String?>) {
    run(completion) { client, done in
      client.readValues(of: GATTType.deviceName, from: .first, through: .last) { result in
        guard case .success(let search) = result, let name = search.values.first else {
          return done(result.map { _ in nil })
        }
        // An entry of a list holds less than a read does.
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
  /// Operations that have begun or wait for their turn.
  var operationCount: Int { waiting.count + (isBusy ? 1 : 0) }
}
