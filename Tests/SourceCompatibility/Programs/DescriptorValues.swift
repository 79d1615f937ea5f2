import CoreBluetooth

/// Descriptors that an application may make, and what their values are.
final class DescriptorValues: Program {
  private func text(of descriptor: CBDescriptor) -> String {
    switch descriptor.value {
    case let text as String: return text
    case let data as Data: return data.map { String(format: "%02x", $0) }.joined()
    case let number as NSNumber: return number.stringValue
    case nil: return "-"
    default: return "?"
    }
  }

  func run(on stage: any Stage) async throws {
    let name = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Pulse")
    let format = CBMutableDescriptor(
      type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0x27, 1, 0, 0]))
    try check(text(of: name) == "Pulse" && text(of: format) == "04000027010000")
    try check(name.uuid == CBUUID(string: "2901") && name.characteristic == nil)
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: .read, value: nil, permissions: .readable)
    characteristic.descriptors = [name, format]
    try check(characteristic.descriptors?.count == 2 && characteristic.descriptors?.first is CBMutableDescriptor)
  }
}
