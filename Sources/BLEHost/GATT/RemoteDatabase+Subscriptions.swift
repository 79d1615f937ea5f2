import BLEAdapter
import BLECore
import BLEWire

extension RemoteDatabase {
  /// An object that is notified of changes.
  struct Observer {
    weak var events: (any RemoteDatabaseEvents)?
  }

  /// The subscribers to one characteristic. Retained strongly, because weak references would cost time with every value.
  struct Subscription {
    let configuration: AttributeHandle
    var observers: [any RemoteDatabaseEvents]
  }

  /// Notifies `events` of changes from now on. Held weakly.
  public func add(_ events: any RemoteDatabaseEvents) {
    observers.removeAll { $0.events == nil || $0.events === events }
    observers.append(Observer(events: events))
  }

  /// Removes `events` as an observer and subscriber. Characteristics to which only it subscribed are unsubscribed on the peer.
  public func remove(_ events: any RemoteDatabaseEvents) {
    observers.removeAll { $0.events == nil || $0.events === events }
    for handle in subscriptions.keys {
      run({ (_: Result<Void, OperationError>) in }) { [self] client, done in
        let isLast = subscriptions[handle]?.observers.allSatisfy { $0 === events } ?? false
        unsubscribe(events, from: handle, done)
        // It is not interested any more, also in what is on its way.
        if isLast { subscriptions[handle]?.observers = [] }
      }
    }
  }

  /// Writes the client configuration (for indications only if notifications are not supported); from then on, also before the peer has
  /// answered, values are passed to `events`, which is retained until it unsubscribes or is removed. If the process is already subscribed, nothing is sent.
  public func setNotify(
    _ isOn: Bool, for characteristic: RemoteCharacteristic, by events: any RemoteDatabaseEvents,
    _ completion: @escaping Completion<Void>
  ) {
    run(completion) { [self] _, done in
      guard isOn else { return unsubscribe(events, from: characteristic.value, done) }
      subscribe(events, to: characteristic, done)
    }
  }

  private func subscribe(
    _ events: any RemoteDatabaseEvents, to characteristic: RemoteCharacteristic, _ done: @escaping Completion<Void>
  ) {
    let handle = characteristic.value
    if let subscription = subscriptions[handle] {
      if !subscription.observers.contains(where: { $0 === events }) {
        subscriptions[handle]?.observers.append(events)
      }
      return done(.success(()))
    }
    let offers = ClientConfiguration(properties: characteristic.properties)
    guard !offers.isEmpty else { return done(.failure(.attribute(code: ATTErrorCode.requestNotSupported.rawValue))) }
    findDescriptors(of: characteristic) { [self] result in
      if case .failure(let error) = result { return done(.failure(error)) }
      let descriptors = knownDescriptors(of: characteristic)
      guard let found = descriptors.first(where: { $0.uuid == GATTType.clientCharacteristicConfiguration }) else {
        return done(.failure(.attribute(code: ATTErrorCode.attributeNotFound.rawValue)))
      }
      let wanted: ClientConfiguration = offers.contains(.notification) ? .notification : .indication
      retryingWhenOutOfSync(done) { [self] done in
        // Before the response: a server may send the first value as soon as it has the request, in front of its answer.
        subscriptions[handle] = Subscription(configuration: found.handle, observers: [events])
        client.configure(wanted, at: found.handle) { [self] result in
          if case .failure = result { subscriptions[handle] = nil }
          done(result)
        }
      }
    }
  }

  private func unsubscribe(
    _ events: any RemoteDatabaseEvents, from handle: AttributeHandle, _ done: @escaping Completion<Void>
  ) {
    guard var subscription = subscriptions[handle],
      subscription.observers.contains(where: { $0 === events })
    else { return done(.success(())) }
    subscription.observers.removeAll { $0 === events }
    guard subscription.observers.isEmpty else {
      subscriptions[handle] = subscription
      return done(.success(()))
    }
    // Only behind the response: what the server sent before it had the request is still a value for who has asked for them.
    client.configure([], at: subscription.configuration) { [self] result in
      subscriptions[handle] = nil
      done(result)
    }
  }

  public func client(_ client: GATTClient, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    var isTaken = true
    if let subscription = subscriptions[handle] {
      for observer in subscription.observers {
        let hasRoom = observer.database(self, didReceive: value, of: handle)
        isTaken = isTaken && hasRoom
      }
    } else if handle == serviceChanged {
      serviceDidChange(value)
    }
    return isTaken
  }
}
