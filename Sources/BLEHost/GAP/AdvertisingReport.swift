import BLECore

/// One advertisement or scan response reported by a controller, in one form for legacy and extended events.
struct AdvertisingReport {
  var address: DeviceAddress
  var isConnectable: Bool
  var isScanResponse: Bool
  /// False for an extended advertisement, of which each report contains whether it is connectable.
  var isLegacy: Bool
  /// In dBm; 127 if the controller does not know it.
  var rssi: Int8
  var data: ArraySlice<UInt8>
}

extension DeviceAddress {
  /// The address and its kind in one word, as a dictionary key.
  var key: UInt64 { value | UInt64(kind.rawValue) << 48 }
}
