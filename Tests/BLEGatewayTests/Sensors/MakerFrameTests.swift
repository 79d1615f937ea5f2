import BLECore
import BLEReports
import BLESession
import Foundation
import Testing

@Suite("Measurements of single makers' sensors")
struct MakerFrameTests {
  private static let ruuviAddress: UInt64 = 0xCBB8_334C_884F
  private static let switchBotService = "CBA20D00-224D-11E6-9FB8-0002A5D5C51B"

  /// Test vectors of https://docs.ruuvi.com/communication/bluetooth-advertisements
  private static let ruuvi: [HeardAdvertisement] = [
    .init(
      manufacturer: "99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f",
      says: "temperature 24.3 °C, humidity 53.49 %, pressure 1000.44 hPa, acceleration_x 0.0392266 m/s², "
        + "acceleration_y -0.0392266 m/s², acceleration_z 10.1596894 m/s², voltage 2.977 V, movements 66"),
    .init(
      manufacturer: "9904057ffffffefffe7fff7fff7fffffdefefffecbb8334c884f",
      says: "temperature 163.835 °C, humidity 163.835 %, pressure 1155.34 hPa, acceleration_x 321.33450055 m/s², "
        + "acceleration_y 321.33450055 m/s², acceleration_z 321.33450055 m/s², voltage 3.646 V, movements 254"),
    .init(
      manufacturer: "9904058001000000008001800180010000000000cbb8334c884f",
      says: "temperature -163.835 °C, humidity 0.0 %, pressure 500.0 hPa, acceleration_x -321.33450055 m/s², "
        + "acceleration_y -321.33450055 m/s², acceleration_z -321.33450055 m/s², voltage 1.6 V, movements 0"),
    .init(manufacturer: "9904058000ffffffff800080008000ffffffffffffffffffffff", says: ""),
    .init(
      manufacturer: "990403291a1ece1efc18f94202ca0b53",
      says: "humidity 20.5 %, temperature 26.3 °C, pressure 1027.66 hPa, acceleration_x -9.80665 m/s², "
        + "acceleration_y -16.9262779 m/s², acceleration_z 7.0019481 m/s², voltage 2.899 V"),
    .init(
      manufacturer: "990403ff7f63ffff7fff7fff7fffffff",
      says: "humidity 127.5 %, temperature 127.99 °C, pressure 1155.35 hPa, acceleration_x 321.33450055 m/s², "
        + "acceleration_y 321.33450055 m/s², acceleration_z 321.33450055 m/s², voltage 65.535 V"),
    .init(
      manufacturer: "99040300ff6300008001800180010000",
      says: "humidity 0.0 %, temperature -127.99 °C, pressure 500.0 hPa, acceleration_x -321.33450055 m/s², "
        + "acceleration_y -321.33450055 m/s², acceleration_z -321.33450055 m/s², voltage 0.0 V"),
  ]

  /// Advertisements of devices in the tests of https://github.com/custom-components/ble_monitor,
  /// https://github.com/Bluetooth-Devices/govee-ble, https://github.com/Bluetooth-Devices/thermopro-ble and https://github.com/sblibs/pySwitchbot
  private static let others: [HeardAdvertisement] = [
    // ATC_MiThermometer.
    .init(
      service: "181A", data: "a4c1380283f400a22f5f0bf819",
      says: "temperature 16.2 °C, humidity 47 %, battery 95 %, voltage 3.064 V"),
    .init(
      service: "181A", data: "a4c138bc7c4e0102284f0b6720", address: 0xA4C1_38BC_7C4E,
      says: "temperature 25.8 °C, humidity 40 %, battery 79 %, voltage 2.919 V"),
    .init(
      service: "181A", data: "f4830238c1a4a9066911b60b58f70d",
      says: "temperature 17.05 °C, humidity 44.57 %, voltage 2.998 V, battery 88 %"),
    .init(
      service: "181A", data: "b2188d38c1a42b089011f70a43200f", address: 0xA4C1_388D_18B2,
      says: "temperature 20.91 °C, humidity 44.96 %, voltage 2.807 V, battery 67 %"),
    // Govee's H5051, H5074, H5075 and H5102.
    .init(manufacturer: "88ec00ba0af90f63020101", says: "temperature 27.46 °C, humidity 40.89 %, battery 99 %"),
    .init(manufacturer: "88ec0088078c116402", says: "temperature 19.28 °C, humidity 44.92 %, battery 100 %"),
    .init(
      manufacturer: "88ec0003215d6400", name: "GVH5075_CB9B",
      says: "temperature 20.5 °C, humidity 14.9 %, battery 100 %"),
    .init(
      manufacturer: "0100010103cb0164", name: "GVH5102_CB9B",
      says: "temperature 24.8 °C, humidity 57.7 %, battery 100 %"),
    // SwitchBot's Meter, Meter Plus and outdoor meter.
    .init(
      service: "0D00", data: "54006400990e", services: [switchBotService],
      says: "battery 100 %, temperature 25.0 °C, humidity 14 %"),
    .init(service: "FD3D", data: "6900640098a6", says: "battery 100 %, temperature 24.0 °C, humidity 38 %"),
    .init(service: "FD3D", data: "6900ba031938", says: "battery 58 %, temperature -25.3 °C, humidity 56 %"),
    .init(
      manufacturer: "6909aabbccddeeffe00f06983500", service: "FD3D", data: "7700e4", address: 0xAABB_CCDD_EEFF,
      says: "temperature 24.6 °C, humidity 53 %, battery 100 %"),
    // Inkbird's IBS-TH and IBS-TH2.
    .init(
      manufacturer: "9c08f41000ba4e6408", name: "sps", says: "temperature 22.04 °C, humidity 43.4 %, battery 100 %"),
    .init(manufacturer: "ff0700000031603306", name: "tps", says: "temperature 20.47 °C, battery 51 %"),
    .init(manufacturer: "9ef8000000bcbc6406", name: "tps", says: "temperature -18.9 °C, battery 100 %"),
    // ThermoPro's TP359, TP357S and TP393.
    .init(manufacturer: "c2ff0035012c", name: "TP359 (C487)", says: "temperature 25.5 °C, humidity 53 %"),
    .init(manufacturer: "c2ee0029220b01", name: "TP357S (2142)", says: "temperature 23.8 °C, humidity 41 %"),
    .init(manufacturer: "c2f20035022c", name: "TP393 (9376)", says: "temperature 24.2 °C, humidity 53 %"),
    // Qingping's.
    .init(
      service: "FDCD", data: "08096f1c40342d580104be000d02070272" + "26020157",
      says: "temperature 19.0 °C, humidity 52.5 %, pressure 984.2 hPa, battery 87 %"),
    .init(
      service: "FDCD", data: "8818072240342d5801041701ca000201610702" + "7227",
      says: "temperature 27.9 °C, humidity 20.2 %, battery 97 %, pressure 1009.8 hPa"),
    .init(
      service: "FDCD", data: "0812005e60342d580201640f011c09048b090000", says: "battery 100 %, illuminance 2443 lx"),
    .init(service: "FDCD", data: "4812005e60342d580804008b09000f0122", says: "motion clear"),
    .init(service: "FDCD", data: "4812005e60342d581101010f0130", says: "light detected"),
    .init(
      service: "FDCD", data: "080ea3808fe64854010422014c01120471007200" + "1302ed03",
      says: "temperature 29.0 °C, humidity 33.2 %, pm2_5 113 µg/m³, pm10 114 µg/m³, carbon_dioxide 1005 ppm"),
  ]

  @Test("I17.1 published advertisements of makers become measurements with units", arguments: ruuvi + others)
  func published(heard: HeardAdvertisement) throws {
    let sighting = try heard.sighting()
    #expect(HeardAdvertisement.words(sighting) == heard.says)
    for frame in sighting.beacons {
      #expect(frame.problem == nil)
      let octets = frame.fields.flatMap(\.octets)
      #expect(
        octets == sighting.serviceData.first?.data || octets == sighting.manufacturerData
          || octets == sighting.manufacturerData.map { Array($0.dropFirst(2)) })
    }
    #expect(!sighting.beacons.isEmpty)
  }

  @Test("I17.1 an advertisement that is longer or shorter is none of these", arguments: ruuvi + others)
  func lengths(heard: HeardAdvertisement) throws {
    // Objects of any number; two frames; and families whose lengths are next to each other.
    let hasOneLength =
      heard.service != "FDCD" && heard.data != "7700e4" && !heard.manufacturer.hasPrefix("88ec")
      && heard.name?.hasPrefix("TP") != true
    guard hasOneLength else { return }
    var other = heard
    for change in ["00", "-1", "-2", "-3"] {
      func changed(_ digits: String) -> String {
        digits.isEmpty ? "" : change == "00" ? digits + change : String(digits.dropLast(-2 * (Int(change) ?? 0)))
      }
      (other.manufacturer, other.data) = (changed(heard.manufacturer), changed(heard.data))
      #expect(try other.sighting().beacons.isEmpty, "\(change)")
    }
  }

  @Test("I17.1 what could be of another product is not read")
  func doubts() throws {
    func heard(_ advertisement: HeardAdvertisement, address: Bool = true) throws -> Bool {
      !(try advertisement.sighting(address: address).measurements.isEmpty)
    }
    // The service is everybody's: another address, or none that is known.
    let firmware = HeardAdvertisement(service: "181A", data: "a4c1380283f400a22f5f0bf819", says: "")
    #expect(try heard(firmware) && !heard(firmware, address: false))
    var other = firmware
    other.address ^= 1
    #expect(try !heard(other))
    // Without the name, the service or the data beside it.
    #expect(try !heard(.init(manufacturer: "0100010103cb0164", name: "GVH5126_4E05", says: "")))
    #expect(try !heard(.init(manufacturer: "0100010103cb0164", says: "")))
    #expect(try !heard(.init(service: "0D00", data: "54006400990e", says: "")))
    #expect(try !heard(.init(manufacturer: "6909a4c1380283f4e00f06983500", says: "")))
    #expect(try !heard(.init(manufacturer: "9c08f41000ba4e6408", name: "spx", says: "")))
    #expect(try !heard(.init(manufacturer: "c2ff0035012c", name: "T", says: "")))
    // A check that does not fit.
    #expect(try !heard(.init(manufacturer: "9d08f41000ba4e6408", name: "sps", says: "")))
    // Outside of what can be measured: humidity, temperature and charge.
    #expect(try !heard(.init(manufacturer: "c2ffffff220b01", name: "TP357S (3C62)", says: "")))
    #expect(try !heard(.init(manufacturer: "88ec004a00283b00", name: "GVH5075_2762", says: "")))
    #expect(try !heard(.init(manufacturer: "0100010103c730e4", name: "GVH5104_5242", says: "")))
    #expect(try !heard(.init(service: "FD3D", data: "69006400987f", says: "")))
    // Another data format, and another device of the maker.
    #expect(try !heard(.init(manufacturer: "99040712fc5394c37c0004fffc040cac364200cdcbb8334c884f", says: "")))
    #expect(try !heard(.init(service: "FD3D", data: "480064000000", says: "")))
  }

  @Test("I17.1 below zero is below zero in each way of writing it")
  func belowZero() throws {
    func words(_ advertisement: HeardAdvertisement) throws -> String {
      HeardAdvertisement.words(try advertisement.sighting())
    }
    // The first bit, in front of decimal digits: 5.1 °C below zero and 42.3 %.
    #expect(
      try words(.init(manufacturer: "88ec0080c8df6400", says: ""))
        == "temperature -5.1 °C, humidity 42.3 %, battery 100 %")
    #expect(
      try words(.init(service: "181A", data: "a4c1380283f4ff382f5f0bf819", says: "")).hasPrefix("temperature -20.0 °C"))
    #expect(try words(.init(service: "FD3D", data: "540064050038", says: "")).contains("temperature -0.5 °C"))
    #expect(try words(.init(service: "FD3D", data: "5400640f0038", says: "")) == "battery 100 %, humidity 56 %")
  }

  @Test("I17.1 advertisements of any content and length are read without loss")
  func anything() {
    var random = SystemRandomNumberGenerator()
    let starts: [[UInt8]] = [
      [0x99, 0x04], [0x88, 0xEC], [0x01, 0x00], [0x69, 0x09], [0xC2], [], [0x4C, 0x00, 0x02],
    ]
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...27, using: &random)
      let octets =
        (starts.randomElement(using: &random) ?? [])
        + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let service = ["181A", "FD3D", "0D00", "FDCD", "FE95", "FCD2"].randomElement(using: &random) ?? ""
      let sighting = Sighting(
        identifier: UUID(), address: DeviceAddress(UInt64(count), kind: .public),
        name: ["sps", "tps", "TP35", "GVH5100"].randomElement(using: &random), rssi: nil, isConnectable: false,
        services: [Self.switchBotService], solicitedServices: [], overflowServices: [], manufacturerData: octets,
        serviceData: [.init(service: service, data: octets)], txPower: nil)
      for frame in sighting.beacons {
        let read = frame.fields.flatMap(\.octets)
        let isWhole = read == octets || (frame.service == nil && read == Array(octets.dropFirst(2)))
        #expect(isWhole, "\(octets.hexadecimal) of \(service)")
      }
    }
  }
}
