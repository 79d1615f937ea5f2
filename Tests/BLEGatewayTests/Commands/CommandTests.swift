import BLEDeviceFiles
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("Commands over the broker", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct CommandTests {
  private let scene: GatewayScene
  private let sender: Subscriber

  init() async throws {
    scene = try GatewayScene(TestBroker())
    sender = Subscriber(scene.broker.port, "ble/attic/device/+/answer", "ble/attic/reply/#")
    try #require(await sender.connected())
    // The broker's time is real: the world's follows it.
    scene.world.pace = .realTime(speed: 4)
  }

  private static let writes =
    #""devices": [{"name": "desk", "match": {"names": ["counter"]}, "commands": {"write": ["FFF0/FFF2"]}}]"#
  private static let topic = "ble/attic/device/desk/command"

  /// A peripheral whose FFF2 can be written, and FFF3 too, which no configuration allows.
  private func counter(on device: Device) -> PeripheralApp {
    let service = CBMutableService(
      "FFF0",
      [
        CBMutableCharacteristic("FFF1", [.notify]), CBMutableCharacteristic("FFF2", [.write], .writeable),
        CBMutableCharacteristic("FFF3", [.write], .writeable),
      ])
    return PeripheralApp("counter", on: device, services: [service])
  }

  private func deadline(_ seconds: Double) -> String {
    GatewayScene.beginning.addingTimeInterval(scene.world.now.seconds + seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private func answers(_ count: Int) async throws -> [[String: Any]] {
    try await scene.until { sender.messages.count >= count }
    return sender.messages.map(\.object)
  }

  private func written(_ app: PeripheralApp) -> [String] {
    app.batches.flatMap { $0 }.compactMap(\.value).map { String(decoding: $0, as: UTF8.self) }
  }

  private func started() async throws -> PeripheralApp {
    let counter = counter(on: scene.world.makeDevice("other"))
    _ = try await scene.start(try scene.configuration(Self.writes), on: scene.world.makeDevice("phone"))
    try await scene.until({ counter.subscribers.count == 1 }, saying: { "\(counter.told) \(scene.world)" })
    return counter
  }

  private func write(
    _ id: String, _ text: String, to characteristic: String = "FFF2", seconds: Double = 60, more: String = ""
  ) -> String {
    #"{"id":"\#(id)","write":"FFF0/\#(characteristic)","value":{"utf8":"\#(text)"},"deadline":"\#(deadline(seconds))"\#(more)}"#
  }

  @Test(
    "I17.2 a write is done once, its second copy gets the first answer, and what is late, kept or not allowed is not done"
  )
  func writes() async throws {
    let counter = try await started()
    sender.publish(Self.topic, write("1", "on", more: #","reply":"ble/attic/reply/me""#))
    let first = try await answers(1)
    #expect(
      first[0]["outcome"] as? String == "done" && first[0]["id"] as? String == "1"
        && sender.messages[0].topic == "ble/attic/reply/me")
    sender.publish(Self.topic, write("1", "on", more: #","reply":"ble/attic/reply/me""#))
    let second = try await answers(2)
    #expect(second[1]["time"] as? String == first[0]["time"] as? String && second[1]["outcome"] as? String == "done")
    #expect(second[1]["key"] as? String != first[0]["key"] as? String)
    sender.publish(Self.topic, write("2", "late", seconds: -1))
    #expect(try await answers(3)[2]["outcome"] as? String == "expired")
    sender.publish(Self.topic, write("3", "other", to: "FFF3"))
    #expect(try await answers(4)[3]["outcome"] as? String == "not-allowed")
    sender.publish(Self.topic, write("4", "elsewhere", more: #","reply":"ble/cellar/device/lock/command""#))
    let elsewhere = try await answers(5)
    #expect(
      elsewhere[4]["outcome"] as? String == "not-allowed" && sender.messages[4].topic == "ble/attic/device/desk/answer")
    sender.publish(Self.topic, #"{"id":"5","write":"FFF0/FFF2","value":{"utf8":"x"}}"#)
    #expect(try await answers(6)[5]["outcome"] as? String == "invalid")
    sender.publish(Self.topic, write("6", "kept"), isRetained: true)
    sender.publish(Self.topic, #"{"key":"attic/1/1","event":"answer","id":"1"}"#)
    _ = try await answers(7)
    counter.judge = { _ in .writeNotPermitted }
    sender.publish(Self.topic, write("7", "no"))
    let refused = try await answers(8)
    // A message that is retained and arrives while its receiver is subscribed is an ordinary one.
    #expect(refused[6]["id"] as? String == "6" && refused[6]["outcome"] as? String == "done")
    #expect(refused[7]["outcome"] as? String == "refused" && refused[7]["att_error"] as? Int == 3)
    #expect(written(counter) == ["on", "kept", "no"])
    try await scene.stop()
  }

  @Test(
    "I17.2 a command that the broker has kept is not done by a gateway that comes, and one that was under way is not repeated"
  )
  func restarts() async throws {
    sender.publish(Self.topic, write("1", "kept"), isRetained: true)
    let configuration = try scene.configuration(Self.writes)
    // What a process leaves that dies while it writes.
    let outbox = try Outbox(
      configuration.outbox, gateway: "attic", lossDraft: { _ in OutboxDraft(.loss, topic: "x", payload: "{}") })
    let order = CommandLedger.Order(
      identifier: "2", device: "desk", deadline: GatewayScene.beginning.addingTimeInterval(60),
      reply: "ble/attic/reply/me", correlation: nil)
    #expect(try CommandLedger(outbox: outbox).take(order, now: GatewayScene.beginning))
    await outbox.close()
    let counter = try await started()
    let answers = try await answers(1)
    #expect(answers[0]["id"] as? String == "2" && answers[0]["outcome"] as? String == "unknown")
    sender.publish(Self.topic, write("2", "again"))
    #expect(try await self.answers(2)[1]["outcome"] as? String == "unknown")
    #expect(written(counter).isEmpty)
    try await scene.stop()
  }

  @Test("I17.2 a device that is away until the deadline leaves a command undone, and one that comes in time does it")
  func awayDevice() async throws {
    let device = scene.world.makeDevice("other")
    let counter = counter(on: device)
    device.moveAway()
    _ = try await scene.start(try scene.configuration(Self.writes), on: scene.world.makeDevice("phone"))
    sender.publish(Self.topic, write("1", "missed", seconds: 3))
    #expect(try await answers(1)[0]["outcome"] as? String == "expired")
    sender.publish(Self.topic, write("2", "done", seconds: 300))
    await scene.world.advance(by: .seconds(1))
    device.comeBack()
    #expect(try await answers(2)[1]["outcome"] as? String == "done")
    #expect(written(counter) == ["done"])
    try await scene.stop()
  }

  @Test("I17.2 the answer to a device file's command has the device's fields, and its notification is a value")
  func deviceFile() async throws {
    let file = Self.devices.appendingPathComponent("lock.json")
    let description = try DeviceDescription(contentsOf: file)
    let (other, phone) = (scene.world.makeDevice("other"), scene.world.makeDevice("phone"))
    let lock = try BLEDeviceFiles.SimulatedDevice(description, options: other.options, clock: scene.world.clock)
    other.setManufacturerData(description.simulation?.manufacturerData.map { Array($0) })
    try await scene.world.perform { try await lock.start() }
    let listener = Subscriber(scene.broker.port, "ble/attic/device/door/value/#")
    let configuration = try scene.configuration(
      #""devices": [{"name": "door", "device_file": "\#(file.path)", "commands": {"names": ["unlock"]}}]"#)
    _ = try await scene.start(configuration, on: phone)
    let topic = "ble/attic/device/door/command"
    func unlock(_ id: String, _ pin: String) -> String {
      #"{"id":"\#(id)","command":"unlock","values":{"pin":"\#(pin)"},"deadline":"\#(deadline(60))"}"#
    }
    sender.publish(topic, unlock("1", "123456"))
    let answer = try await answers(1)[0]
    #expect(answer["outcome"] as? String == "done", "\(answer)")
    let fields = try #require(answer["answer"] as? [String: [String: Any]])
    #expect(fields["bolt"]?["word"] as? String == "open" && fields["seconds"]?["unit"] as? String == "s")
    sender.publish(topic, unlock("2", "000000"))
    let refusal = try await answers(2)[1]
    #expect(
      refusal["outcome"] as? String == "refused" && (refusal["message"] as? String)?.contains("wrong-pin") == true)
    sender.publish(topic, #"{"id":"3","command":"set-pin","values":{},"deadline":"\#(deadline(60))"}"#)
    #expect(try await answers(3)[2]["outcome"] as? String == "not-allowed")
    try await scene.until { !listener.messages.isEmpty }
    let said = try #require(listener.messages.first)
    #expect(said.topic == "ble/attic/device/door/value/bolt-moved" && said.object["event"] as? String == "notification")
    try await scene.stop()
  }

  private static let devices = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Devices")

  @Test("I17.2 a flood of commands is answered within the outbox's limits, and leaves values in it")
  func flood() async throws {
    let counter = try await started()
    let gateway = try #require(scene.gateway)
    for number in 0..<2_000 {
      sender.publish(Self.topic, #"{"id":"\#(number)","command":"none","deadline":"\#(deadline(60))"}"#)
    }
    counter.push(Data("1".utf8), "FFF1")
    let values = Subscriber(scene.broker.port, "ble/attic/device/desk/value/#")
    try await scene.until { values.messages.count == 1 && sender.messages.count >= 2_000 }
    try await scene.until { gateway.outbox.contents.rows == 0 }
    #expect(gateway.outbox.contents.losses.total == 0)
    try await scene.stop()
  }
}
