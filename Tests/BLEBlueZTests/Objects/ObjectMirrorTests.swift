import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("The daemon's objects, mirrored")
struct ObjectMirrorTests {
  /// Records the events of the mirror.
  private final class Listener: ObjectMirrorEvents {
    var lines: [String] = []
    func adaptersDidChange() { lines.append("adapters") }
    func device(_ device: DeviceObject, didChange changes: DeviceChanges) { lines.append("changed") }
    func deviceWasRemoved(_ device: DeviceObject) { lines.append("removed") }
    func device(_ device: DeviceObject, didChangeServicesIn handles: ClosedRange<AttributeHandle>) {
      lines.append("services \(handles.lowerBound)")
    }
    func deviceDidChangeMaximumTransmissionUnit(_ device: DeviceObject) { lines.append("mtu") }
    func device(_ device: DeviceObject, hasValue value: [UInt8], of handle: AttributeHandle) {
      lines.append("value \(handle)")
    }
    func device(_ device: DeviceObject, didDisconnect reason: String) { lines.append(reason) }
  }

  private static func device(_ number: Int) -> (path: String, properties: BusValue) {
    let octets = [5, 4, 3, 2, 1, 0].map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    let parts = octets.map { [$0].hexadecimal.uppercased() }
    return (
      "/org/bluez/hci0/dev_" + parts.joined(separator: "_"),
      .dictionary(
        [
          .string(BlueZName.device): .options([
            "Address": .string(parts.joined(separator: ":")), "AddressType": .string("random"), "RSSI": .int16(-50),
          ])
        ], key: "s", value: "a{sv}")
    )
  }

  @Test(
    "I12.2 a path identifies its object, and an invalid path none",
    arguments: [
      ("/org/bluez/hci0", true), ("/org/bluez/hci0/dev_AA/service0001/char0002/desc0003", true), ("/", false),
      ("", false),
      ("/org/bluez", false), ("/org/bluez/", false), ("/org/bluez/hci0/player0", false),
      ("/org/bluez/hci0/dev_AA/sep1", false),
      ("/org/bluez/hci0/dev_AA/service1", false), ("/org/bluez/hci0/dev_AA/service0000", false),
      ("/org/bluez/hci0/dev_AA/service+001", false), ("/org/bluez/hci0//dev_AA", false),
      ("/org/bluez/hci0/dev_AA/service0001/char0002/desc0003/x", false), ("/org/bluezz/hci0", false),
    ])
  func places(path: String, isPlace: Bool) {
    #expect((ObjectPlace(path) != nil) == isPlace)
  }

  @Test("I12.2 values of a wrong type are ignored and logged once")
  func wrongTypes() throws {
    let (listener, log) = (Listener(), LinesLog())
    let mirror = ObjectMirror(log: Logger(label: "bluez", sink: log), events: listener)
    let (path, properties) = Self.device(1)
    mirror.interfacesAdded([.objectPath(path), properties])
    let device = try #require(mirror.devices[path])
    let wrong: [String: BusValue] = [
      "Name": .uint16(1), "RSSI": .string("loud"), "TxPower": .uint32(4), "UUIDs": .string("180D"),
      "Connected": .int32(1),
      "ServicesResolved": .string("yes"), "ManufacturerData": .octets([1]), "Address": .string("nobody"),
      "ServiceData": .dictionary([.string("180D"): .variant(.string("x"))], key: "s", value: "v"),
      "AdvertisingData": .array(of: "s", []), "Paired": .variant(.variant(.octet(1))),
    ]
    for _ in 0..<3 {
      mirror.propertiesChanged(of: path, [.string(BlueZName.device), .options(wrong), .texts([])])
    }
    #expect(device.name == nil && device.rssi == -50 && !device.isConnected && device.services.isEmpty)
    #expect(log.lines.count == wrong.count)
    // Bodies that do not have the signals' signatures.
    for arguments: [BusValue] in [
      [], [.string("x")], [.objectPath(path), .string("x")], [.octet(1), .octet(2), .octet(3)],
    ] {
      mirror.interfacesAdded(arguments)
      mirror.interfacesRemoved(arguments)
      mirror.propertiesChanged(of: path, arguments)
      mirror.load(arguments)
      mirror.disconnected(path, arguments)
    }
    #expect(mirror.devices.isEmpty)
  }

  @Test("I12.2 objects that have no parent, are removed twice or never were, do no harm")
  func orphans() {
    let listener = Listener()
    let mirror = ObjectMirror(log: .silent, events: listener)
    let (path, properties) = Self.device(1)
    let service: BusValue = .dictionary(
      [.string(BlueZName.gattService): .options(["UUID": .string("180D")])], key: "s", value: "a{sv}")
    mirror.interfacesAdded([.objectPath(path + "/service0001"), service])
    mirror.interfacesAdded([.objectPath("/org/bluez/hci0"), properties])
    mirror.interfacesAdded([
      .objectPath(path), .dictionary([.string(BlueZName.device): .octet(1)], key: "s", value: "y"),
    ])
    #expect(listener.lines.isEmpty)
    mirror.interfacesAdded([.objectPath(path), properties])
    mirror.interfacesAdded([.objectPath(path + "/service0001"), service])
    for _ in 0..<2 {
      mirror.interfacesRemoved([.objectPath(path + "/service0001"), .texts([BlueZName.gattService, "else"])])
      mirror.interfacesRemoved([.objectPath(path), .texts([BlueZName.device])])
    }
    #expect(listener.lines == ["changed", "services 0x0001", "services 0x0001", "removed"])
  }

  @Test("I12.2 ten thousand devices are loaded, changed and removed")
  func manyDevices() throws {
    let listener = Listener()
    let mirror = ObjectMirror(log: .silent, events: listener)
    var objects: [BusValue: BusValue] = [:]
    for number in 0..<10_000 {
      let (path, properties) = Self.device(number)
      objects[.objectPath(path)] = properties
    }
    mirror.load([.dictionary(objects, key: "o", value: "a{sa{sv}}")])
    #expect(mirror.devices.count == 10_000)
    for number in 0..<10_000 {
      let (path, _) = Self.device(number)
      mirror.propertiesChanged(of: path, [.string(BlueZName.device), .options(["RSSI": .int16(-60)]), .texts([])])
    }
    let address = try #require(DeviceAddress("00:00:00:00:27:0F", kind: .random))
    #expect(mirror.device(at: address, on: "/org/bluez/hci0")?.rssi == -60)
    for number in 0..<10_000 {
      mirror.interfacesRemoved([.objectPath(Self.device(number).path), .texts([BlueZName.device])])
    }
    #expect(mirror.devices.isEmpty && mirror.device(at: address, on: "/org/bluez/hci0") == nil)
    #expect(listener.lines.count == 30_000)
  }

  @Test("I12.2 an advertisement is assembled from the daemon's properties")
  func advertisement() throws {
    let mirror = ObjectMirror(log: .silent, events: Listener())
    let (path, properties) = Self.device(1)
    mirror.interfacesAdded([.objectPath(path), properties])
    let device = try #require(mirror.devices[path])
    let before = device.advertisement
    #expect(device.advertisement === before)
    mirror.propertiesChanged(
      of: path,
      [
        .string(BlueZName.device),
        .options([
          "Name": .string("Thing"), "TxPower": .int16(-7),
          "UUIDs": .texts(["0000180d-0000-1000-8000-00805f9b34fb", "no uuid"]),
          "ManufacturerData": .dictionary([.uint16(0x004C): .variant(.octets([2, 21]))], key: "q", value: "v"),
          "ServiceData": .dictionary(
            [.string("0000feaa-0000-1000-8000-00805f9b34fb"): .variant(.octets([9]))], key: "s", value: "v"),
          "AdvertisingData": .dictionary([.octet(0x14): .variant(.octets([0x0F, 0x18]))], key: "y", value: "v"),
        ]), .texts([]),
      ])
    let content = device.advertisement
    #expect(content !== before)
    #expect(content.localName == "Thing" && content.txPowerLevel == -7)
    #expect(content.serviceUUIDs.map(\.description) == ["180D"])
    #expect(content.manufacturerData == [0x4C, 0x00, 2, 21])
    #expect(content.serviceData.map(\.uuid.description) == ["FEAA"] && content.serviceData.first?.data == [9])
    #expect(content.solicitedServiceUUIDs.map(\.description) == ["180F"])
    mirror.propertiesChanged(
      of: path,
      [.string(BlueZName.device), .options([:]), .texts(["RSSI", "TxPower", "ManufacturerData", "ServiceData"])])
    #expect(device.rssi == nil && device.advertisement.txPowerLevel == nil)
    #expect(device.advertisement.manufacturerData == nil && device.advertisement.serviceData.isEmpty)
  }
}

extension ObjectMirror {
  /// As the bus delivers a signal with these arguments.
  fileprivate func propertiesChanged(of path: String, _ arguments: [BusValue]) {
    guard arguments.count == 3, let interface = arguments[0].text, let values = ReportedProperties(arguments[1]),
      let invalidated = arguments[2].texts
    else { return propertiesChanged(of: path, nil) }
    propertiesChanged(of: path, PropertyChanges(interface: interface, values: values, invalidated: invalidated))
  }
}
