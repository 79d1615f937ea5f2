import BLECore

/// One advertisement or scan response as a controller reported it, legacy and extended events brought to one form.
struct AdvertisingReport {
  var address: DeviceAddress
  var isConnectable: Bool
  var isScanResponse: Bool
  /// False for an extended advertisement, which says in each of its reports whether it is connectable.
  var isLegacy: Bool
  /// In dBm; 127 where the controller does not know.
  var rssi: Int8
  var data: ArraySlice<UInt8>
}

extension DeviceAddress {
  /// The address and its kind in one word, to look devices up by.
  var key: UInt64 { value | UInt64(kind.rawValue) << 48 }
}
