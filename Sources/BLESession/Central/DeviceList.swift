import CoreBluetooth

/// One entry of a list of devices.
public struct ListedDevice: Sendable, Hashable, Identifiable {
  /// The advertising data received so far.
  public var discovery: Discovery
  /// Whether no advertisement was received for `DeviceListRules.staleAfter`: the device may be out of range.
  public var isStale = false
  /// The number of advertisements received so far, scan responses included. A change is reported for few of them: see
  /// `DeviceListRules.signalInterval`.
  public var advertisements = 1

  /// The identifier that this host assigned to the device.
  public var id: UUID { discovery.identifier }
}

/// A change of a device list, in the form that a table view needs.
public enum DeviceListChange: Sendable, Hashable {
  /// A device was appended.
  case appeared(ListedDevice, at: Int)
  /// The device's name, advertising data or RSSI changed.
  case changed(ListedDevice, at: Int)
  /// No advertisement was received for `DeviceListRules.staleAfter`.
  case stale(ListedDevice, at: Int)
  /// A stale device advertises again.
  case returned(ListedDevice, at: Int)
  /// Removed because the list is full or the device turned out to be that of another entry. The entries behind it move up.
  case removed(ListedDevice, from: Int)
}

/// The rules of a device list.
public struct DeviceListRules: Sendable, Hashable {
  /// What makes two discoveries the same device. A device without the name or address in question is compared by identifier.
  public var identity: DeviceTarget.Identity
  /// The time without an advertisement after which a device is stale.
  public var staleAfter: Duration
  /// The shortest time between two `changed` events for the RSSI alone; `nil`: the RSSI alone never causes one.
  public var signalInterval: Duration?
  /// The most entries. When the list is full, a new device replaces the one whose last advertisement is oldest.
  public var capacity: Int

  /// Creates rules; `staleAfter` is at least 1 ms and `capacity` at least 1.
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

/// The devices in range that match a rule, each once, in the order in which they were discovered.
///
/// ```swift
/// let list = central.list(matching: .namePrefix("SMART_"))
/// for await change in list.changes() { table.show(change) }
/// ```
///
/// It scans until `stop()` is called, its time limit expires, or the last reference to it is released.
public final class DeviceList: Sendable {
  private let core: Confined<DeviceListCore>
  /// Retained by the list, because the scan ends with the central.
  public let central: Central

  init(central: Central, rule: MatchRule, rules: DeviceListRules, limit: Duration?) {
    self.central = central
    core = central.core.derived { DeviceListCore(central: $0, rule: rule, rules: rules, limit: limit) }
  }

  deinit {
    core.perform { $0.stop() }
  }

  /// The current entries.
  public var devices: [ListedDevice] {
    get async { await core.value { $0.devices } }
  }

  /// The current entries, as `appeared`, then every change. Ends when the list is stopped or its time limit expires.
  ///
  /// Each change holds the whole entry. A slow consumer loses the oldest of 4,096 changes and should read `devices` then.
  public func changes() -> AsyncStream<DeviceListChange> {
    AsyncStream(bufferingPolicy: .bufferingNewest(4_096)) { continuation in
      core.perform { core in
        let number = core.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.changes.remove(number) } }
      }
    }
  }

  /// Stops scanning; the entries are kept.
  public func stop() { core.perform { $0.stop() } }
}

extension Central {
  /// Returns a list of the matching devices in range. Scanning begins immediately, or when Bluetooth is powered on.
  /// - Parameters:
  ///   - rule: which devices are listed.
  ///   - rules: the rules of the list.
  ///   - limit: the duration of the scan, from the moment at which the radio scans; `nil`: until the list is stopped.
  public func list(
    matching rule: MatchRule = .any, rules: DeviceListRules = DeviceListRules(), for limit: Duration? = nil
  ) -> DeviceList {
    DeviceList(central: self, rule: rule, rules: rules, limit: limit)
  }
}
