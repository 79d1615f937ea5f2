public import BLECore

/// An adapter of this machine, as the kernel describes it.
public struct KernelAdapter: Hashable, Sendable {
  /// `0` for `hci0`.
  public let index: UInt16
  /// The public address; all zeros if the controller has none.
  public let address: DeviceAddress
  /// The version of the Core Specification that the controller implements, by its assigned number (6 is 4.0).
  public let version: UInt8
  /// The manufacturer of the controller, by its company identifier.
  public let manufacturer: UInt16
  /// The name that the system assigned.
  public let systemName: String
  public let isPowered: Bool
  public let supportsLowEnergy: Bool

  public var name: String { "hci\(index)" }

  /// The bits of settings (doc/mgmt-api.txt, Read Controller Information Command).
  private enum Setting: UInt32 {
    case powered = 0x0000_0001
    case lowEnergy = 0x0000_0200
  }

  /// Decodes the return parameters of Read Controller Information.
  init(index: UInt16, information: ArraySlice<UInt8>) throws(DecodeError) {
    var reader = ByteReader(information, layer: "management")
    self.index = index
    address = try reader.deviceAddress(kind: .public, "Address")
    version = try reader.uint8("Bluetooth_Version")
    manufacturer = try reader.uint16("Manufacturer")
    let supported = try reader.uint32("Supported_Settings")
    let current = try reader.uint32("Current_Settings")
    _ = try reader.octets(3, "Class_Of_Device")
    let name = try reader.octets(249, "Name")
    systemName = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    isPowered = current & Setting.powered.rawValue != 0
    supportsLowEnergy = supported & Setting.lowEnergy.rawValue != 0
  }

  static func isPowered(settings: ArraySlice<UInt8>) throws(DecodeError) -> Bool {
    var reader = ByteReader(settings, layer: "management")
    return try reader.uint32("Current_Settings") & Setting.powered.rawValue != 0
  }
}

/// Selects an adapter of this machine.
public enum KernelAdapterSelector: Hashable, Sendable, CustomStringConvertible {
  /// The first that supports LE.
  case any
  case index(UInt16)
  case address(DeviceAddress)

  /// From `nil`, a number or an address, as in an adapter's name.
  public init?(_ text: String?) {
    guard let text else {
      self = .any
      return
    }
    if let index = UInt16(text) {
      self = .index(index)
    } else if let address = DeviceAddress(text, kind: .public) {
      self = .address(address)
    } else {
      return nil
    }
  }

  func matches(_ adapter: KernelAdapter) -> Bool {
    switch self {
    case .any: adapter.supportsLowEnergy
    case .index(let index): adapter.index == index
    case .address(let address): adapter.address == address
    }
  }

  public var description: String {
    switch self {
    case .any: "hci"
    case .index(let index): "hci:\(index)"
    case .address(let address): "hci:\(address)"
    }
  }
}
