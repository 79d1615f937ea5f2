import CoreBluetooth
import Testing

@Suite("A UUID")
struct UUIDTests {
  private let base = "-0000-1000-8000-00805F9B34FB"

  @Test("is read from 4, 8 or 36 digits of either case")
  func texts() {
    #expect(CBUUID(string: "180f").uuidString == "180F")
    #expect(CBUUID(string: "180f").data == Data([0x18, 0x0F]))
    #expect(CBUUID(string: "12345678").uuidString == "12345678")
    #expect(CBUUID(string: "12345678").data == Data([0x12, 0x34, 0x56, 0x78]))
    let long = CBUUID(string: "6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    #expect(long.uuidString == "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    #expect(long.data.count == 16)
    #expect(long.data.prefix(2) == Data([0x6E, 0x40]))
  }

  @Test("is read from 2, 4 or 16 octets, most significant first, also from a slice of data")
  func data() {
    #expect(CBUUID(data: Data([0x18, 0x0F])).uuidString == "180F")
    #expect(CBUUID(data: Data([9, 0x18, 0x0F, 9])[1...2]).uuidString == "180F")
    let uuid = UUID()
    let long = CBUUID(nsuuid: uuid)
    #expect(long.uuidString == uuid.uuidString)
    #expect(CBUUID(data: long.data) == long)
    #expect(CBUUID(string: uuid.uuidString).isEqual(long))
  }

  @Test("of the Bluetooth base equals its short form, keeps its octets, and is shown short")
  func equality() {
    let short = CBUUID(string: "1234")
    let medium = CBUUID(string: "00001234")
    let long = CBUUID(string: "00001234" + base)
    #expect(short == long && short == medium && medium == long)
    #expect(short.hash == long.hash)
    #expect(Set([short, medium, long]).count == 1)
    #expect([short: 1][long] == 1)
    #expect(long.data.count == 16 && short.data.count == 2 && medium.data.count == 4)
    #expect(long.uuidString == "1234" && medium.uuidString == "1234")
    #expect(CBUUID(string: "ABCD1234" + base).uuidString == "ABCD1234")
    #expect(short != CBUUID(string: "00001234-0000-1000-8000-00805F9B34FC"))
    #expect(!short.isEqual("1234"))
  }

  @Test("with an assigned number is described by its name")
  func names() {
    #expect(CBUUID(string: "180F").description == "Battery")
    #expect(CBUUID(string: "180A").description == "Device Information")
    #expect(CBUUID(string: "180D").description == "Heart Rate")
    #expect("\(CBUUID(string: "0000180D" + base))" == "Heart Rate")
    #expect(CBUUID(string: "FFF0").description == "FFF0")
    #expect(String(format: "%@", CBUUID(string: "FFF0")) == "FFF0")
  }

  @Test("is its own copy")
  func copies() {
    let uuid = CBUUID(string: "180F")
    #expect(uuid.copy() as? CBUUID === uuid)
  }
}
