import CoreBluetooth

/// An event of a session and the device that it happened to.
public struct DeviceNews: Sendable {
  /// When, by the session's clock.
  public var time: Duration
  /// What happened.
  public var event: SessionEvent
  /// What this host calls the device; `nil` as long as none was found.
  public var identifier: UUID?
  /// The name that it advertises, else the one the system remembers.
  public var name: String?
}

/// Something that goes on until it is cancelled.
public struct Observation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  /// Nothing is told any more, but for what is being told at this moment. Again it does nothing.
  public func cancel() { end() }
}

/// A service of the connected device, as it is known now.
public struct DiscoveredService: Sendable, Hashable {
  /// The service's UUID.
  public var uuid: CBUUID
  /// Its characteristics, in the device's order.
  public var characteristics: [DiscoveredCharacteristic]
}

/// A characteristic of the connected device, as it is known now.
public struct DiscoveredCharacteristic: Sendable, Hashable {
  /// Where it is: this stays right when the device was away.
  public var path: CharacteristicPath
  /// `CBCharacteristicProperties` as a number.
  public var rawProperties: UInt

  /// What can be done with it.
  public var properties: CBCharacteristicProperties { CBCharacteristicProperties(rawValue: rawProperties) }
  /// Whether it notifies or indicates.
  public var notifies: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

extension DeviceSession {
  /// Calls `tell` for everything that happens from now on, on the session's own queue at that very moment, with the device that it
  /// happened to. It has to be quick.
  public func observeNews(_ tell: @escaping @Sendable (DeviceNews) -> Void) async -> Observation {
    let core = core
    let number = await core.value { core in
      core.observe { [weak core] timed in
        let identifier = core?.peripheral?.identifier ?? core?.target.identifier
        let heard = identifier.flatMap { core?.central.scanner.discovery($0) }
        tell(
          DeviceNews(
            time: timed.time, event: timed.event, identifier: identifier, name: heard?.name ?? core?.peripheral?.name))
      }
    }
    return Observation { core.perform { $0.stopObserving(number) } }
  }

  /// Calls `tell` for every value that a characteristic notifies from now on, over every loss and return of the device, on the
  /// session's own queue at that very moment: nothing is buffered and nothing dropped. It has to be quick.
  public func observeValues(
    from path: CharacteristicPath, _ tell: @escaping @Sendable (Data) -> Void
  ) async -> Observation {
    let core = core
    let number = await core.value { $0.subscribe(path, tell: tell, finish: {}) }
    return Observation { core.perform { $0.unsubscribe(number) } }
  }

  /// What the device offers; nothing while there is no connection that is ready.
  public func services() async -> [DiscoveredService] {
    await core.value { core in
      guard core.state == .ready, let peripheral = core.peripheral else { return [] }
      var seen: [CharacteristicPath: Int] = [:]
      return (peripheral.services ?? []).map { service in
        DiscoveredService(
          uuid: service.uuid,
          characteristics: (service.characteristics ?? []).map { characteristic in
            var path = CharacteristicPath(characteristic.uuid, in: service.uuid)
            let instance = seen[path, default: 0]
            seen[path] = instance + 1
            path.instance = instance
            return DiscoveredCharacteristic(path: path, rawProperties: UInt(characteristic.properties.rawValue))
          })
      }
    }
  }
}

extension Central {
  /// Scans until it is cancelled, as `discoveries` does, and calls `tell` on the central's own queue for each discovery at that very
  /// moment: nothing is missed. It has to be quick.
  public func observeDiscoveries(
    matching rule: MatchRule = .any, repeats: Bool = false, _ tell: @escaping @Sendable (Discovery) -> Void
  ) async -> Observation {
    let core = core
    let number = await core.value { $0.scanner.add(rule, repeats: repeats, tell) }
    return Observation { core.perform { $0.scanner.remove(number) } }
  }
}
