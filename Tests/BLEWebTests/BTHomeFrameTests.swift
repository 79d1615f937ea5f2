import BLEReports
import BLESession
import Foundation
import TestSupport
import Testing

@Suite("Measurements of BTHome")
struct BTHomeFrameTests {
  private static func octets(_ digits: String) throws -> [UInt8] {
    Array(try Hexadecimal.decode(digits))
  }
  private static func frame(_ digits: String) throws -> BeaconFrame {
    try #require(try BeaconFrame(bthome: "FCD2", data: octets(digits)))
  }

  /// The example of https://bthome.io/format/, and examples of the table of objects there.
  private static let published = [
    ("4002c40903bf13", "Temperature 25 °C, Humidity 50.55 %"), ("400161", "Battery 97 %"),
    ("4012e204", "Carbon dioxide 1250 ppm"), ("400960", "Count 96"), ("403d0960", "Count 24585"),
    ("403e2a2c0960", "Count 1611213866"), ("40434e34", "Current 13.39 A"),
    ("4008ca06", "Dew point 17.38 °C"),
    ("40400c00", "Distance 12 mm"), ("40414e00", "Distance 7.8 m"),
    ("40424e3400", "Duration 13.39 s"),
    ("404d12138a14", "Energy 344593.17 kWh"), ("400a138a14", "Energy 1346.067 kWh"),
    ("404b138a14", "Gas 1346.067 m³"),
    ("404c41018a01", "Gas 25821.505 m³"), ("402e23", "Humidity 35 %"),
    ("4005138a14", "Illuminance 13460.67 lx"),
    ("40065e1f", "Mass 80.3 kg"), ("40073e1d", "Mass 74.86 lb"), ("4014020c", "Moisture 30.74 %"),
    ("400d120c", "PM2.5 3090 µg/m³"), ("44000a3a02", "Packet identifier 10, Button double press"),
    ("403a80", "Button hold"), ("403c0103", "Dimmer left 3"), ("403c020a", "Dimmer right 10"),
    ("40450000450100", "Temperature 0 °C, Temperature 0.1 °C"), ("4045f6ff", "Temperature -1 °C"),
    ("401a01", "Door open"), ("401f00", "Lock locked"), ("402102", "Motion 2"),
    ("4058fe", "Temperature -0.7 °C"),
    ("40530548656c6c6f", "Text Hello"), ("4054020aff", "Raw 0aff"),
    ("40505d396164", "Time 2023-05-14T19:41:17Z"),
    ("40f104030201", "Firmware 1.2.3.4"),
    ("42060504030201020100", "Device address 01:02:03:04:05:06, Temperature 0.01 °C"),
  ]

  @Test("I17.1 BTHome's published examples become measurements with units", arguments: published)
  func measurements(octets: String, says: String) throws {
    let found = try Self.frame(octets)
    #expect(found.words == "BTHome, " + says)
    #expect(found.problem == nil && found.service == "FCD2")
    #expect(found.fields.map(\.octets).joined().elementsEqual(try Self.octets(octets)))
  }

  @Test("I17.1 encrypted measurements are shown as octets, with their counter")
  func encrypted() throws {
    let found = try Self.frame("41a47266c95f730011223378237214")
    #expect(
      found.words
        == "BTHome, Encrypted measurements a47266c95f73, Counter 857870592, Message integrity check 78237214"
    )
    #expect(found.problem == nil)
  }

  @Test(
    "I17.1 what is no measurement is said, and shown as octets",
    arguments: [
      ("", "the frame ends within Device information: 1 octet expected, 0 found"),
      ("2002c409", "version 1 of BTHome, and 2 is the one that is known"),
      ("40e002c409", "object 0xE0 is not known, and so where the next one begins"),
      ("4002c4", "the frame ends within Temperature: 3 octets expected, 2 found"),
      ("4053", "the frame ends within Text: 2 octets expected, 1 found"),
      ("4053ff41", "the frame ends within Text: 257 octets expected, 3 found"),
      ("405302c328", "Text is no UTF-8"),
      ("4141", "the frame ends within Counter: 4 octets expected, 1 found"),
    ])
  func mistakes(octets: String, problem: String) throws {
    let found = try Self.frame(octets)
    #expect(found.problem == problem)
    #expect(found.fields.map(\.octets).joined().elementsEqual(try Self.octets(octets)))
  }

  @Test("I17.1 a text of a sensor cannot act on the terminal that shows it")
  func inertText() throws {
    let words = try Self.frame("4053041b5b324a").words
    #expect(words.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(words)")
  }

  @Test("I17.1 octets of any content and length are read without loss")
  func anything() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Chance(state: seed)
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...40, using: &random)
      let first = ([0x40, 0x41, 0x42, 0x44] as [UInt8]).randomElement(using: &random) ?? 0
      let octets = [first] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let found = BeaconFrame(bthome: "FCD2", data: octets)
      #expect(found?.fields.map(\.octets).joined().elementsEqual(octets) == true, "seed \(seed)")
    }
    #expect(BeaconFrame(bthome: "FEAA", data: [0x40]) == nil)
  }
}
