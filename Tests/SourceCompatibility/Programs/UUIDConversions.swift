import CoreBluetooth

/// Makes UUIDs from every supported type.
final class UUIDConversions: Program {
  func run(on stage: any Stage) async throws {
    let text = "A495FF20-C5B1-4B44-B512-1370F02D74DE"
    let uuid = try unwrap(UUID(uuidString: text))
    try check(CBUUID(nsuuid: uuid).uuidString == text)
    try check(CBUUID(nsuuid: uuid) == CBUUID(string: text))
    try check(UUID(uuidString: CBUUID(string: text).uuidString) == uuid)
    try check(CBUUID(data: Data([0x2A, 0x37])).uuidString == "2A37")
    try check(CBUUID(data: CBUUID(string: text).data) == CBUUID(nsuuid: uuid))
    let base = try unwrap(UUID(uuidString: "00002A37-0000-1000-8000-00805F9B34FB"))
    try check(CBUUID(nsuuid: base) == CBUUID(string: "2A37"))
    let bytes: [UInt8] = [0x18, 0x0A]
    try check(CBUUID(data: Data(bytes)) == CBUUID(string: "180A"))
    try check((CBUUID(string: "180A").copy() as? CBUUID) == CBUUID(string: "180A"))
  }
}
