import CoreBluetooth

/// Prints UUIDs for users.
final class UUIDNames: Program {
  func run(on stage: any Stage) async throws {
    try check(CBUUID(string: "180F").description == "Battery")
    try check("\(CBUUID(string: "180D"))" == "Heart Rate")
    try check(String(describing: CBUUID(string: "FF22")) == "FF22")
    try check(CBUUID(string: CBUUIDClientCharacteristicConfigurationString).uuidString == "2902")
    try check(CBUUID(string: CBUUIDCharacteristicUserDescriptionString) == CBUUID(string: "2901"))
    try check(CBUUIDL2CAPPSMCharacteristicString.count == 36)
    let list = ["180F", "180D"].map(CBUUID.init(string:)).map { $0.uuidString }.joined(separator: ", ")
    try check(list == "180F, 180D")
  }
}
