import BLEGateway
import Testing

@Suite struct BrokerLibraryTests {
  @Test("I17.1 libmosquitto is one that speaks MQTT 5, which came with 1.6")
  func version() throws {
    let parts = BrokerLibrary.version.split(separator: ".").compactMap { Int($0) }
    #expect(parts.count == 3)
    #expect(parts.lexicographicallyPrecedes([1, 6, 0]) == false)
  }
}
