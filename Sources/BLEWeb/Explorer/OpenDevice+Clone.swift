import BLEClone
import BLEDeviceFiles
import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// A clone of a connected device.
struct ConnectedClone: Sendable {
  let description: DeviceDescription
  /// Its characteristics, and how many of them have a value.
  let characteristics: Int
  let values: Int
  /// Why values are missing.
  let notes: [String]
}

extension OpenDevice {
  /// Of attributes (Core, Vol 3 Part F 3.2.2).
  private static let handles = 1...0xFFFF

  /// What was discovered of the device, with the last values of its characteristics, as a recording that can be played.
  /// - Parameters:
  ///   - sighting: what it advertised last; `nil` where it was not heard.
  ///   - isRead: whether what has no value yet is read now.
  /// - Throws: `notConnected` without a link: what was discovered is known only while there is one.
  func clone(_ sighting: Sighting?, isRead: Bool) async throws(SessionError) -> ConnectedClone {
    guard isReady, !services.isEmpty else {
      throw SessionError(.notConnected, "there is no connection to the device with its services: connect it first")
    }
    var notes: [String] = []
    if isRead { notes = await readMissing() }
    var recording = RecordedDevice()
    recording.advertisements = sighting.map(Self.advertisements) ?? []
    var table = CloneTable()
    for service in services {
      table.begin()
      for one in service.characteristics { table.add(one, values.last(of: one.path)) }
      table.end(service)
    }
    guard table.attributes.count <= Self.handles.count else {
      throw SessionError(.invalid, "the device has more attributes than a device can have handles")
    }
    let characteristics = services.reduce(0) { $0 + $1.characteristics.count }
    recording.attributes = table.attributes
    if table.values < characteristics {
      notes.append(
        "\(characteristics - table.values) of \(characteristics) characteristics have no value: they were neither read nor notified"
      )
    }
    recording.notes = notes
    return ConnectedClone(
      description: DeviceDescription(
        name: sighting?.name ?? name ?? "a device",
        summary: "Made by ble web of a connected device: its attributes, and the values that were known.",
        recording: recording), characteristics: characteristics, values: table.values, notes: notes)
  }

  /// Reads the characteristics that can be read and have no value.
  /// - Returns: a sentence for each that could not be read. After the end of the link there are no more.
  private func readMissing() async -> [String] {
    var notes: [String] = []
    for one in services.flatMap(\.characteristics)
    where one.properties.contains(.read) && values.last(of: one.path) == nil {
      do throws(SessionError) {
        _ = try await read(one.path)
      } catch {
        notes.append("\(one.path) could not be read: \(error.description)")
        if !isReady { break }
      }
    }
    return notes
  }

  /// The advertisement with what a program has learned of it, and the name in the scan response where it has no room there.
  static func advertisements(_ sighting: Sighting) -> [RecordedAdvertisement] {
    RecordedAdvertisement.made(
      name: sighting.name ?? "", services: sighting.services.map { Array(CBUUID(string: $0).data.reversed()) },
      manufacturerData: sighting.manufacturerData ?? [], isConnectable: sighting.isConnectable)
  }
}

/// Attributes with handles of its own, in the order of a device's services.
private struct CloneTable {
  private(set) var attributes: [RecordedAttribute] = []
  private(set) var values = 0
  private var start = 0

  private var next: UInt16 { UInt16(clamping: attributes.count + 1) }

  /// The declaration of a service, whose end is known only when it has ended.
  mutating func begin() {
    start = attributes.count
    attributes.append(RecordedAttribute(handle: next, kind: .value(type: nil)))
  }

  mutating func end(_ service: DiscoveredService) {
    attributes[start].kind = .service(
      service.uuid, end: UInt16(clamping: attributes.count), isPrimary: service.isPrimary)
  }

  mutating func add(_ one: DiscoveredCharacteristic, _ octets: [UInt8]?) {
    let uuid = one.path.characteristic
    // The low octet of Core Bluetooth's properties is the one on the air (Core, Vol 3 Part G 3.3.1.1).
    let properties = UInt8(truncatingIfNeeded: one.properties.rawValue)
    attributes.append(
      RecordedAttribute(
        handle: next, kind: .characteristic(uuid, valueHandle: next &+ 1, properties: properties)))
    var value = RecordedAttribute(handle: next, kind: .value(type: uuid), value: octets.map { .constant(Data($0)) })
    if one.properties.contains(.write) || one.properties.contains(.writeWithoutResponse) {
      value.follows.insert(.written)
    }
    attributes.append(value)
    if octets != nil { values += 1 }
    guard !one.properties.isDisjoint(with: [.notify, .indicate]) else { return }
    attributes.append(
      RecordedAttribute(
        handle: next, kind: .value(type: CBUUID(string: CBUUIDClientCharacteristicConfigurationString)),
        value: .constant(Data([0, 0]))))
  }
}
