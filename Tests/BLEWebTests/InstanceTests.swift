import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Attributes of one UUID, and descriptors", .timeLimit(.minutes(10)))
struct InstanceTests {
  /// A device with two services of one UUID. The first has two characteristics of one UUID, the second one more of it.
  private static func twins() async -> (ExplorerScene, [CBMutableCharacteristic]) {
    let all = (0..<3).map { number in
      let one = CBMutableCharacteristic("FF11", [.read, .write, .notify], [.readable, .writeable])
      one.descriptors = [.userDescription("number \(number)")]
      return one
    }
    let scene = await ExplorerScene(
      services: [CBMutableService("FF10", [all[0], all[1]]), CBMutableService("FF10", [all[2]])], advertises: [])
    scene.peripheral.onRead = { manager, request in
      request.value = Data([UInt8(all.firstIndex { $0 === request.characteristic } ?? 0xFF)])
      manager.respond(to: request, withResult: .success)
    }
    return (scene, all)
  }

  @Test(
    "I15.1 characteristics of one UUID are told apart: read, written, subscribed to and described by their instance")
  func twins() async throws {
    let (scene, all) = await Self.twins()
    let device = "devices/\(try await scene.connect())"
    let tree = try await scene.ask("GET", device)
    for place in 0..<2 {
      #expect(tree["services", place, "instance"] as? Int == place)
      #expect(tree["services", 0, "characteristics", place, "instance"] as? Int == place)
    }
    #expect(tree["services", 1, "characteristics", 0, "instance"] as? Int == 2)
    for instance in 0..<3 {
      for service in [#""service":"FF10","#, ""] {
        let body = #"{\#(service)"characteristic":"FF11","instance":\#(instance)}"#
        let read = try await scene.ask("POST", "\(device)/read", body)
        #expect(read["value", "hex"] as? String == "0\(instance)", "\(read)")
        #expect(read["instance"] as? Int == instance && read["service"] as? String == "FF10")
      }
      let body = #"{"characteristic":"FF11","instance":\#(instance)}"#
      let described = try await scene.ask("POST", "\(device)/descriptors", body)
      let texts = (described["descriptors"] as? [[String: Any]])?.compactMap { $0["value"] as? String }
      #expect(texts == ["number \(instance)"], "\(described)")
    }
    let write = try await scene.ask(
      "POST", "\(device)/write", #"{"characteristic":"FF11","instance":2,"value":"2a"}"#)
    #expect(write.status == 200 && scene.peripheral.batches.last?.first?.characteristic === all[2])
    // Without the member it is the first one.
    #expect(
      try await scene.ask("POST", "\(device)/read", #"{"characteristic":"FF11"}"#)["value", "hex"] as? String == "00")
    let missing = try await scene.ask("POST", "\(device)/read", #"{"characteristic":"FF11","instance":3}"#)
    #expect(missing.status == 404, "\(missing)")
    for wrong in ["-1", "0.5", "65536", "1e300", #""0""#, "true"] {
      let answer = try await scene.ask("POST", "\(device)/read", #"{"characteristic":"FF11","instance":\#(wrong)}"#)
      #expect(answer.status == 400, "\(wrong): \(answer)")
    }
  }

  @Test("I15.1 what one of two characteristics of one UUID notifies is in its own history only")
  func notifiedTwins() async throws {
    let (scene, all) = await Self.twins()
    let device = "devices/\(try await scene.connect())"
    for instance in 1...2 {
      let body = #"{"service":"FF10","characteristic":"FF11","instance":\#(instance)}"#
      #expect(try await scene.ask("POST", "\(device)/subscribe", body).status == 200)
    }
    for (number, one) in all.enumerated() {
      _ = scene.peripheral.manager.updateValue(Data([0xA0 | UInt8(number)]), for: one, onSubscribedCentrals: nil)
    }
    let answer = try await scene.eventually("\(device)/values") { ($0["values"] as? [Any])?.count == 2 }
    var seen: Set<String> = []
    for place in 0..<2 {
      let instance = try #require(answer["values", place, "instance"] as? Int)
      let octets = try #require(answer["values", place, "value", "hex"] as? String)
      seen.insert("\(instance) \(octets)")
    }
    #expect(seen == ["1 a1", "2 a2"])
    let status = try await scene.ask("GET", device)
    #expect(Set(status["subscribed"] as? [String] ?? []) == ["FF10/FF11[1]", "FF10/FF11[2]"])
    _ = try await scene.ask(
      "POST", "\(device)/unsubscribe", #"{"service":"FF10","characteristic":"FF11","instance":1}"#)
    #expect(try await scene.ask("GET", device)["subscribed"] as? [String] == ["FF10/FF11[2]"])
  }

  @Test(
    "I15.1 a descriptor is read and written by itself; 2902 is refused without ending anything, and meanings are in words"
  )
  func descriptors() async throws {
    let value = CBMutableCharacteristic("FF11", [.read, .notify])
    value.descriptors = [
      .userDescription("room"),
      CBMutableDescriptor(
        type: .of(CBUUIDCharacteristicFormatString), value: Data([0x0E, 0xFE, 0x2F, 0x27, 1, 0, 0])),
    ]
    let scene = await ExplorerScene(services: [CBMutableService("FF10", [value])])
    let device = "devices/\(try await scene.connect())"
    let all = try await scene.ask("POST", "\(device)/descriptors", #"{"characteristic":"FF11"}"#)
    let found = try #require(all["descriptors"] as? [[String: Any]])
    let format = try #require(found.first { $0["uuid"] as? String == "2904" })
    #expect(format["meaning"] as? String == "int16, times 10^-2, unit °C" && format["writable"] as? Bool == false)
    let subscription = try #require(found.first { $0["uuid"] as? String == "2902" })
    #expect(subscription["meaning"] as? String == "none" && subscription["writable"] as? Bool == false)
    _ = try await scene.ask("POST", "\(device)/subscribe", #"{"characteristic":"FF11"}"#)
    let read = try await scene.ask(
      "POST", "\(device)/descriptors/read", #"{"characteristic":"FF11","descriptor":"2902"}"#)
    #expect(read["meaning"] as? String == "notifications", "\(read)")
    let cases: [(String, String, Int)] = [
      ("write", #""descriptor":"2902","value":"0100""#, 400), ("write", #""descriptor":"2901","value":"00""#, 424),
      ("read", #""descriptor":"2905""#, 404), ("read", #""descriptor":"2901","index":9"#, 404),
      ("read", #""descriptor":"x""#, 400), ("write", #""descriptor":"2901""#, 400),
    ]
    for (verb, members, status) in cases {
      let answer = try await scene.ask(
        "POST", "\(device)/descriptors/\(verb)", #"{"characteristic":"FF11",\#(members)}"#)
      #expect(answer.status == status, "\(verb) \(members): \(answer)")
    }
    #expect(try await scene.ask("GET", device)["state"] as? String == "ready")
  }
}
