import BLEDeviceFiles
import BLEReports
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Clones of connected devices", .timeLimit(.minutes(10)))
struct ConnectedCloneTests {
  @Test("I15.1 a connected device becomes a device file with its attributes and values, which is served as that device")
  func clone() async throws {
    let scene = await ExplorerScene(advertises: [CBUUID(string: "180F")])
    let identifier = try await scene.connect()
    _ = try await scene.ask("POST", "devices/\(identifier)/read", #"{"characteristic":"2A19"}"#)
    let first = try await scene.ask("POST", "devices/\(identifier)/clone", #"{"file":"copy"}"#)
    #expect(first.status == 200 && first["characteristics"] as? Int == 3 && first["values"] as? Int == 1, "\(first)")
    #expect((first["notes", 0] as? String)?.contains("2 of 3") == true, "\(first)")
    let whole = scene.begin("POST", "devices/\(identifier)/clone", #"{"file":"copy","read":true}"#)
    // One of them wants a pairing, which is refused: it has no value then.
    let asked = try await scene.eventually("pairings") { ($0["pairings"] as? [Any])?.isEmpty == false }
    let number = try #require(asked["pairings", 0, "number"] as? Int)
    _ = try await scene.ask("POST", "pairings/\(number)", #"{"accept":false}"#)
    let made = try await scene.end(whole)
    #expect(made["values"] as? Int == 2 && made.text.contains("FF31 could not be read"), "\(made)")
    let description = try DeviceDescription(text: try #require(made["text"] as? String), file: "copy")
    #expect(description.name == "Owenli" && description.recording?.attributes.count ?? 0 >= 9)
    #expect(description.recognition.names == ["Owenli"])
    _ = try await scene.ask("POST", "devices/\(identifier)/disconnect", "{}")
    _ = try await scene.ask("PUT", "scan", #"{"on":false}"#)
    scene.other.cutPower()
    #expect(try await scene.askStill("PUT", "serving", #"{"device_file":"copy"}"#).status == 200)
    try await scene.served { $0["advertising"] as? Bool == true }
    let session = Central(options: scene.world.makeDevice("third").options, clock: scene.world.clock)
      .session(with: .first(.names(["Owenli"])))
    try await scene.world.perform { try await session.connect() }
    let services = await session.services()
    #expect(services.map(\.uuid) == [CBUUID(string: "FFF0"), CBUUID(string: "180F")])
    #expect(services.flatMap(\.characteristics).map(\.properties.rawValue) == [0x0E, 0x02, 0x12])
    let level = try await scene.world.perform { try await session.read(CharacteristicPath("2A19", in: "180F")) }
    let name = try await scene.world.perform { try await session.read(CharacteristicPath("FFF2", in: "FFF0")) }
    #expect(level == Data([87]) && name == Data("owenli".utf8))
    try await scene.world.perform {
      try await session.write(Data("new".utf8), to: CharacteristicPath("FFF2", in: "FFF0"))
    }
    let written = try await scene.world.perform { try await session.read(CharacteristicPath("FFF2", in: "FFF0")) }
    #expect(written == Data("new".utf8))
  }

  @Test(
    "I15.1 a clone's name that has no room is told as a shortened one, which ends between two characters",
    arguments: [
      (String(repeating: "x", count: 26), 0, 0x09, 26), (String(repeating: "x", count: 29), 1, 0x09, 29),
      (String(repeating: "x", count: 30), 1, 0x08, 29), (String(repeating: "é", count: 20), 1, 0x08, 28),
      (String(repeating: "温", count: 11), 1, 0x08, 27), (String(repeating: "🔋", count: 8), 1, 0x08, 28),
    ])
  func longNames(_ name: String, place: Int, type: UInt8, length: Int) throws {
    let sighting = Sighting(
      identifier: UUID(), address: nil, name: name, rssi: nil, isConnectable: true, services: [], solicitedServices: [],
      overflowServices: [], manufacturerData: nil, serviceData: [], txPower: nil)
    let advertisements = OpenDevice.advertisements(sighting)
    #expect(advertisements.count == place + 1 && advertisements.allSatisfy { $0.data.count <= 31 })
    let data = try Array(#require(advertisements.last).data.dropFirst(place == 0 ? 3 : 0))
    #expect(data.prefix(2) == [UInt8(length + 1), type] && data.count == length + 2)
    #expect(name.hasPrefix(try #require(String(validating: data.dropFirst(2), as: UTF8.self))))
  }

  @Test("I15.1 what is not connected, and a name that cannot be kept, make no clone")
  func refusals() async throws {
    let scene = await ExplorerScene()
    let identifier = try await scene.find()
    #expect(try await scene.ask("POST", "devices/\(identifier)/clone", #"{"file":"copy"}"#).status == 409)
    _ = try await scene.ask("POST", "devices/\(identifier)/connect", "{}")
    try await scene.eventually("devices/\(identifier)") { $0["state"] as? String == "ready" }
    for (body, status) in [(#"{"file":"../x"}"#, 400), (#"{"file":"lock"}"#, 409), ("{}", 400), (#"{"file":1}"#, 400)] {
      #expect(try await scene.ask("POST", "devices/\(identifier)/clone", body).status == status, "\(body)")
    }
  }
}
