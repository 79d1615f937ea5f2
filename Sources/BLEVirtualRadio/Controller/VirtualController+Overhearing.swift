import BLECore
import BLEWire

extension VirtualController {
  /// Reports a legacy advertisement to the host that no radio on the air has sent, as if it had just been received. Does nothing
  /// while the host does not scan.
  /// - Parameter signal: in dBm.
  public func overhear(_ data: ArraySlice<UInt8>, from advertiser: DeviceAddress, isConnectable: Bool, signal: Int8) {
    guard let scanner else { return }
    let data = data.prefix(31)
    if scanner.isExtended {
      emit(
        LEExtendedAdvertisingReportEvent(
          reports: .init(
            .init(
              type: isConnectable ? [.legacy, .connectable, .scannable] : [.legacy], address: HCIAddress(advertiser),
              primaryPHY: .le1M, secondaryPHY: .none, setIdentifier: 0xFF, transmitPower: 127, rssi: signal,
              periodicInterval: 0, directAddress: .none, data: data))), .extendedAdvertisingReport)
    } else {
      emit(
        LEAdvertisingReportEvent(reports: [
          .init(
            type: isConnectable ? .connectable : .nonConnectable, address: HCIAddress(advertiser), data: data,
            rssi: signal)
        ]), .advertisingReport)
    }
  }
}
