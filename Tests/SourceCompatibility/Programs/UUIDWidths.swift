import CoreBluetooth

/// Compares UUIDs of different widths.
final class UUIDWidths: Program {
  func run(on stage: any Stage) async throws {
    let short = CBUUID(string: "180d")
    let middle = CBUUID(string: "0000180D")
    let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
    try check(short == long && short == middle && short.isEqual(long))
    try check(short.hash == long.hash && short.hashValue == long.hashValue)
    try check(short.uuidString == "180D" && long.uuidString == "180D")
    try check(short.data.count == 2 && long.data.count == 16)
    try check([UInt8](short.data) == [0x18, 0x0D])
    try check(short != CBUUID(string: "180F"))
    try check(short != CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FC"))
    try check(Set([short, middle, long]).count == 1)
    try check([long: 1][short] == 1)
    try check(CBUUID(string: "0x180D") == short && CBUUID(string: "0X180d").uuidString == "180D")
  }
}
