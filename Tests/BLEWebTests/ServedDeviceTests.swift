import BLEDeviceFiles
import BLESession
import BLESessionCryptography
import BLETestKit
import Foundation
import Testing

@testable import BLEWeb

@Suite("Device files and clones as a peripheral", .timeLimit(.minutes(10)))
struct ServedDeviceTests {
  @Test("I15.1 a device file is served: its commands are reported, its state is shown, and can be set")
  func serve() async throws {
    let scene = await ExplorerScene()
    let served = try await scene.askStill("PUT", "serving", #"{"device_file":"lock","name":"iLock"}"#)
    #expect(served.status == 200 && served["device", "file"] as? String == "lock", "\(served)")
    try await scene.served { $0["advertising"] as? Bool == true }
    let described = try #require(DeviceFileShelf.builtIn.first { $0.name == "lock" }).description
    let user = Central(options: scene.other.options, clock: scene.world.clock)
    let lock = try DescribedDevice(
      described, in: user, target: .first(.names(["iLock"])), cryptography: SystemCryptography())
    try await scene.world.perform { try await lock.connect() }
    let answer = try await scene.world.perform { try await lock.perform("unlock", ["pin": "123456"]) }
    #expect(answer.first { $0.name == "bolt" }?.word == "open")
    try await scene.served { Self.field("bolt", of: $0)?["word"] as? String == "open" }

    #expect(try await scene.askStill("PUT", "serving/state/bolt", #"{"value":"locked"}"#).status == 200)
    let state = try await scene.world.perform { try await lock.perform("status") }
    #expect(state.first { $0.name == "bolt" }?.word == "locked", "\(state)")
    #expect(try await scene.askStill("PUT", "serving/state/bolt", #"{"value":"ajar"}"#).status == 400)
    #expect(try await scene.askStill("PUT", "serving/state/colour", #"{"value":"red"}"#).status == 400)
    #expect(try await scene.askStill("POST", "serving/notifications/bolt-moved", "{}").status == 200)
    #expect(try await scene.askStill("POST", "serving/notifications/nothing", "{}").status == 400)
    let push = try await scene.askStill("POST", "serving/push", #"{"characteristic":"2A19","value":"01"}"#)
    #expect(push.status == 409 && push.text.contains("by name"), "\(push)")
    #expect(try await scene.askStill("DELETE", "serving", "{}")["serving"] as? Bool == false)
    #expect(try await scene.askStill("PUT", "serving/state/bolt", #"{"value":"open"}"#).status == 409)
  }

  @Test("I15.1 what happens at a served device are events: its commands with their outcome, and accesses")
  func events() async throws {
    let scene = await ExplorerScene()
    let stream = try #require(scene.explorer.hub.stream(after: nil))
    _ = try await scene.askStill("PUT", "serving", #"{"device_file":"itag"}"#)
    try await scene.served { $0["advertising"] as? Bool == true }
    let described = try #require(DeviceFileShelf.builtIn.first { $0.name == "itag" }).description
    let tag = try DescribedDevice(
      described, in: Central(options: scene.other.options, clock: scene.world.clock), target: .first(.names(["iTAG"])))
    try await scene.world.perform { try await tag.connect() }
    _ = try await scene.world.perform { try await tag.perform("alert", ["level": "mild"]) }
    _ = try await scene.world.perform { try await tag.perform("battery") }
    try await scene.served { Self.field("level", of: $0)?["word"] as? String == "mild" }
    try await scene.answer("log") {
      $0.text.contains(#""command":"alert","outcome":"accepted""#) && $0.text.contains(#""access":"read""#)
    }
    withExtendedLifetime(stream) {}
  }

  @Test("I15.1 a capture becomes a clone with the share that it reproduces, is kept as a device file, and is served")
  func clone() async throws {
    let scene = await ExplorerScene()
    let capture = try await scene.recorded()
    let body = #"{"capture":"\#(capture.base64EncodedString())","file":"clone","device":"Owenli"}"#
    let made = try await scene.askStill("POST", "clones", body)
    #expect(made.status == 200 && made["name"] as? String == "Owenli", "\(made.text.prefix(500))")
    #expect(made["share"] as? Double == 1 && made["reproduced"] as? Int ?? 0 > 5, "\(made.text.prefix(500))")
    let description = try DeviceDescription(text: try #require(made["text"] as? String), file: "clone")
    #expect(description.recording != nil)
    let served = try await scene.askStill("PUT", "serving", #"{"device_file":"clone"}"#)
    #expect(served.status == 200 && served["device", "recording"] as? Bool == true, "\(served)")
    try await scene.served { $0["advertising"] as? Bool == true }
    let session = Central(options: scene.world.makeDevice("third").options, clock: scene.world.clock)
      .session(with: .first(.names(["Owenli"])))
    try await scene.world.perform { try await session.connect() }
    let level = try await scene.world.perform { try await session.read(CharacteristicPath("2A19", in: "180F")) }
    #expect(level == Data([87]))
  }

  @Test("I15.1 what is no capture, has no conversation or not the device is refused with its reason")
  func badCaptures() async throws {
    let scene = await ExplorerScene()
    let header = Data(Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA])
    let cases: [(String, String, Int)] = [
      (#"{"capture":"!"}"#, "base64", 400), (#"{"capture":""}"#, "the capture", 400),
      (#"{"capture":"bm8gY2FwdHVyZSBhdCBhbGw="}"#, "the capture", 400),
      (#"{"capture":"\#(header.base64EncodedString())"}"#, "no conversation", 400),
      (#"{"capture":"\#(try await scene.recorded().base64EncodedString())","device":"Nothing"}"#, "Owenli", 404),
    ]
    for (body, reason, status) in cases {
      let answer = try await scene.askStill("POST", "clones", body)
      #expect(answer.status == status && answer.text.contains(reason), "\(body.prefix(80)): \(answer.text.prefix(300))")
    }
    let long = Data(count: CloneWorkshop.longest + 3).base64EncodedString()
    #expect(try await scene.askStill("POST", "clones", #"{"capture":"\#(long)"}"#).status == 400)
  }

  private static func field(_ name: String, of answer: ExplorerScene.Answer) -> [String: Any]? {
    (answer["device", "state"] as? [[String: Any]])?.first { $0["name"] as? String == name }
  }
}

extension ExplorerScene {
  /// The traffic of the phone that reads the other device, as a capture.
  fileprivate func recorded() async throws -> Data {
    let identifier = try await connect()
    _ = try await ask("POST", "devices/\(identifier)/read", #"{"characteristic":"2A19"}"#)
    _ = try await ask("POST", "devices/\(identifier)/read", #"{"characteristic":"FFF2"}"#)
    _ = try await ask("POST", "devices/\(identifier)/disconnect", "{}")
    _ = try await ask("PUT", "scan", #"{"on":false}"#)
    other.cutPower()
    return Data(world.capture)
  }
}
