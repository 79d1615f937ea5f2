import BLECore

/// An advertisement of a device that is not in the world. Crowds of thousands of advertisers need no simulated radios.
public struct StrayAdvertisement: Sendable {
  /// 48 bits; the two highest are set, as in every random static address.
  public var address: UInt64
  /// Advertising data structures, at most 31 octets.
  public var data: [UInt8]
  /// Whether the advertisement is connectable.
  public var isConnectable: Bool
  /// The RSSI in dBm.
  public var signal: Int8

  /// An advertisement that no radio of the world sends.
  public init(address: UInt64, data: [UInt8], isConnectable: Bool = true, signal: Int8 = -60) {
    self.address = address
    self.data = data
    self.isConnectable = isConnectable
    self.signal = signal
  }
}

extension Device {
  /// The controller reports these advertisements, in this order, as received at the beginning of the next `settle`, `advance` or
  /// `wait`. Does nothing while no program on this device scans. A connection to such a device is never established.
  public func overhear(_ advertisements: [StrayAdvertisement]) {
    onLoop { radio in
      guard let controller = radio.controller else { return }
      for stray in advertisements {
        controller.overhear(
          stray.data[...], from: DeviceAddress(stray.address | 0b11 << 46, kind: .random),
          isConnectable: stray.isConnectable, signal: stray.signal)
      }
    }
  }
}
