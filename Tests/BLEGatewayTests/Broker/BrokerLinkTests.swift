import BLESession
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("The link to a broker", .timeLimit(.minutes(10)))
struct BrokerLinkTests {
  private func settings(_ port: UInt16, _ change: (inout BrokerSettings) -> Void = { _ in }) -> BrokerSettings {
    var settings = BrokerSettings(host: "127.0.0.1", port: port)
    change(&settings)
    return settings
  }

  @Test(
    "I17.2 a broker that closes after each number of octets is tried again each time, with pauses that are not shorter than planned"
  )
  func closesAtEachPoint() async throws {
    let connection = HostileBroker.accepted + [0x30, 0x04, 0x00, 0x01, 0x61, 0x00]
    let broker = try HostileBroker { number, client in
      guard number < 100 else {
        client.send(HostileBroker.accepted)
        return client.untilClosed()
      }
      // Before, within and behind the answer to the attempt, and within a message.
      if number % 12 > 0 { _ = client.packet() }
      client.send(Array(connection.prefix(number % 12)))
    }
    let diary = LinkDiary(settings(broker.port) { $0.version = .version5 })
    #expect(await diary.until { _ in broker.clients == 101 && diary.versions.count > 50 })
    await diary.link.stop()
    #expect(diary.reasons.count == 100, "\(diary.reasons.count)")
  }

  @Test("I17.1 a broker without MQTT 5 is spoken to in 3.1.1, whether it says so or closes", arguments: [true, false])
  func olderBroker(says: Bool) async throws {
    let broker = try HostileBroker { _, client in
      guard let connect = client.packet(), connect.body.count > 6 else { return }
      guard connect.body[6] == 4 else { return _ = says ? client.send(HostileBroker.acknowledgement(1)) : true }
      client.send(HostileBroker.acknowledgement(0))
      client.untilClosed()
    }
    let diary = LinkDiary(settings(broker.port))
    #expect(await diary.until { $0.versions == [.version311] }, "\(diary.reasons)")
    #expect(broker.clients == 2)
    await diary.link.stop()
  }

  @Test("I17.4 a refusal of the password is reported without the password")
  func refusedPassword() async throws {
    let broker = try HostileBroker { _, client in
      _ = client.packet()
      client.send([0x20, 0x03, 0x00, 0x86, 0x00])
    }
    let folder = try TemporaryFolder()
    _ = FileManager.default.createFile(
      atPath: folder.path("password"), contents: Data("correct horse".utf8), attributes: [.posixPermissions: 0o600])
    let diary = LinkDiary(
      settings(broker.port) {
        $0.user = "attic"
        $0.password = .file(folder.path("password"))
      })
    #expect(await diary.until { !$0.reasons.isEmpty })
    await diary.link.stop()
    let reason = try #require(diary.reasons.first)
    #expect(reason.contains("refuses this user") && !reason.contains("horse"))
  }

  @Test("I17.2 a message of 200 MB ends the link before it has taken much memory", arguments: MQTTVersion.allCases)
  func oversizedMessage(version: MQTTVersion) async throws {
    let broker = try HostileBroker { number, client in
      _ = client.packet()
      client.send(version == .version5 ? HostileBroker.accepted : HostileBroker.acknowledgement(0))
      guard number == 0 else { return client.untilClosed() }
      // PUBLISH with 200,000,000 octets.
      client.send([0x30, 0x80, 0x84, 0xAF, 0x5F, 0x00, 0x01, 0x61] + (version == .version5 ? [0x00] : []))
      let piece = [UInt8](repeating: 0x78, count: 1 << 20)
      for _ in 0..<190 { if !client.send(piece) { return } }
    }
    let before = Self.residentOctets
    let diary = LinkDiary(settings(broker.port) { $0.version = version })
    #expect(await diary.until { !$0.versions.isEmpty && broker.clients == 2 }, "\(diary.reasons)")
    await diary.link.stop()
    #expect(diary.events.contains { if case .oversized = $0 { true } else { false } })
    let grown = Self.residentOctets - before
    #expect(grown < 64 << 20, "\(grown >> 20) MiB more")
  }

  /// The most memory that this process has had so far.
  private static var residentOctets: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  /// In MQTT 5 libmosquitto 2.0.11 ends the process at a property that it does not know (Docs/gateway.md says so).
  @Test("I17.2 octets without a meaning end the link, and nothing else")
  func garbage() async throws {
    let broker = try HostileBroker { number, client in
      guard number < 64 else {
        _ = client.packet()
        client.send(HostileBroker.acknowledgement(0))
        return client.untilClosed()
      }
      var generator = SeededGenerator(seed: UInt64(number))
      _ = client.packet()
      if number % 2 == 0 { client.send(HostileBroker.acknowledgement(0)) }
      client.send((0..<200).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
    let diary = LinkDiary(settings(broker.port) { $0.version = .version311 })
    #expect(await diary.until { _ in broker.clients > 64 && !diary.versions.isEmpty })
    await diary.link.stop()
  }

  private struct SeededGenerator: RandomNumberGenerator {
    var seed: UInt64
    mutating func next() -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed ^ seed >> 29
    }
  }

  @Test(
    "I17.2 publications in flight when the broker dies are not counted as delivered",
    .enabled(if: TestBroker.isInstalled, TestBroker.isMissing))
  func unacknowledged() async throws {
    let broker = try TestBroker()
    let acknowledged = Guarded(0)
    let diary = LinkDiary(settings(broker.port)) { event, publisher in
      switch event {
      case .connected: for _ in 0..<10 { publisher.publish(BrokerPublication(topic: "t", payload: Data("x".utf8))) }
      case .acknowledged(_, let code) where code < 128: acknowledged.with { $0 += 1 }
      default: break
      }
    }
    #expect(await diary.until { _ in acknowledged.with { $0 } == 10 })
    broker.suspend()
    diary.link.perform { for _ in 0..<10 { $0.publish(BrokerPublication(topic: "t", payload: Data("y".utf8))) } }
    broker.kill()
    #expect(await diary.until { !$0.reasons.isEmpty })
    #expect(acknowledged.with { $0 } == 10)
    try broker.start()
    #expect(await diary.until { _ in acknowledged.with { $0 } == 20 }, "only what was published on the new link")
    await diary.link.stop()
  }
}
