import CoreBluetooth

/// One entry of a list of devices.
public struct ListedDevice: Sendable, Hashable, Identifiable {
  /// What was heard of it so far.
  public var discovery: Discovery
  /// It was not heard for a while: it may be gone.
  public var isStale = false

  /// What this host calls the device.
  public var id: UUID { discovery.identifier }
}

/// What became of a list: as a table on a screen wants to know it.
public enum DeviceListChange: Sendable, Hashable {
  /// A new one, at the end.
  case appeared(ListedDevice, at: Int)
  /// Something new was heard of it.
  case changed(ListedDevice, at: Int)
  /// It was not heard for a while.
  case stale(ListedDevice, at: Int)
  /// It was stale, and is heard again.
  case returned(ListedDevice, at: Int)
  /// Taken out: there is no room for more, or it turned out to be another entry's device. Those behind it move up.
  case removed(ListedDevice, from: Int)
}

/// How a list is kept.
public struct DeviceListRules: Sendable, Hashable {
  /// What makes two discoveries the same device. Without a name or an address it is the identifier.
  public var identity: DeviceTarget.Identity
  /// Past this without a word a device is stale.
  public var staleAfter: Duration
  /// A signal that is stronger or weaker is told at most this often; `nil`: only together with something else.
  public var signalInterval: Duration?
  /// The most entries. For a new one the device that was not heard for longest has to go.
  public var capacity: Int

  /// The usual rules, as far as nothing else is said.
  public init(
    identity: DeviceTarget.Identity = .identifier, staleAfter: Duration = .seconds(10),
    signalInterval: Duration? = .seconds(1), capacity: Int = 1_000
  ) {
    self.identity = identity
    self.staleAfter = max(staleAfter, .milliseconds(1))
    self.signalInterval = signalInterval
    self.capacity = max(1, capacity)
  }
}

/// The devices around that match a rule, each once, in the order in which they turned up.
///
/// ```swift
/// let list = central.list(matching: .namePrefix("SMART_"))
/// for await change in list.changes() { table.show(change) }
/// ```
///
/// It scans until it is stopped, its time is over, or nobody keeps it any more.
public final class DeviceList: Sendable {
  private let core: Confined<DeviceListCore>
  /// Kept alive: without it nothing would be heard.
  public let central: Central

  init(central: Central, rule: MatchRule, rules: DeviceListRules, limit: Duration?) {
    self.central = central
    core = central.core.derived { DeviceListCore(central: $0, rule: rule, rules: rules, limit: limit) }
  }

  deinit {
    core.perform { $0.stop() }
  }

  /// The entries now.
  public var devices: [ListedDevice] {
    get async { await core.value { $0.devices } }
  }

  /// The entries there are, as if they appeared now, and what becomes of them. Ends when the list is stopped or its time is over.
  ///
  /// Each change holds the whole entry. Whoever is slow misses the oldest of 4,096 changes and looks at `devices` then.
  public func changes() -> AsyncStream<DeviceListChange> {
    AsyncStream(bufferingPolicy: .bufferingNewest(4_096)) { continuation in
      core.perform { core in
        let number = core.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.changes.remove(number) } }
      }
    }
  }

  /// Ends scanning; the entries stay as they are.
  public func stop() { core.perform { $0.stop() } }
}

extension Central {
  /// A list of the devices around that match; scanning begins at once, or when Bluetooth is on.
  /// - Parameters:
  ///   - rule: which devices are listed.
  ///   - rules: how the list is kept.
  ///   - limit: for how long, counted from the moment at which the radio scans; `nil`: until it is stopped.
  public func list(
    matching rule: MatchRule = .any, rules: DeviceListRules = DeviceListRules(), for limit: Duration? = nil
  ) -> DeviceList {
    DeviceList(central: self, rule: rule, rules: rules, limit: limit)
  }
}
