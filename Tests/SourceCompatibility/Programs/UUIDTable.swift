import CoreBluetooth

/// The usual table of constants, and a switch over it.
enum HeartRateProfile {
  static let service = CBUUID(string: "180D")
  static let measurement = CBUUID(string: "2A37")
  static let all: [CBUUID: String] = [service: "service", measurement: "measurement"]
}

final class UUIDTable: Program {
  private func name(of uuid: CBUUID) -> String {
    switch uuid {
    case HeartRateProfile.service: return "Heart rate"
    case HeartRateProfile.measurement: return "Measurement"
    case CBUUID(string: "180F"): return "Battery"
    default: return uuid.uuidString
    }
  }

  func run(on stage: any Stage) async throws {
    try check(name(of: CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")) == "Heart rate")
    try check(name(of: CBUUID(string: "180f")) == "Battery")
    try check(name(of: CBUUID(string: "ff11")) == "FF11")
    try check(HeartRateProfile.all[CBUUID(string: "2A37")] == "measurement")
    try check([CBUUID(string: "2A37"), HeartRateProfile.service].contains(HeartRateProfile.measurement))
    try check([HeartRateProfile.service].firstIndex(of: CBUUID(string: "180D")) == 0)
  }
}
