import BLEReports
import BLESession
import Foundation
import TestSupport
import Testing

@Suite("Frames of beacons")
struct BeaconFrameTests {
  /// Frames as published: an iBeacon of April Brother's description of its receiver, one of Epson's manual of a printer, Eddystone's of the
  /// tests of aioblescan. Telemetry and ephemeral identifiers follow Google's tables of their fields.
  private static let published: [(octets: String, says: String)] = [
    (
      "4c000215b5b182c7eab14988aa99b5c1517008d90001cf64c5",
      "iBeacon, Proximity UUID B5B182C7-EAB1-4988-AA99-B5C1517008D9, Major 1, Minor 53092, Measured power at 1 m -59 dBm"
    ),
    (
      "4c000215fac1ba2f61a24d839a8c60087c23256900000000bd",
      "iBeacon, Proximity UUID FAC1BA2F-61A2-4D83-9A8C-60087C232569, Major 0, Minor 0, Measured power at 1 m -67 dBm"
    ),
    (
      "aafe00f60000000000000000006300000000005800" + "00",
      "Eddystone-UID, Transmit power at 0 m -10 dBm, Namespace 00000000000000000063, Instance 000000000058"
    ),
    (
      "aafe00f600000000000000000063000000000058",
      "Eddystone-UID, Transmit power at 0 m -10 dBm, Namespace 00000000000000000063, Instance 000000000058"
    ),
    (
      "aafe10f6036d616b65636f6465002361626f7574",
      "Eddystone-URL, Transmit power at 0 m -10 dBm, URL https://makecode.com/#about"
    ),
    (
      "aafe20000bb8198000000102000000e1",
      "Eddystone-TLM, Battery voltage 3000 mV, Temperature 25.5 °C, Advertisements sent 258, Time since power-on 22.5 s"
    ),
    (
      "aafe20000000800000000000" + "00000000",
      "Eddystone-TLM, Advertisements sent 0, Time since power-on 0 s"
    ),
    (
      "aafe20000bb8ff8000000102ffffffff",
      "Eddystone-TLM, Battery voltage 3000 mV, Temperature -0.5 °C, Advertisements sent 258, Time since power-on 429496729.5 s"
    ),
    (
      "aafe2001000102030405060708090a0bcafe1234",
      "Eddystone-TLM, Encrypted telemetry 000102030405060708090a0b, Salt cafe, Message integrity check 1234"
    ),
    (
      "aafe30ee0011223344556677",
      "Eddystone-EID, Transmit power at 0 m -18 dBm, Ephemeral identifier 0011223344556677"
    ),
  ]

  /// A frame as it is on the air: behind a company identifier, or behind a service's UUID.
  private static func frame(_ digits: String) throws -> BeaconFrame? { frame(try octets(digits)) }
  private static func octets(_ digits: String) throws -> [UInt8] { Array(try Hexadecimal.decode(digits)) }

  private static func frame(_ octets: [UInt8]) -> BeaconFrame? {
    octets.starts(with: [0xAA, 0xFE])
      ? BeaconFrame(service: "FEAA", data: Array(octets.dropFirst(2))) : BeaconFrame(manufacturerData: octets)
  }

  @Test("I15.1 an iBeacon and each of Eddystone's frames are read field by field, with units", arguments: published)
  func frames(octets: String, says: String) throws {
    let found = try #require(try Self.frame(octets))
    #expect(found.words == says)
    #expect(found.problem == nil)
    #expect(Data(found.fields.flatMap(\.octets)).hexadecimal == octets.dropFirst(4))
  }

  @Test(
    "I15.1 a beacon's frame that is cut keeps its fields so far and says where it ends, and a longer one by how much",
    arguments: published.map(\.octets))
  func lengths(octets: String) throws {
    let whole = try Self.octets(octets)
    // Behind the company identifier an iBeacon has its type: without it the data is another's.
    let shortest = whole.starts(with: [0xAA, 0xFE]) ? 2 : 3
    for count in shortest..<whole.count {
      let found = try #require(Self.frame(Array(whole.prefix(count))))
      #expect(found.fields.map(\.octets).joined().elementsEqual(whole[2..<count]), "\(count)")
      // A URL may end anywhere, and a UID before its reserved octets.
      let mayEnd = found.format == .eddystoneURL && count >= 5 || found.format == .eddystoneUID && count == 20
      #expect((found.problem == nil) == mayEnd, "\(count): \(found.words)")
    }
    let longer = try #require(Self.frame(whole + [0x41, 0x42, 0x43]))
    #expect(longer.fields.map(\.octets).joined().elementsEqual((whole + [0x41, 0x42, 0x43]).dropFirst(2)))
    let isURL = longer.format == .eddystoneURL
    #expect(isURL || longer.problem != nil, "\(longer.words)")
  }

  @Test(
    "I15.1 what a beacon's frame must not have is said, and shown as octets",
    arguments: [
      ("4c00021400000000000000000000000000000000000000000000", "Length is 20, and 21 in an iBeacon"),
      ("aafe10f60761", "a URL scheme that is not assigned"),
      ("aafe10f6036120", "the URL has an octet that is reserved"),
      ("aafe10f60361ff", "the URL has an octet that is reserved"),
      ("aafe10f603" + String(repeating: "61", count: 18), "the URL has 18 octets, 17 at most"),
      ("aafe2002", "telemetry of a version that is not known"), ("aafe40", "a frame type that is not assigned"),
      ("aafe", "the frame ends within Frame type: 1 octet expected, 0 found"),
      ("4c0002", "the frame ends within Length: 1 octet expected, 0 found"),
    ])
  func mistakes(octets: String, problem: String) throws {
    let found = try #require(try Self.frame(octets))
    #expect(found.problem == problem)
  }

  @Test("I15.1 octets that are no frame, of any content and length, are read without loss")
  func anything() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Chance(state: seed)
    for _ in 0..<5_000 {
      var octets = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random), let type = ([0x00, 0x10, 0x20, 0x30] as [UInt8]).randomElement(using: &random) {
        octets = [type] + octets
      }
      let eddystone = BeaconFrame(service: "FEAA", data: octets)
      #expect(eddystone?.fields.map(\.octets).joined().elementsEqual(octets) == true, "seed \(seed)")
      let own = BeaconFrame(manufacturerData: [0x4C, 0x00, 0x02] + octets)
      #expect(own?.fields.map(\.octets).joined().elementsEqual([0x02] + octets) == true, "seed \(seed)")
    }
    for other in [[], [0x4C], [0x4C, 0x00], [0x4C, 0x00, 0x10, 0x05], [0x59, 0x00, 0x02, 0x15]] as [[UInt8]] {
      #expect(BeaconFrame(manufacturerData: other) == nil)
    }
    for service in ["FEAB", "", "180F", "0000FEAB-0000-1000-8000-00805F9B34FB", "x"] {
      #expect(BeaconFrame(service: service, data: [0x00]) == nil)
    }
    #expect(BeaconFrame(service: "0000FEAA-0000-1000-8000-00805F9B34FB", data: [0x00]) != nil)
  }

  @Test("I15.1 programs get a beacon's fields with their names, octets, values and units")
  func document() throws {
    let telemetry = try #require(try Self.frame("aafe20000bb8800000000102000000"))
    #expect(
      telemetry.json.text
        == #"{"format":"Eddystone-TLM","service":"FEAA","fields":["#
        + #"{"name":"Frame type","octets":"20","value":"0x20","unit":null},"#
        + #"{"name":"Version","octets":"00","value":0,"unit":null},"#
        + #"{"name":"Battery voltage","octets":"0bb8","value":3000,"unit":"mV"},"#
        + #"{"name":"Temperature","octets":"8000","value":null,"unit":"°C"},"#
        + #"{"name":"Advertisements sent","octets":"00000102","value":258,"unit":null},"#
        + #"{"name":"Time since power-on","octets":"000000","value":null,"unit":null}],"#
        + #""problem":"the frame ends within Time since power-on: 4 octets expected, 3 found"}"#)
  }
}
