import BLECore
import BLESession
import CoreBluetooth
import Foundation
import Testing

@testable import ble

@Suite("The tree of a device")
struct GATTTreeTests {
  private static let identifier = UUID()

  private static let tree = GATTTree(
    identifier: identifier, address: DeviceAddress(0xC012_3456_789A, kind: .random), name: "Owenli",
    services: [
      GATTTree.Service(
        uuid: "180F", isPrimary: true, includedServices: ["180A"],
        characteristics: [
          GATTTree.Characteristic(
            uuid: "2A19", properties: ["read", "notify"], value: .value([100]),
            descriptors: [
              GATTTree.Descriptor(uuid: "2901", value: .value(.text("name"))),
              GATTTree.Descriptor(uuid: "2902", value: .value(.number(0))),
              GATTTree.Descriptor(uuid: "2904", value: .value(.octets(Data([4])))),
            ]),
          GATTTree.Characteristic(
            uuid: "FFF1", properties: ["read"],
            value: .failed(ToolError(.failed, "Reading FFF1 was refused", attributeError: 5))),
          GATTTree.Characteristic(uuid: "FFF2", properties: ["write"]),
        ])
    ])

  @Test("In JSON every member is present, whatever is known")
  func inJSONEveryMemberIsPresent() throws {
    let document = try JSONSerialization.jsonObject(with: Data(Self.tree.json.text.utf8)) as? [String: Any]
    #expect(Set(try #require(document).keys) == ["identifier", "address", "name", "services"])
    #expect(document?["identifier"] as? String == Self.identifier.uuidString)
    let services = try #require(document?["services"] as? [[String: Any]])
    let service = try #require(services.first)
    #expect(Set(service.keys) == ["uuid", "name", "primary", "included_services", "characteristics"])
    #expect(service["name"] as? String == "Battery")
    #expect(service["included_services"] as? [String] == ["180A"])
    let characteristics = try #require(service["characteristics"] as? [[String: Any]])
    for characteristic in characteristics {
      #expect(Set(characteristic.keys) == ["uuid", "name", "properties", "value", "error", "descriptors"])
    }
    #expect((characteristics[0]["value"] as? [String: Any])?["hex"] as? String == "64")
    #expect(characteristics[0]["name"] as? String == "Battery Level")
    #expect((characteristics[1]["error"] as? [String: Any])?["att_error"] as? Int == 5)
    #expect(characteristics[1]["value"] is NSNull && characteristics[1]["name"] is NSNull)
    #expect(characteristics[2]["value"] is NSNull && characteristics[2]["error"] is NSNull)
    let descriptors = try #require(characteristics[0]["descriptors"] as? [[String: Any]])
    #expect(descriptors[0]["value"] as? String == "name")
    #expect(descriptors[1]["value"] as? Int == 0)
    #expect((descriptors[2]["value"] as? [String: Any])?["hex"] as? String == "04")
  }

  @Test("The plain form is a tree with names and values")
  func thePlainFormIsATreeWithNamesAndValues() {
    let lines = Self.tree.lines(Style(isOn: false))
    #expect(lines.first == "Owenli  \(Self.identifier.uuidString)  C0:12:34:56:78:9A")
    #expect(lines.contains("└─ Service 180F  Battery"))
    #expect(lines.contains("   ├─ includes 180A Device Information"))
    #expect(lines.contains { $0.hasPrefix("   ├─ Characteristic 2A19  Battery Level  [read, notify]  = 100 %") })
    #expect(lines.contains { $0.contains("Descriptor 2901") && $0.hasSuffix("= \"name\"") })
    #expect(lines.last == "   └─ Characteristic FFF2  [write]")
  }

  @Test("Properties have Apple's names")
  func propertiesHaveApplesNames() {
    let properties: CBCharacteristicProperties = [.read, .notify, .writeWithoutResponse]
    #expect(properties.names == ["read", "writeWithoutResponse", "notify"])
    #expect(CBCharacteristicProperties(rawValue: 1 << 40).names == [])
  }

  @Test("The value of a descriptor keeps its type")
  func theValueOfADescriptorKeepsItsType() {
    #expect(DescriptorValue("name") == .text("name"))
    #expect(DescriptorValue(NSNumber(value: 2)) == .number(2))
    #expect(DescriptorValue(Data([1, 2])) == .octets(Data([1, 2])))
    #expect(DescriptorValue(nil) == .octets(Data()))
  }
}
