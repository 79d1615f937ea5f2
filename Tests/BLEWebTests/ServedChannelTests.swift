import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("The channel of a published profile", .timeLimit(.minutes(10)))
struct ServedChannelTests {
  private static let profile = """
    {"name": "Mine", "channel": {}, "services": [{"uuid": "FFF0", "characteristics": [
      {"uuid": "ABDD3056-28FA-441D-A470-55A75A52553A", "properties": ["read"]}]}]}
    """

  /// The explorer with a published channel, and the other device with that channel open.
  private static func opened(_ text: String = profile) async throws -> (
    ExplorerScene, DeviceSession, CBL2CAPChannel, Int
  ) {
    let scene = await ExplorerScene()
    let body = String(
      decoding: try JSONSerialization.data(withJSONObject: ["file": text]), as: UTF8.self)
    #expect(try await scene.askStill("PUT", "serving", body).status == 200)
    let served = try await scene.served { $0["advertising"] as? Bool == true && $0["psm"] is Int }
    let psm = try #require(served["psm"] as? Int)
    let session = Central(options: scene.other.options, clock: scene.world.clock)
      .session(with: .first(.names(["Mine"])))
    try await scene.world.perform { try await session.connect() }
    let path = CharacteristicPath(CBUUIDL2CAPPSMCharacteristicString, in: "FFF0")
    let number = try await scene.world.perform { try await session.read(path) }
    #expect(number == Data([UInt8(psm), 0]))
    let opened = try await scene.world.perform { try await session.openedChannel(CBL2CAPPSM(psm)) }
    for stream in opened.channel.streams { stream.open() }
    return (scene, session, opened.channel, psm)
  }

  @Test(
    "I15.1 who has opened the channel of a published profile is shown, what comes is kept, and octets are sent to it")
  func bothWays() async throws {
    let (scene, session, far, psm) = try await Self.opened()
    let opened = try await scene.ask("GET", "serving/channels")
    #expect(opened["channels", 0, "psm"] as? Int == psm && opened["channels", 0, "open"] as? Bool == true, "\(opened)")
    let peer = try #require(opened["channels", 0, "peer"] as? String)
    #expect(UUID(uuidString: peer) != nil)
    #expect(far.outputStream.writeAvailable(Array("hello".utf8)) == 5)
    let got = try await scene.eventually("serving/channels/1") { $0["received"] as? Int == 5 }
    #expect(got["pieces", 0, "value", "utf8"] as? String == "hello")
    #expect(try await scene.ask("POST", "serving/channels/1/send", #"{"value":"c0ffee"}"#).status == 200)
    await scene.world.advance(by: .seconds(1))
    #expect(far.inputStream.readAvailable() == [0xC0, 0xFF, 0xEE])
    #expect(try await scene.ask("GET", "serving/channels/2").status == 404)
    _ = try await scene.askStill("DELETE", "serving", "{}")
    let ended = try await scene.eventually("serving/channels/1") { $0["open"] as? Bool == false }
    #expect((ended["reason"] as? String)?.contains("not published any more") == true, "\(ended)")
    // Without its session the far side's link would end.
    withExtendedLifetime(session) {}
  }

  @Test("I15.1 mistakes in a profile's channel are answered with their place")
  func mistakes() async throws {
    let scene = await ExplorerScene()
    for (channel, reason) in [
      ("1", "expected an object for a channel"), (#"{"encryption": 1}"#, "true or false"),
      (#"{"psm": 192}"#, "has no \\\"psm\\\""),
    ] {
      let text = Self.profile.replacing("\"channel\": {}", with: "\"channel\": \(channel)")
      let body = String(decoding: try JSONSerialization.data(withJSONObject: ["file": text]), as: UTF8.self)
      let answer = try await scene.askStill("PUT", "serving", body)
      #expect(answer.status == 400 && answer.text.contains(reason), "\(answer)")
    }
  }
}
