import BLECore
import BLECrypto
import BLEReports
import BLESession
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

@Suite("Xiaomi's sensors that encrypt their measurements")
struct MiBeaconKeysTests {
  private static let address: UInt64 = 0xA4C1_3802_83F4
  private static let key = "e9ea895fac7cca6d30532432a516f3a8"

  private func sighting(_ data: [UInt8], from address: UInt64) -> Sighting {
    var discovery = Discovery(identifier: UUID(), name: nil, rssi: -50)
    discovery.advertisement.serviceData = [CBUUID(string: "FE95"): Data(data)]
    return Sighting(discovery, address: DeviceAddress(address, kind: .public))
  }

  private func keys(_ digits: String, of address: UInt64) throws -> SensorKeys {
    let keys = SensorKeys()
    keys.replace([address: SecretKey(mostSignificantFirst: try #require([UInt8](hexadecimal: digits)))])
    return keys
  }

  /// What a sensor would send: of version 5, without its address.
  private func data(_ objects: String, _ counter: UInt32) throws -> [UInt8] {
    let head: [UInt8] = [0x48, 0x58, 0x5B, 0x05, UInt8(truncatingIfNeeded: counter)]
    let high = (1..<UInt32(4)).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    let cipher = AESCCM(key: SecretKey(mostSignificantFirst: [UInt8](hexadecimal: Self.key) ?? []), nonceLength: 12)
    let nonce = DeviceAddress(Self.address, kind: .public).octets + head.suffix(3) + high
    let plain = try #require([UInt8](hexadecimal: objects))
    let sealed = cipher.seal(plain[...], nonce: nonce, additional: [0x11])
    return head + sealed.dropLast(4) + high + sealed.suffix(4)
  }

  /// Advertisements of devices, from the tests of https://github.com/Bluetooth-Devices/xiaomi-ble: with and without their addresses.
  private static let published: [(key: String, address: UInt64, data: String, says: String)] = [
    (key, address, "58585b0550f4830238c1a495ef58763c26000097e2abb5", "Humidity 46.7 %"),
    (
      "814aac74c4f17b6c1581e1ab87816b99", 0x5A58_2D34_125F, "5858480b685f12342d585a0b1841e2aa000e00a4964fb5",
      "Humidity 59.6 %"
    ),
    (
      "a3bfe9853dd85a620debe3620caaa351", 0x582D_3412_2089, "58586f06078920" + "12342d585f176dd54f0200002fa453fa",
      "Temperature 22.6 °C"
    ),
    (
      "a115210eed7a88e50ad52662e732a9fb", 0xA4C1_3856_5384, "5858e4162c84535638c1a42b6ef2e91200006c884d9e",
      "Humidity 58 %"
    ),
    (
      "19b1c678ab0a8bc3dc77765f059188d4", 0xA4C1_380E_FD78, "4858422529202d8c7a76b756a82a0078b8224e",
      "Temperature 26.1 °C"
    ),
    (
      "19b1c678ab0a8bc3dc77765f059188d4", 0xA4C1_380E_FD78, "585842258878fd0e38c1a405f6538aa72a0062b1a966",
      "Humidity 38 %"
    ),
    (
      "b2cf9a553d53571b5657defd582d676e", 0x2C11_6525_7004, "48590312a41b776e7c96add7000000f2bf545b",
      "Humidity 45 %"
    ),
    (
      "5b51a7c91cde6707c9ef18dfda143a58", 0x54EF_44E3_9CBC, "5859970966bc9ce344ef5401081205000000715ebe90",
      "Smoke detected"
    ),
  ]

  @Test("I17.1 published advertisements of Xiaomi's sensors are opened to their measurements", arguments: published)
  func opens(key: String, address: UInt64, data: String, says: String) throws {
    let octets = try #require([UInt8](hexadecimal: data))
    var heard = sighting(octets, from: address)
    heard.opened = try keys(key, of: address).open(heard)
    let frame = try #require(heard.beacons.first)
    #expect(frame.words.hasSuffix(", " + says) && frame.problem == nil, "\(frame.words) \(frame.problem ?? "")")
    #expect(frame.fields.suffix(2).map(\.name) == ["Counter", "Message integrity check"])
    #expect(heard.measurements.count == 1 && sighting(octets, from: address).measurements.isEmpty)
  }

  @Test("I17.1 a wrong key, or an octet that was changed, gives no value and the reason")
  func wrongKey() throws {
    let keys = try keys(Self.key, of: Self.address)
    let data = try data("0410021a01", 7)
    // The first two octets are under no check: their bits say what the frame has, and four of them nothing.
    for index in data.indices.dropFirst(2) {
      var changed = data
      changed[index] ^= 0x04
      let opened = keys.open(sighting(changed, from: Self.address))
      #expect(opened?.fields.contains { $0.name == "Temperature" } != true, "octet \(index)")
    }
    let other = try self.keys("e9ea895fac7cca6d30532432a516f3a9", of: Self.address)
    let refused = try #require(other.open(sighting(data, from: Self.address)))
    #expect(refused.problem == "the sensor's key does not fit, or the octets were changed on their way")
    #expect(keys.open(sighting(data, from: Self.address))?.problem == nil, "what was forged has not raised the counter")
    #expect(keys.open(sighting(data, from: 1)) == nil, "there is no key for it")
  }

  @Test("I17.1 the counter of four octets has to rise, beyond the end of the frame's own one")
  func replay() throws {
    let keys = try keys(Self.key, of: Self.address)
    let frames = try [255, 256, 0x0001_FFFF].map { try data("0410021a01", $0) }
    for data in frames.flatMap({ [$0, $0] }) {
      #expect(keys.open(sighting(data, from: Self.address))?.problem == nil)
    }
    let old = try #require(keys.open(sighting(frames[0], from: Self.address)))
    #expect(old.problem == "the counter is 255, and was 131071 already: it was sent again")
    #expect(!old.fields.contains { $0.name == "Temperature" })
  }

  @Test("I17.1 what a sensor counts in one format is not compared with what it counts in another")
  func formats() throws {
    let sensor = SealedSensor()
    let keys = SensorKeys()
    let key = SecretKey(mostSignificantFirst: try #require([UInt8](hexadecimal: Self.key)))
    keys.replace([Self.address: key, sensor.address.value: sensor.key])
    #expect(keys.open(sensor.sighting(sensor.data("0161", 9)))?.problem == nil)
    #expect(keys.open(sighting(try data("0a100161", 7), from: Self.address))?.problem == nil)
  }

  @Test("I17.1 frames that are cut anywhere are no measurements, with and without a key")
  func short() throws {
    let whole = try #require([UInt8](hexadecimal: Self.published[0].data))
    for length in whole.indices {
      let keys = try keys(Self.key, of: Self.address)
      let heard = sighting(Array(whole.prefix(length)), from: Self.address)
      #expect(heard.measurements.isEmpty && keys.open(heard)?.fields.contains { $0.name == "Humidity" } != true)
    }
  }
}
