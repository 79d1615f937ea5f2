import BLEDeviceFiles
import BLETestKit
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Device files in the explorer", .timeLimit(.minutes(10)))
struct DeviceFileTests {
  @Test("I15.1 an open device is verified by its file's handshake; its commands are answered and its state is kept")
  func commands() async throws {
    let vendor = try await VendorScene("lock")
    try await vendor.attach("lock")
    let file = try await vendor.scene.eventually("\(vendor.path)/device-file") {
      $0["state", "version", "value"] as? Int != nil
    }
    #expect(file["handshake"] as? String == "login" && file["commands", 1, "name"] as? String == "unlock")
    let unlocked = try await vendor.perform("unlock", #"{"pin":"123456","seconds":9}"#)
    #expect(unlocked.status == 200 && unlocked["answer", "bolt", "word"] as? String == "open", "\(unlocked)")
    let state = try await vendor.scene.ask("GET", "\(vendor.path)/device-file")
    #expect(state["state", "seconds", "value"] as? Int == 9 && state["state", "seconds", "unit"] as? String == "s")
    let refused = try await vendor.perform("unlock", #"{"pin":"000000"}"#)
    #expect(refused.status == 424 && refused.text.contains("wrong-pin"), "\(refused)")
    // A value may be a PIN: the log has the names alone.
    let log = try await vendor.scene.ask("GET", "log").text
    #expect(log.contains(#""values":["pin","seconds"]"#) && !log.contains(#""123456""#) && !log.contains(#""000000""#))
  }

  @Test("I15.1 what a device notifies changes its state's fields, with their words and units")
  func notifications() async throws {
    let vendor = try await VendorScene("itag")
    try await vendor.attach("itag")
    let charge = try await vendor.perform("battery")
    #expect(charge["answer", "charge", "value"] as? Int == 87 && charge["answer", "charge", "unit"] as? String == "%")
    for _ in 0..<20 {
      try vendor.device.sendNotification("button")
      await vendor.scene.world.advance(by: .milliseconds(100))
    }
    try await vendor.scene.eventually("\(vendor.path)/device-file") { $0["state", "presses", "value"] as? Int == 1 }
    let removed = try await vendor.scene.ask("DELETE", "\(vendor.path)/device-file")
    #expect(removed.status == 200 && removed["file"] is NSNull)
    try await vendor.scene.eventually(vendor.path) { $0["state"] as? String == "ready" }
    #expect(try await vendor.perform("battery").status == 409)
  }

  @Test("I15.1 mistakes in a command's values are answered all at once, each with its field")
  func mistakes() async throws {
    let vendor = try await VendorScene("lock")
    try await vendor.attach("lock")
    let wrong = try await vendor.perform("unlock", #"{"seconds":"61","colour":"red"}"#)
    let fields = (wrong["error", "fields"] as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    #expect(wrong.status == 400 && fields == ["colour", "seconds", "pin"], "\(wrong)")
    #expect((wrong["error", "fields", 1, "message"] as? String)?.contains("1 to 60") == true)
    let unknown = try await vendor.perform("unlok")
    #expect(unknown.status == 404 && unknown.text.contains("Did you mean 'unlock'?"), "\(unknown)")
    for values in [#""text""#, #"{"pin":true}"#, #"{"pin":["1"]}"#] {
      #expect(try await vendor.perform("unlock", values).status == 400, "\(values)")
    }
  }

  @Test("I15.1 a device that is not the file's does not pass the handshake, and its session says so")
  func impostor() async throws {
    let vendor = try await VendorScene("itag")
    _ = try await vendor.scene.ask("POST", "\(vendor.path)/device-file", #"{"file":"lock"}"#)
    let answer = try await vendor.scene.eventually(vendor.path) { $0["reason"] is String }
    #expect(answer["state"] as? String != "ready", "\(answer)")
  }

  @Test("I15.1 all mistakes of a device file are answered with line and column, and what is kept is bounded")
  func files() async throws {
    let scene = await ExplorerScene()
    let bad = try await scene.put(
      "bad", "{\n \"format\": \"ble-device/2\",\n \"name\": 5, \"match\": {},\n \"colour\": 1}")
    let places = (bad["error", "mistakes"] as? [[String: Any]] ?? []).compactMap { $0["line"] as? Int }
    #expect(bad.status == 400 && places == places.sorted() && Set(places).isSuperset(of: [2, 3, 4]), "\(bad)")
    let text = try #require(DeviceFileShelf.builtIn.first { $0.name == "itag" }).text
    #expect(try await scene.put("mine", text).status == 200)
    let kept = try await scene.ask("GET", "device-files/mine")
    #expect(kept["text"] as? String == text && kept["built_in"] as? Bool == false)
    #expect(try await scene.put("itag", text).status == 409)
    for name in [".hidden", "a b", "ä", String(repeating: "a", count: 65)] {
      #expect(try await scene.put(name, text).status == 400, "\(name)")
    }
    for number in 1..<DeviceFileShelf.most { #expect(try await scene.put("file-\(number)", text).status == 200) }
    #expect(try await scene.put("one-more", text).status == 409)
    #expect(try await scene.ask("DELETE", "device-files/file-1").status == 200)
    #expect(try await scene.ask("DELETE", "device-files/itag").status == 409)
    #expect(try await scene.ask("DELETE", "device-files/nothing").status == 404)
    #expect(try await scene.put("long", text + String(repeating: " ", count: DeviceFileShelf.longest)).status == 400)
  }

  @Test("I15.1 the program's own device files have no mistakes, and simulate what they describe")
  func ownFiles() {
    #expect(DeviceFileShelf.builtIn.map(\.name) == ["itag", "lamp", "lock", "owenli", "smart-band"])
    for file in DeviceFileShelf.builtIn { #expect(file.description.simulation != nil, "\(file.name)") }
  }
}

extension ExplorerScene {
  /// Puts a device file.
  func put(_ name: String, _ text: String) async throws -> Answer {
    let body = try JSONSerialization.data(withJSONObject: ["text": text])
    return try await ask("PUT", "device-files/\(name)", String(decoding: body, as: UTF8.self))
  }
}
