import Foundation
import Testing

/// `ble clone`, and `ble serve` of what it makes, as processes on one air.
@Suite(.serialized) struct CloneProcessTests {
  private let place = Neighbourhood()

  /// A log of a session with `ble serve owenli`.
  private func logged(_ words: String...) throws -> String {
    let path = place.path("session.btsnoop")
    let result = try place.run(words + ["--capture", path])
    #expect(result.status == 0, "\(result.transcript)")
    return path
  }

  @Test("I14.1 a device is cloned of a log, served with its handles, and explored as the original was")
  func aLogBecomesADevice() throws {
    let server = try place.serve("owenli")
    let original = try place.run("explore", "Owenli")
    let log = try logged("subscribe", "Owenli", "FFF1", "--count", "3")
    let explored = place.path("explored.btsnoop")
    #expect(try place.run("explore", "Owenli", "--capture", explored).status == 0)
    server.send(SIGINT)
    _ = try server.finish()

    let (file, report) = (place.path("owenli.json"), place.path("report.txt"))
    let clone = try place.run("clone", log, "-o", file, "--report", report, "--json")
    #expect(clone.status == 0, "\(clone.transcript)")
    let document = try #require(clone.lines.first.flatMap(ToolProcess.object))
    #expect(document["share"] as? Double ?? 0 >= 0.95, "\(clone.transcript)")
    #expect(document["streams"] as? Int == 1)
    #expect(try String(contentsOfFile: report, encoding: .utf8).contains("The clone reproduces"))

    let second = try place.run("clone", explored, "--output", file)
    #expect(second.status == 0 && second.errors.contains { $0.contains("reproduces 100 %") }, "\(second.transcript)")
    let played = try place.serve(file)
    let copy = try place.run("explore", "Owenli")
    // The first line has the identifier and the address of the device.
    #expect(copy.lines.dropFirst() == original.lines.dropFirst())
    played.send(SIGINT)
    let end = try played.finish()
    #expect(end.status == 130 && played.errors.contains { $0.contains("with its handles") }, "\(played.transcript)")
  }

  @Test("I14.1 a device that is there is cloned live, and what it says is played again")
  func aDeviceIsClonedLive() throws {
    let server = try place.serve("owenli")
    let file = place.path("live.json")
    let clone = try place.run("clone", "Owenli", "--duration", "3", "-o", file)
    #expect(clone.status == 0, "\(clone.transcript)")
    server.send(SIGINT)
    _ = try server.finish()
    let played = try place.serve(file)
    let values = try place.run("subscribe", "Owenli", "FFF1", "--count", "3")
    #expect(values.status == 0 && values.lines.count == 3, "\(values.transcript)")
    #expect(values.lines.allSatisfy { $0.contains("send data : ") })
    played.send(SIGINT)
    _ = try played.finish()
  }

  @Test("I14.2 a clone that is served with faults has them: it is played by Core Bluetooth's API, which is said")
  func faults() throws {
    let server = try place.serve("owenli")
    let log = try logged("explore", "Owenli")
    server.send(SIGINT)
    _ = try server.finish()
    let file = place.path("faulty.json")
    #expect(try place.run("clone", log, "-o", file).status == 0)
    let faults = try place.file(
      "faults.json",
      #"{"format": "ble-faults/1", "faults": [{"when": {"read": "FFF2", "every": true}, "what": {"error": "0x80"}}]}"#)
    let played = try place.serve(file, "--faults", faults)
    let read = try place.run("read", "Owenli", "FFF2")
    #expect(read.status != 0 && read.lines.isEmpty, "\(read.transcript)")
    played.send(SIGINT)
    _ = try played.finish()
    #expect(played.errors.contains { $0.contains("--faults needs a host") }, "\(played.transcript)")
  }

  @Test("I14.1 --anonymize leaves neither names nor values of the device in the file, and it can still be served")
  func anonymous() throws {
    let server = try place.serve("owenli")
    let log = try logged("explore", "Owenli")
    server.send(SIGINT)
    _ = try server.finish()
    let file = place.path("nameless.json")
    let clone = try place.run("clone", log, "-o", file, "--anonymize")
    #expect(clone.status == 0, "\(clone.transcript)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for secret in ["Owenli", "Hello from"] {
      #expect(!text.contains(secret))
      #expect(!text.contains(Data(secret.utf8).map { String($0, radix: 16) }.joined()))
    }
    #expect(text.contains("\"FFF2\""))
    #expect(try place.run("command", file, "check").status == 0)
  }

  @Test("I14.B logs that cannot be cloned, and command lines that make no sense, end with a status and a reason")
  func badInput() throws {
    let missing = try place.run("clone", "missing.btsnoop")
    #expect(missing.status == 66, "\(missing.transcript)")
    let wrong = place.path("wrong.btsnoop")
    try Data("no log at all, but text".utf8).write(to: URL(fileURLWithPath: wrong))
    #expect(try place.run("clone", wrong).status == 65)
    let empty = place.path("empty.btsnoop")
    try Data(Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]).write(to: URL(fileURLWithPath: empty))
    let nothing = try place.run("clone", empty)
    #expect(nothing.status == 65 && nothing.errors.contains { $0.contains("no conversation") }, "\(nothing.transcript)")
    #expect(try place.run("clone", wrong, "--duration", "3").status == 64)
    #expect(try place.run("clone", "Owenli", "--device", "x").status == 64)
  }

  @Test("I14.B a log that is cut in the middle of a packet is used up to there, which is said")
  func cutLog() throws {
    let server = try place.serve("owenli")
    let log = try logged("explore", "Owenli")
    server.send(SIGINT)
    _ = try server.finish()
    let octets = try Data(contentsOf: URL(fileURLWithPath: log))
    let cut = place.path("cut.btsnoop")
    try octets.dropLast(5).write(to: URL(fileURLWithPath: cut))
    let clone = try place.run("clone", cut, "-o", place.path("cut.json"))
    #expect(clone.status == 0, "\(clone.transcript)")
    #expect(clone.errors.contains { $0.contains("is used up to packet") }, "\(clone.transcript)")
  }
}
