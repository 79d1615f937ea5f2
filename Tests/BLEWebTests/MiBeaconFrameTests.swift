import BLEReports
import BLESession
import Foundation
import TestSupport
import Testing

@Suite("Measurements in Xiaomi's MiBeacon")
struct MiBeaconFrameTests {
  private static func frame(_ digits: String) throws -> BeaconFrame {
    try #require(try BeaconFrame(miBeacon: "FE95", data: Array(Hexadecimal.decode(digits))))
  }

  /// Advertisements of devices, from the tests of https://github.com/Bluetooth-Devices/xiaomi-ble.
  private static let published = [
    (
      "5020aa01da219335342d580d1004fe004802",
      "Product 0x01AA, Device address 58:2D:34:35:93:21, Temperature 25.4 °C, Humidity 58.4 %"
    ),
    (
      "50305b05034c94b438c1a40d10041001ea01",
      "Product 0x055B, Device address A4:C1:38:B4:94:4C, Temperature 27.2 °C, Humidity 49 %"
    ),
    (
      "7120980012f34f6b8d7cc40d041002c400",
      "Product 0x0098, Device address C4:7C:8D:6B:4F:F3, Temperature 19.6 °C"
    ),
    (
      "71209800667a3e6a8d7cc40d071003000000",
      "Product 0x0098, Device address C4:7C:8D:6A:3E:7A, Illuminance 0 lx"
    ),
    (
      "71209800687a3e6a8d7cc40d0910025702",
      "Product 0x0098, Device address C4:7C:8D:6A:3E:7A, Conductivity 599 µS/cm"
    ),
    ("71209800477a3e6a8d7cc40d08100140", "Product 0x0098, Device address C4:7C:8D:6A:3E:7A, Moisture 64 %"),
    (
      "5030e1048e54d3e63053e2011003010000",
      "Product 0x04E1, Device address E2:53:30:E6:D3:54, Button number 1, Kind of press 0"
    ),
    ("30585b0502483cd438c1a408", "Product 0x055B, Device address A4:C1:38:D4:3C:48"),
    // Encrypted before version 4: there is no check by which a key could be known to fit.
    (
      "5830b603d28b98c54124f8c3491476757e00000099",
      "Product 0x03B6, Device address F8:24:41:C5:98:8B, Encrypted objects, without a check c3491476757e00000099"
    ),
  ]

  @Test("I17.1 published frames of MiBeacon become measurements with units", arguments: published)
  func measurements(octets: String, says: String) throws {
    let found = try Self.frame(octets)
    #expect(found.words == "MiBeacon, " + says && found.problem == nil)
    #expect(found.fields.map(\.octets).joined().elementsEqual(try Hexadecimal.decode(octets)))
  }

  /// Xiaomi's examples of objects, and one that stands for others.
  private static let objects = [
    ("0a0002a70e", "Temperature 37.51 °C"), ("0410021a01", "Temperature 28.2 °C"), ("041002f6ff", "Temperature -1 °C"),
    ("0610025a01", "Humidity 34.6 %"), ("1010021000", "Formaldehyde 0.16 mg/m³"), ("0a10015e", "Battery 94 %"),
    ("0510020164", "State heating, Temperature 100 °C"), ("07000102", "Door open, Door event left open"),
    ("07000104", "Door event pried"), ("14100101", "Moisture detected wet"), ("19100101", "Opening closed"),
    ("17100478000000", "Time without motion 120 s"), ("10100210000a100132", "Formaldehyde 0.16 mg/m³, Battery 50 %"),
    ("0f1001ff", ""), ("ffff02abcd", "Object 0xFFFF abcd"),
    // An identifier of a product's own table, in another product.
    ("024c0132", "Object 0x4C02 32"),
  ]

  @Test(
    "I17.1 objects are what Xiaomi's table says, and one that is not known does not hide the next", arguments: objects)
  func known(object: String, says: String) throws {
    let found = try Self.frame("40405b0503" + object)
    #expect(found.words == "MiBeacon, Product 0x055B" + (says.isEmpty ? "" : ", " + says) && found.problem == nil)
  }

  @Test("I17.1 an identifier means something in one product and something else in another")
  func products() throws {
    #expect(try Self.frame("4040e41603" + "024c0132").words.hasSuffix("Humidity 50 %"))
    #expect(try Self.frame("4040f60703" + "071003640000").words.hasSuffix("Object 0x1007 640000"))
    #expect(try Self.frame("4040980003" + "071003640000").words.hasSuffix("Illuminance 100 lx"))
    let number = "0000c07f"
    #expect(try Self.frame("4040e41603" + "014c04" + number).words == "MiBeacon, Product 0x16E4", "not a number")
  }

  @Test(
    "I17.1 what is no measurement is said, and shown as octets",
    arguments: [
      ("", "the frame ends within Frame control: 2 octets expected, 0 found"),
      ("4040", "the frame ends within Product: 2 octets expected, 0 found"),
      ("40105b050304100200", "version 1 of MiBeacon is not known"),
      ("c0405b050304100200", "a frame of Xiaomi's mesh, which has no measurements"),
      ("50405b050301", "the frame ends within Device address: 6 octets expected, 1 found"),
      ("40405b05030410", "the frame ends within Object: 3 octets expected, 2 found"),
      ("40405b0503041002", "the frame ends within Temperature: 5 octets expected, 3 found"),
      ("40405b0503041003c40000", "Temperature has a length or value that it cannot have"),
      ("40405b0503041002ff7f", "Temperature has a length or value that it cannot have"),
      ("40405b05030a100165", "Battery has a length or value that it cannot have"),
      ("60405b0503200a100164", "an object behind an input and output capability"),
      ("48505b0503aa", "the frame ends within Counter: 3 octets expected, 1 found"),
    ])
  func mistakes(octets: String, problem: String) throws {
    let found = try Self.frame(octets)
    #expect(found.problem == problem)
    #expect(found.fields.map(\.octets).joined().elementsEqual(try Hexadecimal.decode(octets)))
  }

  @Test("I17.1 octets of any content and length are read without loss, and of other services not at all")
  func anything() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Chance(state: seed)
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...40, using: &random)
      let first = ([0x40, 0x48, 0x50, 0x58, 0x60, 0x71] as [UInt8]).randomElement(using: &random) ?? 0
      let octets = [first, 0x58] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let found = BeaconFrame(miBeacon: "FE95", data: octets)
      #expect(found?.fields.map(\.octets).joined().elementsEqual(octets) == true, "seed \(seed)")
    }
    #expect(BeaconFrame(miBeacon: "FCD2", data: [0x40, 0x40]) == nil)
  }

  @Test("I17.1 a kind of measurement of makers that BTHome has too is the same one")
  func kinds() {
    let bthome = Dictionary(grouping: MeasurementKind.bthome, by: \.name)
    for kind in MeasurementKind.makers { #expect(bthome[kind.name]?.contains(kind) ?? true, "\(kind.name)") }
    #expect(Set(MeasurementKind.makers.map(\.name)).count == MeasurementKind.makers.count)
  }
}
