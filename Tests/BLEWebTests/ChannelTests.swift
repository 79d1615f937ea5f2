import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("L2CAP channels in the explorer", .timeLimit(.minutes(10)))
struct ChannelTests {
  /// A device that publishes a channel, the explorer connected to it, and the channel open on both sides.
  private struct Opened {
    let scene: ExplorerScene
    let device: String
    let psm: Int
    let far: CBL2CAPChannel

    var channel: String { "\(device)/channels/1" }
  }

  private static func published(encrypted: Bool = false) async throws -> (ExplorerScene, device: String, psm: Int) {
    let number = CBMutableCharacteristic(CBUUIDL2CAPPSMCharacteristicString, [.read])
    let scene = await ExplorerScene(services: [CBMutableService("FF10", [number])])
    scene.peripheral.manager.publishL2CAPChannel(withEncryption: encrypted)
    try await scene.world.wait(within: .seconds(10)) { !scene.peripheral.multiplexers.isEmpty }
    let psm = try #require(scene.peripheral.multiplexers.first)
    scene.peripheral.values[number.uuid] = Data([UInt8(psm & 0xFF), UInt8(psm >> 8)])
    return (scene, "devices/\(try await scene.connect())", Int(psm))
  }

  private static func opened() async throws -> Opened {
    let (scene, device, psm) = try await published()
    let answer = try await scene.ask("POST", "\(device)/channels", #"{"psm":\#(psm)}"#)
    #expect(answer.status == 200 && answer["psm"] as? Int == psm && answer["open"] as? Bool == true, "\(answer)")
    try await scene.world.wait(within: .seconds(10)) { !scene.peripheral.channels.isEmpty }
    let far = try #require(scene.peripheral.channels.first)
    for stream in far.streams { stream.open() }
    return Opened(scene: scene, device: device, psm: psm, far: far)
  }

  @Test("I15.1 a channel is opened by its PSM, or by what the device says of it; octets pass both ways and are kept")
  func bothWays() async throws {
    let one = try await Self.opened()
    let sent = try await one.scene.ask("POST", "\(one.channel)/send", #"{"value":"hello","format":"utf8"}"#)
    #expect(sent.status == 200 && sent["sent"] as? Int == 5 && sent["waiting"] as? Int == 0, "\(sent)")
    await one.scene.world.advance(by: .seconds(1))
    #expect(one.far.inputStream.readAvailable() == Array("hello".utf8))
    #expect(one.far.outputStream.writeAvailable(Array("thanks".utf8)) == 6)
    let got = try await one.scene.eventually(one.channel) { $0["received"] as? Int == 6 }
    #expect(got["pieces", 0, "way"] as? String == "sent" && got["pieces", 1, "way"] as? String == "received")
    #expect(got["pieces", 1, "value", "utf8"] as? String == "thanks" && got["pieces", 1, "number"] as? Int == 2)
    let other = try await one.scene.ask("POST", "\(one.device)/channels", "{}")
    #expect(other["channel"] as? Int == 2 && other["psm"] as? Int == one.psm, "\(other)")
    let closed = try await one.scene.ask("DELETE", one.channel)
    #expect(closed["open"] as? Bool == false && closed["reason"] as? String == "closed here", "\(closed)")
    let late = try await one.scene.ask("POST", "\(one.channel)/send", #"{"value":"00"}"#)
    #expect(late.status == 409, "\(late)")
    let all = try await one.scene.ask("GET", "\(one.device)/channels")
    #expect(all["channels", 0, "open"] as? Bool == false && all["channels", 1, "open"] as? Bool == true)
  }

  @Test("I15.1 a device that floods a channel is stopped by credits: what is kept and what is under way are bounded")
  func flood() async throws {
    let one = try await Self.opened()
    #expect(try await one.scene.ask("PUT", one.channel, #"{"paused":true}"#)["paused"] as? Bool == true)
    let octets = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    var written = 0
    func pour(_ seconds: Int) async {
      for _ in 0..<seconds * 20 {
        written += one.far.outputStream.writeAvailable(octets[written...])
        await one.scene.world.advance(by: .milliseconds(50))
      }
    }
    await pour(10)
    let before = (try await one.scene.ask("GET", one.channel))["received"] as? Int
    // What this side grants, and what may wait on the other side.
    #expect(written <= 2 * (64 << 10), "\(written)")
    await pour(5)
    #expect((try await one.scene.ask("GET", one.channel))["received"] as? Int == before)
    _ = try await one.scene.ask("PUT", one.channel, #"{"paused":false}"#)
    let start = one.scene.world.now
    for _ in 0..<600 where written < octets.count { await pour(1) }
    let whole = try await one.scene.eventually(one.channel) { $0["received"] as? Int == octets.count }
    // No faster than browsers are to follow, and not by much slower.
    let seconds = (one.scene.world.now - start) / .seconds(1)
    #expect(seconds >= Double(octets.count) / 131_072 - 1, "\(seconds)")
    let pieces = try #require(whole["pieces"] as? [[String: Any]])
    let kept = pieces.compactMap { ($0["value"] as? [String: Any])?["hex"] as? String }.joined()
    #expect(pieces.count <= 256 && kept.count <= 2 * (64 << 10))
    #expect(Data(octets.suffix(kept.count / 2)).hexadecimal == kept)
  }

  @Test("I15.1 what is sent to a device that reads nothing waits, up to a limit, and arrives whole when it reads")
  func credits() async throws {
    let one = try await Self.opened()
    let piece = (0..<8_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let body = #"{"value":"\#(Data(piece).hexadecimal)"}"#
    var taken = 0
    var refused: ExplorerScene.Answer?
    while taken < 100, refused == nil {
      let answer = try await one.scene.ask("POST", "\(one.channel)/send", body)
      if answer.status == 200 { taken += 1 } else { refused = answer }
    }
    #expect(refused?.status == 409 && taken >= 32, "\(taken) \(String(describing: refused))")
    #expect(try await one.scene.ask("GET", one.channel)["waiting"] as? Int ?? 0 > 200_000)
    var got: [UInt8] = []
    for _ in 0..<2_000 where got.count < taken * piece.count {
      await one.scene.world.advance(by: .milliseconds(50))
      got += one.far.inputStream.readAvailable()
    }
    #expect(got == Array(repeating: piece, count: taken).flatMap(\.self))
    #expect(try await one.scene.ask("GET", one.channel)["waiting"] as? Int == 0)
  }

  @Test(
    "I15.1 a channel ends with its link, with the device's closing of it, and with the device's session: it says why")
  func ends() async throws {
    let one = try await Self.opened()
    #expect(one.far.outputStream.writeAvailable([1, 2, 3]) == 3)
    for stream in one.far.streams { stream.close() }
    let closed = try await one.scene.eventually(one.channel) { $0["open"] as? Bool == false }
    #expect(closed["reason"] as? String == "the device has closed it" && closed["received"] as? Int == 3, "\(closed)")
    _ = try await one.scene.ask("POST", "\(one.device)/channels", "{}")
    one.scene.other.cutPower()
    let lost = try await one.scene.eventually("\(one.device)/channels/2") { $0["open"] as? Bool == false }
    #expect((lost["reason"] as? String)?.contains("the device has closed it") == false, "\(lost)")
    let gone = try await one.scene.ask("GET", "\(one.device)/channels/3")
    #expect(gone.status == 404, "\(gone)")
  }

  @Test("I15.1 a channel that needs encryption is opened after a pairing that a browser agrees to")
  func encrypted() async throws {
    let (scene, device, psm) = try await Self.published(encrypted: true)
    let opening = scene.begin("POST", "\(device)/channels", #"{"psm":\#(psm)}"#)
    let asked = try await scene.eventually("pairings") { ($0["pairings"] as? [Any])?.isEmpty == false }
    let number = try #require(asked["pairings", 0, "number"] as? Int)
    _ = try await scene.ask("POST", "pairings/\(number)", #"{"accept":true}"#)
    let opened = try await scene.end(opening)
    #expect(opened.status == 200 && opened["open"] as? Bool == true, "\(opened)")
  }

  @Test("I15.1 a PSM that the device does not have is an error of the device, and so many channels are open at most")
  func limits() async throws {
    let one = try await Self.opened()
    let other = try await one.scene.ask("POST", "\(one.device)/channels", #"{"psm":\#(one.psm == 200 ? 201 : 200)}"#)
    #expect(other.status == 424, "\(other)")
    for _ in 0..<7 { #expect(try await one.scene.ask("POST", "\(one.device)/channels", "{}").status == 200) }
    #expect(try await one.scene.ask("POST", "\(one.device)/channels", "{}").status == 409)
    for body in [#"{"psm":0}"#, #"{"psm":256}"#, #"{"psm":"x"}"#, "[]"] {
      #expect(try await one.scene.ask("POST", "\(one.device)/channels", body).status == 400)
    }
  }
}
