import BLECore
import BLEWire
import Testing

@Suite struct AssignedNumbersTests {
  @Test("well-known numbers have their names")
  func wellKnownNumbersHaveTheirNames() {
    #expect(AssignedNumbers.service(BLEUUID(0x180D)) == "Heart Rate")
    #expect(AssignedNumbers.service(BLEUUID(high: 0x0000_180F_0000_1000, low: 0x8000_0080_5F9B_34FB)) == "Battery")
    #expect(AssignedNumbers.characteristic(BLEUUID(0x2A37)) == "Heart Rate Measurement")
    #expect(AssignedNumbers.characteristic(BLEUUID(0x2B29)) == "Client Supported Features")
    #expect(AssignedNumbers.characteristic(BLEUUID(0x2B2A)) == "Database Hash")
    #expect(AssignedNumbers.descriptor(BLEUUID(0x2902)) == "Client Characteristic Configuration")
    #expect(AssignedNumbers.declaration(BLEUUID(0x2800)) == "Primary Service")
    #expect(AssignedNumbers.appearance(0x0341) == "Heart Rate Belt")
    #expect(AssignedNumbers.appearance(0x0343) == "Generic Heart Rate Sensor")
    #expect(AssignedNumbers.service(BLEUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") ?? BLEUUID(0)) == "Nordic UART")
  }

  @Test(
    "well-known companies have their names",
    arguments: [
      (0x004C, "Apple"), (0x0059, "Nordic"), (0x00E0, "Google"), (0x0006, "Microsoft"), (0x0075, "Samsung"),
      (0x02E5, "Espressif"), (0x0499, "Ruuvi"), (0x000D, "Texas"), (0x0171, "Amazon"), (0x038F, "Xiaomi"),
    ] as [(UInt16, String)])
  func wellKnownCompaniesHaveTheirNames(identifier: UInt16, name: String) {
    #expect(AssignedNumbers.company(identifier)?.hasPrefix(name) == true)
  }

  @Test("numbers without a name have none")
  func numbersWithoutANameHaveNone() {
    #expect(AssignedNumbers.service(BLEUUID(0x1234)) == nil)
    #expect(AssignedNumbers.characteristic(BLEUUID(0xFFFF)) == nil)
    #expect(AssignedNumbers.company(0xFFFE) == nil)
    #expect(AssignedNumbers.appearance(0xFFFF) == nil)
    #expect(AssignedNumbers.name(BLEUUID(high: 1, low: 2)) == nil)
  }

  @Test("every number is found by its search, whatever its place")
  func everyNumberIsFoundByItsSearch() {
    let named = (UInt16.min...UInt16.max).filter { AssignedNumbers.name(BLEUUID($0)) != nil }
    #expect(named.count > 500)
    #expect(named.first == 0x1800)
  }
}
