import BLECore
import BLECrypto
import BLEReports
import BLESession
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

/// A sensor that encrypts what it advertises.
struct SealedSensor {
  let address = DeviceAddress(0x5448_E68F_80A5, kind: .public)
  let key: SecretKey

  init(_ digits: String = "231d39c1d7cc1ab1aee224cd096db932") {
    key = SecretKey(mostSignificantFirst: [UInt8](hexadecimal: digits) ?? [])
  }

  var file: GatewayKeyFiles {
    var file = GatewayKeyFiles()
    file.sensors = [address.value: key]
    return file
  }

  /// The data of BTHome's service.
  func data(_ measurements: String, _ counter: UInt32, hasAddress: Bool = false) -> [UInt8] {
    let counted = (0..<UInt32(4)).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    let information: UInt8 = hasAddress ? 0x43 : 0x41
    let nonce = address.octets.reversed() + [0xD2, 0xFC, information] + counted
    let sealed = AESCCM(key: key).seal(([UInt8](hexadecimal: measurements) ?? [])[...], nonce: nonce, additional: [])
    return [information] + (hasAddress ? address.octets : []) + sealed.dropLast(4) + counted + sealed.suffix(4)
  }

  func sighting(_ data: [UInt8], from address: DeviceAddress? = nil) -> Sighting {
    var discovery = Discovery(identifier: UUID(), name: nil, rssi: -50)
    discovery.advertisement.serviceData = [CBUUID(string: "FCD2"): Data(data)]
    return Sighting(discovery, address: address ?? self.address)
  }
}

@Suite("Sensors that encrypt their measurements")
struct SensorKeysTests {
  private let sensor = SealedSensor()

  private func keys(_ sensor: SealedSensor? = nil) -> SensorKeys {
    let keys = SensorKeys()
    keys.replace((sensor ?? self.sensor).file.sensors)
    return keys
  }

  @Test("I17.1 the example of BTHome's encryption is opened to its measurements")
  func published() throws {
    let data = try #require([UInt8](hexadecimal: "41a47266c95f730011223378237214"))
    #expect(sensor.data("02CA0903BF13", 0x3322_1100) == data, "the test's own sensor makes the same")
    var sighting = sensor.sighting(data)
    sighting.opened = keys().open(sighting)
    let frame = try #require(sighting.beacons.first)
    #expect(frame.words == "BTHome, Temperature 25.06 °C, Humidity 50.55 %" && frame.problem == nil)
    #expect(frame.fields.map(\.name).suffix(2) == ["Counter", "Message integrity check"])
    #expect(sighting.json.text.contains("a47266c95f73"), "service_data has what was on the air")
    #expect(sensor.sighting(data).beacons.first?.words.contains("Encrypted measurements a47266c95f73") == true)
  }

  @Test("I17.4 a sensor with a key is not believed in what it does not encrypt, which anyone can send in its name")
  func inTheClear() throws {
    let keys = GatewayKeys(sensor.file)
    func heard(_ service: String, _ octets: String, from address: DeviceAddress) throws -> Sighting {
      var discovery = Discovery(identifier: UUID(), name: nil, rssi: -50)
      discovery.advertisement.serviceData = [CBUUID(string: service): Data(try #require([UInt8](hexadecimal: octets)))]
      let listener = AdvertisementListener(.init(rule: .any), keys)
      return try #require(listener.take(discovery, address: address)).sighting
    }
    let other = DeviceAddress(0x0102_0304_0506, kind: .public)
    // BTHome's, MiBeacon's and ATC_MiThermometer's.
    for (service, octets) in [
      ("FCD2", "4002ca09"), ("FE95", "5020aa0101a5808fe648540d1004ca00f401"), ("181A", "5448e68f80a500ca32610bb801"),
    ] {
      let plain = try heard(service, octets, from: sensor.address)
      #expect(plain.measurements.isEmpty && plain.measurements.json == .null)
      #expect(plain.beacons.first?.problem?.contains("not encrypted") == true, "\(service): \(plain.beacons)")
    }
    #expect(try heard("FCD2", "4002ca09", from: other).measurements.first?.value == .number(25.06))
    let sealed = sensor.data("02CA0903BF13", 7).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(try heard("FCD2", sealed, from: sensor.address).measurements.count == 2)
  }

  @Test("I17.1 a sensor that says its address in the frame is opened by it, whatever the address on the air is")
  func ownAddress() {
    let other = DeviceAddress(0x0102_0304_0506, kind: .random)
    let sighting = sensor.sighting(sensor.data("0161", 7, hasAddress: true), from: other)
    let words = keys().open(sighting)?.words
    #expect(words == "BTHome, Device address 54:48:E6:8F:80:A5, Battery 97 %")
    #expect(keys().open(sensor.sighting(sensor.data("0161", 7), from: other)) == nil, "there is no key for it")
  }

  @Test("I17.1 a wrong key, or an octet that was changed, gives no value and the reason")
  func wrongKey() throws {
    let other = keys(SealedSensor("231d39c1d7cc1ab1aee224cd096db933"))
    let data = sensor.data("0161", 7)
    let frame = try #require(other.open(sensor.sighting(data)))
    #expect(frame.problem == "the sensor's key does not fit, or the octets were changed on their way")
    #expect(!frame.fields.contains { $0.name == "Battery" } && !frame.words.contains("231d"))
    let keys = keys()
    for index in 1..<data.count {
      var changed = data
      changed[index] ^= 0x10
      let frame = try #require(keys.open(sensor.sighting(changed)))
      #expect(frame.problem != nil && !frame.fields.contains { $0.name == "Battery" }, "octet \(index)")
    }
    #expect(keys.open(sensor.sighting(data))?.problem == nil, "what was forged has not raised the counter")
  }

  @Test("I17.1 an advertisement may repeat, and one that was recorded before is not believed again")
  func replay() throws {
    let keys = keys()
    let (first, second) = (sensor.data("0161", 7), sensor.data("0162", 9))
    for data in [first, first, second, second] { #expect(keys.open(sensor.sighting(data))?.problem == nil) }
    let old = try #require(keys.open(sensor.sighting(first)))
    #expect(old.problem == "the counter is 7, and was 9 already: it was sent again")
    #expect(!old.fields.contains { $0.name == "Battery" })
    #expect(keys.open(sensor.sighting(sensor.data("0163", 9)))?.problem?.contains("sent again") == true)
    // A reload with the same key changes nothing of that; without the key, and with it again, the sensor begins again.
    keys.replace(sensor.file.sensors)
    #expect(keys.open(sensor.sighting(first))?.problem != nil)
    keys.replace([:])
    #expect(keys.open(sensor.sighting(first)) == nil)
    keys.replace(sensor.file.sensors)
    #expect(keys.open(sensor.sighting(first))?.problem == nil)
  }

  @Test("I17.1 a counter at its end is the last one: nothing that begins at nought again is believed")
  func greatestCounter() {
    let keys = keys()
    #expect(keys.open(sensor.sighting(sensor.data("0161", .max)))?.problem == nil)
    #expect(keys.open(sensor.sighting(sensor.data("0161", 0)))?.problem != nil)
  }

  @Test("I17.1 measurements that are cut, too long, none or repeated are read as those without encryption are")
  func content() throws {
    let long = String(repeating: "0161", count: 100)
    for (counter, text) in ["", "02", "02CA", "E0", "53FF41", "5300", "02CA0902CA09", long].enumerated() {
      let opened = try #require(keys().open(sensor.sighting(sensor.data(text, UInt32(counter)))))
      let plain = try #require(BeaconFrame(bthome: "FCD2", data: [0x40] + ([UInt8](hexadecimal: text) ?? [])))
      #expect(opened.problem == plain.problem, "\(text)")
      #expect(opened.fields.dropFirst().dropLast(2) == plain.fields.dropFirst(), "\(text)")
    }
  }

  @Test("I17.1 frames that are too short for an encryption are no measurements, with and without a key")
  func short() {
    for length in 0...14 {
      let data = Array(sensor.data("0161", 7, hasAddress: true).prefix(length))
      #expect(keys().open(sensor.sighting(data)) == nil)
      #expect(BeaconFrame(bthome: "FCD2", data: data)?.problem != nil, "\(length)")
    }
  }

  @Test("I17.1 a listener publishes what was opened")
  func listens() throws {
    let listener = AdvertisementListener(.init(rule: .any), GatewayKeys(sensor.file))
    var discovery = Discovery(identifier: UUID(), name: nil, rssi: -50)
    discovery.advertisement.serviceData = [CBUUID(string: "FCD2"): Data(sensor.data("0161", 7))]
    let heard = try #require(listener.take(discovery, address: sensor.address))
    #expect(heard.device == "5448E68F80A5")
    let topics = GatewayTopics(prefix: "ble", gateway: "attic")
    let draft = GatewayMessages(topics).advertisement(heard.sighting, smoothed: heard.smoothed, of: heard.device)
    #expect(draft.payload.contains(#""name":"Battery","octets":"0161","value":97,"unit":"%""#), "\(draft.payload)")
  }
}
