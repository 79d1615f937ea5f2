import BLECore
import BLEReports
import BLESession
import BLEText
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

@Suite("Beacons by what they say that they are")
struct BeaconTopicTests {
  private static let beacon =
    "4c000215" + "f7826da64fa24e988024bc5b71e0893e" + "0102" + "fffe" + "c5"
  private static let eddystone = "00e7" + "00112233445566778899" + "aabbccddeeff" + "0000"
  private let address = DeviceAddress(0xC0FF_EE01_0203, kind: .random)

  private func discovery(manufacturer: String? = nil, eddystone: String? = nil) -> Discovery {
    var discovery = Discovery(identifier: UUID(), name: nil, rssi: -40)
    discovery.advertisement.manufacturerData = manufacturer.flatMap { [UInt8](hexadecimal: $0) }.map { Data($0) }
    if let octets = eddystone.flatMap({ [UInt8](hexadecimal: $0) }) {
      discovery.advertisement.serviceData = [CBUUID(string: "FEAA"): Data(octets)]
    }
    return discovery
  }

  private func name(_ discovery: Discovery, _ topic: GatewayConfiguration.Listening.Topic = .beacon) -> String? {
    AdvertisementListener(.init(rule: .any, topic: topic)).take(discovery, address: address)?.device
  }

  @Test("I17.1 an iBeacon is published under its UUID, major and minor, and an Eddystone-UID under its own, if wanted")
  func names() {
    let ours = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E-258-65534"
    #expect(name(discovery(manufacturer: Self.beacon)) == ours && GatewayInstance.isName(ours))
    #expect(name(discovery(eddystone: Self.eddystone)) == "00112233445566778899-aabbccddeeff")
    #expect(name(discovery(manufacturer: Self.beacon), .address) == "C0FFEE010203")
  }

  @Test("I17.1 what is no beacon as specified, and an Eddystone frame without an identifier, stays under the address")
  func others() {
    let digits = Self.beacon
    for cut in stride(from: 0, to: digits.count, by: 2) {
      #expect(name(discovery(manufacturer: String(digits.prefix(cut)))) == "C0FFEE010203", "\(cut)")
    }
    for frame in [
      "", "00", digits + "00", "00e7001122", "10e70061", "2000ffff800000000000000000ff", "30e70011223344556677", "ff",
    ] {
      #expect(name(discovery(eddystone: frame)) == "C0FFEE010203", "\(frame)")
    }
    #expect(name(discovery(manufacturer: digits + "00")) == "C0FFEE010203")
  }

  @Test("I17.1 the beacons of one UUID, major and minor are one device, whatever their addresses")
  func oneDevice() {
    let listener = AdvertisementListener(.init(rule: .any, topic: .beacon))
    let published = (0..<50).compactMap { number in
      listener.take(
        discovery(manufacturer: Self.beacon), address: DeviceAddress(0xC000_0000_0000 + UInt64(number), kind: .random))
    }
    #expect(published.count == 1 && listener.count == 1)
  }

  @Test("I17.1 a rule takes only what has data of a service that begins so, or only sensors that it can read")
  func rules() throws {
    func published(_ listen: String, _ service: String, _ octets: String) throws -> Bool {
      let text = #"{"format": "ble-gateway/1", "gateway": "a", "broker": {"host": "h"}, "listen": [\#(listen)]}"#
      let read = try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble")
      let policy = try #require(read.listening.first)
      var heard = Discovery(identifier: UUID(), name: nil, rssi: -40)
      heard.advertisement.serviceData = [CBUUID(string: service): Data(try #require([UInt8](hexadecimal: octets)))]
      return policy.rule.matches(heard) && AdvertisementListener(policy).take(heard, address: address) != nil
    }
    let thermometer = "4002ca09"
    let plain = #"{"match": {"service_data": {"service": "FCD2", "prefix": "40"}}}"#
    #expect(try published(plain, "FCD2", thermometer) && !published(plain, "FCD2", "4102ca09"))
    #expect(try !published(plain, "FEAA", thermometer) && !published(plain, "FCD2", ""))
    let sensors = #"{"sensors_only": true}"#
    #expect(try published(sensors, "FCD2", thermometer) && !published(sensors, "FEAA", Self.eddystone))
    // Encrypted, and there is no key.
    #expect(try !published(sensors, "FCD2", "41a47266c95f730011223378237214"))
  }

  @Test("I17.1 of an iBeacon's numbers, the bits of the masks alone are in the topic: others are one device")
  func masks() throws {
    var policy = GatewayConfiguration.Listening(rule: .any, topic: .beacon)
    (policy.masks.major, policy.masks.minor) = (0xFF00, 0)
    let heard = AdvertisementListener(policy).take(discovery(manufacturer: Self.beacon), address: address)
    #expect(heard?.device == "F7826DA6-4FA2-4E98-8024-BC5B71E0893E-256-0")
    #expect(heard?.sighting.beacons.first?.words.contains("Major 258, Minor 65534") == true, "the message has all bits")
    let uid = AdvertisementListener(policy).take(discovery(eddystone: Self.eddystone), address: address)
    #expect(uid?.device == "00112233445566778899-aabbccddeeff")
    func read(_ rule: String) throws -> BeaconFrame.Masks? {
      let text = #"{"format": "ble-gateway/1", "gateway": "a", "broker": {"host": "h"}, "listen": [\#(rule)]}"#
      return try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble").listening.first?.masks
    }
    var minorOnly = BeaconFrame.Masks()
    minorOnly.minor = 15
    #expect(try read(#"{"topic": "beacon", "beacon_masks": {"minor": 15}}"#) == minorOnly)
    #expect(try read(#"{"topic": "beacon"}"#) == BeaconFrame.Masks())
    for mistake in [
      #"{"beacon_masks": {"minor": 15}}"#, #"{"topic": "beacon", "beacon_masks": {"minor": 65536}}"#,
      #"{"topic": "beacon", "beacon_masks": {"uuid": 1}}"#, #"{"topic": "beacon", "beacon_masks": 1}"#,
    ] { #expect(throws: FileMistakes.self) { _ = try read(mistake) } }
  }

  @Test("I17.1 the topic of a rule is the address unless the configuration says otherwise")
  func configuration() throws {
    func read(_ rule: String) throws -> GatewayConfiguration.Listening.Topic? {
      let text = #"{"format": "ble-gateway/1", "gateway": "a", "broker": {"host": "h"}, "listen": [\#(rule)]}"#
      return try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble").listening.first?.topic
    }
    #expect(try read("{}") == .address)
    #expect(try read(#"{"topic": "beacon"}"#) == .beacon)
    #expect(throws: FileMistakes.self) { _ = try read(#"{"topic": "uuid"}"#) }
  }
}
