import BLECapture
import BLECore
import BLEWire

/// The devices of a log, to choose one of: what was heard and said of each, counted.
///
/// Memory is bounded by `deviceLimit`; past it the devices of which least is known make room.
public struct LogSurvey: Sendable {
  /// One device of a log.
  public struct Device: Sendable, Hashable {
    public let address: DeviceAddress
    /// Its advertised name, or what its server says of Device Name.
    public fileprivate(set) var name: String?
    public fileprivate(set) var advertisementCount = 0
    public fileprivate(set) var linkCount = 0
    /// PDUs of the Attribute Protocol to and from its server.
    public fileprivate(set) var pduCount = 0

    /// The more the better known: what was said on links counts more than what was heard.
    fileprivate var weight: (Int, Int, Int) { (pduCount, linkCount, advertisementCount) }
  }

  public static let deviceLimit = 4_096

  private var devices: [DeviceAddress: Device] = [:]
  private var identities: [DeviceAddress: DeviceAddress] = [:]
  /// The number of devices that were dropped to make room.
  public private(set) var droppedCount = 0

  public init() {}

  /// All devices: first the one of which most was said.
  public var all: [Device] {
    devices.values.sorted { left, right in
      left.weight != right.weight ? left.weight > right.weight : left.address.value < right.address.value
    }
  }

  /// The devices that somebody can mean by `text`: an address, a name, or the beginning of a name, in either case.
  public func devices(named text: String) -> [Device] {
    if let value = DeviceAddress(text, kind: .public)?.value { return all.filter { $0.address.value == value } }
    let wanted = text.lowercased()
    let same = all.filter { $0.name?.lowercased() == wanted }
    return same.isEmpty ? all.filter { $0.name?.lowercased().hasPrefix(wanted) == true } : same
  }

  /// The identity of a device that has used this private address; otherwise the address itself.
  public func identity(of address: DeviceAddress) -> DeviceAddress { identities[address] ?? address }

  /// Counts one event.
  public mutating func add(_ event: LogEvent) {
    if case .identity(let identity) = event.content {
      guard identity != event.device, identities.count < Self.deviceLimit else { return }
      identities[event.device] = identity
      merge(event.device, into: identity)
      return
    }
    let address = identity(of: event.device)
    if devices[address] == nil { makeRoom() }
    var device = devices[address] ?? Device(address: address)
    switch event.content {
    case .heard(let advertisement):
      device.advertisementCount += 1
      if let name = Self.name(advertisement.data) { device.name = name }
    case .connected: device.linkCount += 1
    case .toServer: device.pduCount += 1
    case .fromServer: device.pduCount += 1
    default: break
    }
    devices[address] = device
  }

  private mutating func merge(_ address: DeviceAddress, into identity: DeviceAddress) {
    guard let old = devices.removeValue(forKey: address) else { return }
    var device = devices[identity] ?? Device(address: identity)
    device.name = device.name ?? old.name
    device.advertisementCount += old.advertisementCount
    device.linkCount += old.linkCount
    device.pduCount += old.pduCount
    devices[identity] = device
  }

  /// Drops the less known half, so that a log of many advertisers costs no search for each.
  private mutating func makeRoom() {
    guard devices.count >= Self.deviceLimit else { return }
    for device in all.suffix(Self.deviceLimit / 2) {
      devices[device.address] = nil
      droppedCount += 1
    }
  }

  /// The local name in advertising data.
  static func name(_ data: [UInt8]) -> String? {
    let structures = AdvertisingData(data)
    guard let name = structures.first(.completeLocalName) ?? structures.first(.shortenedLocalName) else { return nil }
    let text = String(decoding: name.data, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
