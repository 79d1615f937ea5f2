import class CoreBluetooth.CBCharacteristic
import struct CoreBluetooth.CBCharacteristicProperties
import class CoreBluetooth.CBMutableCharacteristic
import class CoreBluetooth.CBUUID
import Foundation

/// Imports single names, so that a reader sees their module.
final class ScopedImports: Program {
  func run(on stage: any Stage) async throws {
    let characteristic: CBCharacteristic = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: .read, value: Data([1]), permissions: .readable)
    let properties: CBCharacteristicProperties = characteristic.properties
    try check(properties == .read && characteristic.value?.count == 1)
  }
}
