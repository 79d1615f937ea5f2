import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("The explorer's interface", .timeLimit(.minutes(10)))
struct ExplorerTests {
  @Test(
    "I15.1 a device that is heard is in the table, with the interval of its advertisements and the strengths of a minute"
  )
  func scan() async throws {
    let scene = await ExplorerScene()
    let identifier = try await scene.find()
    let answer = try await scene.eventually("devices") { ($0["devices", 0, "strengths"] as? [Any])?.count == 60 }
    #expect(answer["devices", 0, "name"] as? String == "Owenli")
    #expect(answer["devices", 0, "identifier"] as? String == identifier)
    let interval = try #require(answer["devices", 0, "interval_ms"] as? Int)
    #expect((10...200).contains(interval), "\(interval)")
    scene.other.cutPower()
    try await scene.eventually("devices") { $0["devices", 0, "stale"] as? Bool == true }
    scene.other.restorePower()
    try await scene.eventually("devices") { $0["devices", 0, "stale"] as? Bool == false }
    #expect(try await scene.ask("PUT", "scan", #"{"on":false}"#)["scanning"] as? Bool == false)
  }

  @Test("I15.1 values are read, written and notified, and all browsers get their history")
  func values() async throws {
    let scene = await ExplorerScene()
    let device = "devices/\(try await scene.connect())"
    let read = try await scene.ask("POST", "\(device)/read", #"{"characteristic":"2A19"}"#)
    #expect(
      read.status == 200 && read["value", "hex"] as? String == "57" && read["meaning"] as? String == "87 %", "\(read)")
    let written = try await scene.ask(
      "POST", "\(device)/write", #"{"service":"FFF0","characteristic":"FFF2","value":"héllo","format":"utf8"}"#)
    #expect(written.status == 200 && scene.peripheral.events.contains(.wrote(["héllo"])), "\(scene.peripheral.told)")
    _ = try await scene.ask("POST", "\(device)/subscribe", #"{"characteristic":"2A19"}"#)
    let subscribed = try await scene.ask("GET", device)
    #expect(subscribed["subscribed"] as? [String] == ["180F/2A19"])
    let history = try await scene.ask("GET", "\(device)/values")
    #expect(history["values", 0, "way"] as? String == "read" && history["values", 0, "service"] as? String == "180F")
    let descriptors = try await scene.ask("POST", "\(device)/descriptors", #"{"characteristic":"FFF2"}"#)
    #expect(descriptors["descriptors", 0, "uuid"] as? String == "2901", "\(descriptors)")
    let signal = try await scene.ask("GET", "\(device)/signal")
    #expect(signal["rssi"] is Int && signal["longest_write"] as? Int ?? 0 >= 20, "\(signal)")
    #expect(try await scene.ask("GET", "sessions")["sessions", 0, "state"] as? String == "ready")
  }

  @Test("I15.1 notified values keep their order, however fast they come")
  func order() async throws {
    let scene = await ExplorerScene()
    let device = "devices/\(try await scene.connect())"
    _ = try await scene.ask("POST", "\(device)/subscribe", #"{"characteristic":"2A19"}"#)
    for number in UInt8(0)..<200 {
      while !scene.peripheral.push(Data([number]), "2A19") { await scene.world.advance(by: .milliseconds(20)) }
    }
    let answer = try await scene.eventually("\(device)/values") { ($0["values"] as? [Any])?.count == 200 }
    let values = (0..<200).map { answer["values", $0, "value", "hex"] as? String }
    #expect(values == (UInt8(0)..<200).map { Data([$0]).hexadecimal })
  }

  @Test("I15.1 what a device refuses and what it does not have are errors with their kinds, none of the server's")
  func errors() async throws {
    let scene = await ExplorerScene()
    let identifier = try await scene.connect()
    let device = "devices/\(identifier)"
    scene.peripheral.judge = { _ in .readNotPermitted }
    let refused = try await scene.ask("POST", "\(device)/read", #"{"characteristic":"2A19"}"#)
    #expect(refused.status == 424 && refused["error", "att_error"] as? Int == 2, "\(refused)")
    let cases: [(String, String, String?, Int)] = [
      ("POST", "\(device)/read", #"{"characteristic":"FFFF"}"#, 404), ("POST", "\(device)/read", "{}", 400),
      ("POST", "\(device)/read", #"{"characteristic":"2A19","more":1}"#, 400),
      ("POST", "\(device)/read", #"{"characteristic":5}"#, 400),
      ("POST", "\(device)/read", "[", 400), ("POST", "\(device)/read", nil, 400),
      ("POST", "devices/nonsense/connect", "{}", 400),
      ("POST", "\(device)/write", #"{"characteristic":"FFF2","value":"0"}"#, 400),
      ("POST", "\(device)/write", #"{"characteristic":"FFF2","value":"00","format":"nonsense"}"#, 400),
      ("POST", "devices/\(UUID())/read", #"{"characteristic":"2A19"}"#, 409), ("PUT", "scan", #"{"on":"yes"}"#, 400),
      ("DELETE", "scan", nil, 405), ("PUT", "radio", #"{"speed":2}"#, 409),
      ("POST", "pairings/1", #"{"accept":true}"#, 404),
      ("POST", "serving/push", #"{"characteristic":"2A19","value":"01"}"#, 409), ("PUT", "serving", "{}", 400),
      ("PUT", "serving", #"{"file":"{"}"#, 400), ("PUT", "serving", #"{"profile":"owenlo"}"#, 400),
    ]
    for (method, path, body, status) in cases {
      let answer = try await scene.ask(method, path, body)
      #expect(answer.status == status, "\(method) \(path) \(body ?? ""): \(answer)")
    }
  }

  @Test("I15.1 a link that is lost comes back with its subscriptions, and the reason is told meanwhile")
  func comeback() async throws {
    let scene = await ExplorerScene()
    let device = "devices/\(try await scene.connect())"
    _ = try await scene.ask("POST", "\(device)/subscribe", #"{"characteristic":"2A19"}"#)
    scene.other.cutPower()
    let lost = try await scene.eventually(device) { $0["state"] as? String == "connecting" && $0["reason"] is String }
    #expect(
      (lost["left_ms"] as? Int ?? 0) > 0 && (lost["reason"] as? String)?.hasPrefix("lost") == true, "\(lost.text)")
    scene.other.restorePower()
    try await scene.eventually(device) { $0["state"] as? String == "ready" && $0["reason"] is NSNull }
    try await scene.eventually(device) { _ in scene.peripheral.subscriptions == ["2A19"] }
    let closed = try await scene.ask("POST", "\(device)/disconnect", "{}")
    #expect(closed.status == 200)
    #expect(try await scene.ask("GET", device)["state"] as? String == "idle")
  }
}
