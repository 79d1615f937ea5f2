import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Measuring the throughput of a channel", .timeLimit(.minutes(10)))
struct ChannelThroughputTests {
  /// A device whose channel the explorer has opened.
  private static func opened() async throws -> (ExplorerScene, String, CBL2CAPChannel) {
    let scene = await ExplorerScene(services: [CBMutableService("FF10", [])])
    scene.peripheral.manager.publishL2CAPChannel(withEncryption: false)
    try await scene.world.wait(within: .seconds(10)) { !scene.peripheral.multiplexers.isEmpty }
    let psm = try #require(scene.peripheral.multiplexers.first)
    let device = "devices/\(try await scene.connect())"
    #expect(try await scene.ask("POST", "\(device)/channels", #"{"psm":\#(psm)}"#).status == 200)
    try await scene.world.wait(within: .seconds(10)) { !scene.peripheral.channels.isEmpty }
    let far = try #require(scene.peripheral.channels.first)
    for stream in far.streams { stream.open() }
    return (scene, "\(device)/channels/1", far)
  }

  @Test("I15.1 a channel is measured both ways with a device that sends back what comes, and its octets are not kept")
  func echo() async throws {
    let (scene, channel, far) = try await Self.opened()
    let start = scene.world.now
    let begun = try await scene.ask("POST", "\(channel)/throughput", #"{"octets":200000}"#)
    #expect(begun.status == 200 && begun["throughput", "state"] as? String == "running", "\(begun)")
    #expect(try await scene.ask("POST", "\(channel)/throughput", "{}").status == 409)
    #expect(try await scene.ask("POST", "\(channel)/send", #"{"value":"00"}"#).status == 409)
    var (pending, echoed): ([UInt8], Int) = ([], 0)
    for _ in 0..<20_000 where echoed < 200_000 {
      await scene.world.advance(by: .milliseconds(10))
      pending += far.inputStream.readAvailable()
      let count = far.outputStream.writeAvailable(pending)
      pending.removeFirst(count)
      echoed += count
    }
    let done = try await scene.eventually(channel) { $0["throughput", "state"] as? String == "done" }
    #expect(
      done["throughput", "sent"] as? Int == 200_000 && done["throughput", "received"] as? Int == 200_000, "\(done)")
    let passed = (scene.world.now - start) / .seconds(1)
    for way in ["sent", "received"] {
      let rate = try #require(done["throughput", "\(way)_octets_per_second"] as? Double)
      // What is on this side when the last was taken is left out: no rate is above what the link has carried.
      #expect(rate > 200_000 / passed / 3 && rate < 400_000, "\(way): \(rate) in \(passed)")
    }
    #expect((done["pieces"] as? [Any])?.isEmpty == true && done["received"] as? Int == 200_000)
    #expect(far.outputStream.writeAvailable([1, 2]) == 2)
    try await scene.eventually(channel) { ($0["pieces"] as? [Any])?.count == 1 }
  }

  @Test("I15.1 a measurement ends where the device sends nothing back, is cancelled, and gives up without credits")
  func ends() async throws {
    let (scene, channel, far) = try await Self.opened()
    _ = try await scene.ask("POST", "\(channel)/throughput", #"{"octets":70000}"#)
    var read = 0
    for _ in 0..<2_000 where read < 70_000 {
      await scene.world.advance(by: .milliseconds(10))
      read += far.inputStream.readAvailable().count
    }
    let silent = try await scene.eventually(channel) { $0["throughput", "state"] as? String == "done" }
    #expect(silent["throughput", "received"] as? Int == 0 && read == 70_000, "\(silent)")
    #expect(silent["throughput", "received_octets_per_second"] is NSNull)
    _ = try await scene.ask("POST", "\(channel)/throughput", #"{"octets":16777216}"#)
    let stalled = try await scene.eventually(channel) { $0["throughput", "state"] as? String != "running" }
    #expect(stalled["throughput", "state"] as? String == "failed", "\(stalled)")
    #expect((stalled["throughput", "message"] as? String)?.contains("no credits") == true)
    #expect(try await scene.ask("DELETE", "\(channel)/throughput", "{}").status == 409)
    _ = try await scene.ask("POST", "\(channel)/throughput", "{}")
    let cancelled = try await scene.ask("DELETE", "\(channel)/throughput", "{}")
    #expect(cancelled["throughput", "state"] as? String == "cancelled", "\(cancelled)")
    _ = try await scene.ask("POST", "\(channel)/throughput", "{}")
    scene.other.cutPower()
    let lost = try await scene.eventually(channel) { $0["open"] as? Bool == false }
    #expect(lost["throughput", "state"] as? String == "failed", "\(lost)")
    for body in [#"{"octets":0}"#, #"{"octets":16777217}"#, #"{"octets":"1"}"#] {
      #expect(try await scene.ask("POST", "\(channel)/throughput", body).status == 400, "\(body)")
    }
  }
}
