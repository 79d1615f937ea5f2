import BLEReports
import BLESession
import CoreBluetooth
import Foundation

extension OpenDevice {
  /// The descriptors of a characteristic with their values. One that the device refuses has an error in place of a value.
  func descriptors(of path: CharacteristicPath) async throws(SessionError) -> JSONValue {
    var found: [JSONValue] = []
    let descriptors = try await measured(.descriptors) { () async throws(SessionError) in
      try await session.descriptors(of: path)
    }
    for descriptor in descriptors {
      let uuid = descriptor.uuid.uuidString
      do {
        let value = try await session.read(descriptor)
        found.append(Self.json(uuid, value: value.json, error: .null))
      } catch {
        guard error.code == .refused else { throw error }
        found.append(Self.json(uuid, value: .null, error: .string(error.description)))
      }
    }
    return ["descriptors": .array(found)]
  }

  private static func json(_ uuid: String, value: JSONValue, error: JSONValue) -> JSONValue {
    [
      "uuid": .string(uuid), "name": .string(orNull: AssignedNames.name(descriptor: uuid)), "value": value,
      "error": error,
    ]
  }

  /// The strength in dBm, and the longest values of writes in octets; `null` without a link: it may end while it is measured.
  func signal() async -> JSONValue {
    do throws(SessionError) {
      let rssi = try await measured(.signal) { () async throws(SessionError) in try await session.readRSSI() }
      return [
        "rssi": .integer(rssi), "longest_write": .integer(await session.maximumWriteLength(withResponse: true)),
        "longest_write_without_response": .integer(await session.maximumWriteLength(withResponse: false)),
      ]
    } catch {
      return Self.noSignal
    }
  }

  static let noSignal: JSONValue = ["rssi": .null, "longest_write": .null, "longest_write_without_response": .null]
}
