import CoreBluetooth
import TestSupport
import Testing

@Suite("CBUUID")
struct UUIDBehaviourTests {
  private static let base = "-0000-1000-8000-00805F9B34FB"

  @Test("B10.1 texts have 4, 8 or 36 hexadecimal digits of either case; data have 2, 4 or 16 octets")
  func forms() {
    for text in ["180F", "180f", "0000180F", "0000180f", "0000180F" + Self.base, ("0000180F" + Self.base).lowercased()]
    {
      #expect(CBUUID(string: text) == CBUUID(data: Data([0x18, 0x0F])))
    }
    #expect(CBUUID(data: Data([0x12, 0x34, 0x56, 0x78])) == CBUUID(string: "12345678"))
    let uuid = UUID()
    #expect(CBUUID(nsuuid: uuid) == CBUUID(string: uuid.uuidString))
    #expect(CBUUID(data: CBUUID(nsuuid: uuid).data) == CBUUID(nsuuid: uuid))
  }

  @Test("B10.1 I11.18 behind 0x or 0X texts are the same UUIDs, and are shown without it")
  func prefixes() async {
    await #expect(processExitsWith: .success) {
      for text in ["180D", "180d", "0000180D", "6e400001-b5a3-f393-e0a9-e50e24dcca9e"] {
        for prefix in ["0x", "0X"] {
          let uuid = CBUUID(string: prefix + text)
          precondition(uuid == CBUUID(string: text) && uuid.hash == CBUUID(string: text).hash)
          precondition(uuid.data == CBUUID(string: text).data)
          precondition(uuid.uuidString == CBUUID(string: text).uuidString && !uuid.uuidString.hasPrefix("0x"))
          precondition(uuid.description == CBUUID(string: text).description)
        }
      }
    }
  }

  @Test("B10.2 the widths of one value are equal and hash alike; outside the base they are different")
  func equality() {
    let (short, medium, long) = (
      CBUUID(string: "1234"), CBUUID(string: "00001234"), CBUUID(string: "00001234" + Self.base)
    )
    #expect(short == long && short == medium && medium == long)
    #expect(short.hash == long.hash && short.hashValue == medium.hashValue)
    #expect(short.isEqual(long) && Set([short, medium, long]).count == 1)
    #expect(short != CBUUID(string: "00001234-0000-1000-8000-00805F9B34FC"))
    #expect(short != CBUUID(string: "1235") && !short.isEqual("1234"))
    #expect(CBUUID(string: "12340000") != short)
  }

  @Test("B10.3 data keep their width; texts are upper case, and as short as the value allows")
  func widths() {
    #expect(CBUUID(string: "1234").data == Data([0x12, 0x34]))
    #expect(CBUUID(string: "00001234").data == Data([0, 0, 0x12, 0x34]))
    #expect(CBUUID(string: "00001234" + Self.base).data.count == 16)
    #expect(CBUUID(string: "abcd").uuidString == "ABCD")
    #expect(CBUUID(string: "0000abcd" + Self.base).uuidString == "ABCD")
    #expect(CBUUID(string: "0000ABCD").uuidString == "ABCD")
    #expect(CBUUID(string: "ABCD1234").uuidString == "ABCD1234")
    #expect(CBUUID(string: "ABCD1234" + Self.base).uuidString == "ABCD1234")
    let long = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
    #expect(CBUUID(string: long.lowercased()).uuidString == long)
  }

  @Test("B10.4 the description is an assigned name, else the text")
  func descriptions() {
    let names = [
      "1800": "Generic Access Profile", "1801": "Generic Attribute Profile", "180A": "Device Information",
      "180D": "Heart Rate", "180F": "Battery",
    ]
    for (text, name) in names {
      #expect(CBUUID(string: text).description == name)
      #expect("\(CBUUID(string: "0000\(text)" + Self.base))" == name)
    }
    #expect(CBUUID(string: "fff0").description == "FFF0")
    #expect(String(format: "%@", CBUUID(string: "FFF0")) == "FFF0")
  }
}
