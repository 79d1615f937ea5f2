import Foundation
import Testing

/// The tool as a peripheral and as a central, in processes of their own, on an air of their own.
@Suite("Two processes", .serialized, .timeLimit(.minutes(10)))
struct TwoProcessesTests {
  private let place = Neighbourhood()

  private func document(_ words: String...) throws -> [String: Any] {
    let process = try place.run(words + ["--json"])
    try #require(process.status == 0 && process.lines.count == 1, "\(process.transcript)")
    return try #require(process.document)
  }

  @Test("A scan finds a peripheral by name, and prints its services and address")
  func aScanFindsAPeripheralByName() throws {
    try place.serve("owenli")
    let scan = try place.ble("scan", "--json", "--name", "Owenli", "--count", "1", "--duration", "20")
    let found = try scan.event("discovered") { $0["name"] as? String == "Owenli" }
    #expect(Set(found["services"] as? [String] ?? []) == ["FFF0", "FFE0"])
    #expect(found["connectable"] as? Bool == true && found["rssi"] is Int)
    #expect((found["address"] as? String)?.count == 17)
    #expect(try scan.finish().status == 0)
  }

  @Test("R3.12 Owenli's tree is printed with names, values and descriptors")
  func owenlisTreeIsPrintedWithNames() throws {
    try place.serve("owenli")
    let tree = try document("explore", "Owenli")
    #expect(tree["name"] as? String == "Owenli")
    let services = try #require(tree["services"] as? [[String: Any]])
    #expect(services.map { $0["uuid"] as? String } == ["FFF0", "FFE0"])
    let characteristics = try #require(services[0]["characteristics"] as? [[String: Any]])
    #expect(characteristics.map { $0["uuid"] as? String } == ["FFF1", "FFF2"])
    #expect(characteristics[0]["properties"] as? [String] == ["notify"])
    #expect((characteristics[1]["value"] as? [String: Any])?["utf8"] as? String == "Owenli")
    let descriptors = try #require(characteristics[1]["descriptors"] as? [[String: Any]])
    #expect(descriptors.contains { $0["uuid"] as? String == "2901" && $0["value"] as? String == "name" })
    #expect(descriptors.contains { $0["name"] as? String == "Characteristic User Description" })
  }

  @Test("I13.1 Measuring the RSSI of a device reads none of its attributes")
  func measuringReadsNoAttributes() throws {
    try place.serve("owenli")
    let capture = place.path("rssi.btsnoop")
    let measured = try place.run("rssi", "Owenli", "--count", "2", "--interval", "0.1", "--capture", capture)
    #expect(measured.status == 0 && measured.lines.count == 2, "\(measured.transcript)")
    let traffic = try place.run("capture", "show", capture).lines
    #expect(traffic.contains { $0.contains("Read_RSSI") }, "\(traffic)")
    #expect(!traffic.contains { $0.contains("ATT_READ") || $0.contains("ATT_FIND") })
  }

  @Test("A device is found by its identifier and by its address as well")
  func aDeviceIsFoundByItsIdentifier() throws {
    try place.serve("owenli")
    let tree = try document("explore", "Owenli")
    let identifier = try #require(tree["identifier"] as? String)
    let address = try #require(tree["address"] as? String)
    #expect(try document("read", identifier, "FFE1")["identifier"] as? String == identifier)
    #expect(try document("read", address, "FFE0/FFE1")["identifier"] as? String == identifier)
  }

  @Test("A written value of 400 octets of Chinese and emoji is read back whole")
  func aWrittenValueOf400OctetsOfChineseAndEmoji() throws {
    let server = try place.serve("chat")
    let text = String(repeating: "你好👋", count: 41)
    #expect(text.utf8.count > 400)
    let written = try document("write", "My dear", "FF22", text)
    #expect(
      (written["value"] as? [String: Any])?["utf8"] as? String == text && written["with_response"] as? Bool == true)
    try server.event("written") { ($0["value"] as? [String: Any])?["utf8"] as? String == text }
    #expect((try document("read", "My dear", "FF22")["value"] as? [String: Any])?["utf8"] as? String == text)
  }

  @Test("A write without response arrives before the link is closed")
  func aWriteWithoutResponseArrivesBeforeTheLinkIsClosed() throws {
    let server = try place.serve(Neighbourhood.example("profiles/echo.json"))
    let uuid = "0D4E1E2F-0001-4A3B-9C5D-6F7081920A1B"
    _ = try document("write", "Echo", uuid, "0102ff", "--format", "hex", "--without-response")
    try server.event("written") { ($0["value"] as? [String: Any])?["hex"] as? String == "0102ff" }
  }

  @Test("I11.25 the shell shows the agreed MTU, and how long values may be")
  func theShellShowsTheAgreedMTU() throws {
    try place.serve("owenli")
    let shell = try place.ble("connect", "Owenli", "--script", "-", "--json")
    shell.type("mtu\n")
    shell.endInput()
    let (status, lines) = try shell.finish()
    #expect(status == 0, "\(shell.transcript)")
    let answer = try #require(lines.compactMap { ToolProcess.object($0) }.first { $0["mtu"] != nil })
    #expect(answer as? [String: Int] == ["mtu": 517, "without_response": 512, "with_response": 512])
  }

  @Test("I11.35 the PHYs of the search can be chosen")
  func thePHYsOfTheSearchCanBeChosen() throws {
    try place.serve("owenli")
    let coded = try place.run("scan", "--phy", "coded", "--count", "1", "--duration", "2", "--json")
    #expect(coded.status == 68, "\(coded.transcript)")
    for phy in ["1m", "both"] {
      let scan = try place.run("scan", "--phy", phy, "--count", "1", "--duration", "20", "--json")
      #expect(scan.status == 0, "\(scan.transcript)")
    }
    #expect(try place.ble("scan", "--phy", "2m").finish().status == 64)
  }

  @Test("A value may come from the standard input, and Ctrl-C interrupts reading it")
  func aValueMayComeFromTheStandardInput() throws {
    let server = try place.serve("owenli")
    let piped = try place.ble("write", "Owenli", "FFF2", "-")
    piped.type("piped in\n")
    piped.endInput()
    #expect(try piped.finish().status == 0, "\(piped.transcript)")
    try server.event("written") { ($0["value"] as? [String: Any])?["utf8"] as? String == "piped in" }
    let waiting = try place.ble("write", "Owenli", "FFF2", "-", "-v")
    waiting.type("not yet")
    try waiting.complaint("Reading the value from the standard input.")
    waiting.send(SIGINT)
    #expect(try waiting.finish().status == 130)
  }

  @Test("The death of a controller ends a peripheral on it with 69")
  func theDeathOfAControllerEndsAPeripheral() throws {
    let controller = try place.ble("controller", "--json")
    let connect = try #require(try controller.event("listening")["connect"] as? String)
    let server = try place.ble("serve", "owenli", "--adapter", connect, "--json")
    try server.event("advertising")
    controller.kill9()
    try server.event("unavailable")
    #expect(try server.finish().status == 69, "\(server.transcript)")
  }

  @Test("Subscribing prints values one after another, and ends properly")
  func subscribingPrintsValues() throws {
    let server = try place.serve("owenli")
    let client = try place.run("subscribe", "Owenli", "FFF1", "--count", "3", "--json")
    #expect(client.status == 0, "\(client.transcript)")
    let texts = client.lines.compactMap { (ToolProcess.object($0)?["value"] as? [String: Any])?["utf8"] as? String }
    #expect(texts == ["send data : 1", "send data : 2", "send data : 3"])
    try server.event("unsubscribed")
  }

  @Test("Text typed at a chat reaches its subscriber")
  func textTypedAtAChatReachesItsSubscriber() throws {
    let server = try place.serve("chat")
    let client = try place.ble("subscribe", "My dear", "FF22", "--count", "2", "--format", "utf8")
    try server.event("subscribed")
    server.type("早上好 👋\nsecond\n")
    let (status, lines) = try client.finish()
    #expect(status == 0 && lines == ["早上好 👋", "second"], "\(client.transcript)")
  }

  @Test("A missing device ends with 68, a refused operation with 74")
  func aMissingDeviceEndsWith68() throws {
    try place.serve("owenli")
    let name = try place.run("read", "Owenly", "FFF2", "--timeout", "2")
    #expect(name.status == 68 && name.errors.contains { $0.contains("Did you mean 'Owenli'?") })
    let characteristic = try place.run("read", "Owenli", "FFF9")
    #expect(characteristic.status == 68 && characteristic.errors.contains { $0.contains("FFF1, FFF2, FFE1") })
    let refused = try place.run("write", "Owenli", "FFE1", "x", "--json")
    #expect(refused.status == 74, "\(refused.transcript)")
    let error = ToolProcess.object(refused.errors.last ?? "")?["error"] as? [String: Any]
    #expect(error?["att_error"] as? Int == 3, "\(refused.transcript)")
  }

  @Test("Ctrl-C ends both sides with 130, and the peripheral reports that the central left")
  func ctrlCEndsBothSidesWith130() throws {
    let server = try place.serve("owenli")
    let client = try place.ble("subscribe", "Owenli", "FFF1", "--json")
    try client.event("value")
    client.send(SIGINT)
    #expect(try client.finish().status == 130)
    try server.event("unsubscribed")
    server.send(SIGINT)
    #expect(try server.finish().status == 130)
  }

  @Test("SIGTERM ends a peripheral with 143")
  func sigtermEndsAPeripheralWith143() throws {
    let server = try place.serve("battery")
    server.send(SIGTERM)
    #expect(try server.finish().status == 143)
  }

  @Test("The end of the input ends a peripheral that was configured so")
  func theEndOfTheInputEndsAPeripheral() throws {
    let server = try place.serve("owenli", "--until-input-ends")
    server.endInput()
    #expect(try server.finish().status == 0)
  }

  @Test("The death of a peripheral ends a subscription with 74, and restarted it is the same device")
  func theDeathOfAPeripheralEndsASubscriptionWith74() throws {
    let server = try place.serve("owenli")
    let client = try place.ble("subscribe", "Owenli", "FFF1", "--json")
    let before = try client.event("value")["identifier"] as? String
    server.kill9()
    let (status, _) = try client.finish()
    #expect(status == 74, "\(client.transcript)")
    try place.serve("owenli")
    #expect(try document("read", "Owenli", "FFF2")["identifier"] as? String == before)
  }

  @Test("Hostile names do not affect a terminal")
  func hostileNamesDoNotAffectATerminal() throws {
    try place.serve("owenli", "--name", "\u{1B}[2Jx\u{202E}")
    let scan = try place.run("scan", "--count", "1", "--duration", "20", "--service", "FFF0")
    #expect(scan.status == 0 && scan.lines.count == 1)
    #expect(scan.lines.first?.contains("\\u{1B}[2Jx\\u{202E}") == true && scan.lines.first?.contains("\u{1B}") == false)
  }

  @Test("A reader that closes the pipe ends the tool quietly")
  func aReaderThatClosesThePipeEndsTheToolQuietly() throws {
    try place.serve("owenli")
    let pipeline = try place.shell(
      #"{ "$BLE_TOOL" scan --duplicates --duration 0; echo "status $?" >&2; } | head -n 1"#)
    let (status, lines) = try pipeline.finish()
    #expect(status == 0 && lines.count == 1)
    #expect(pipeline.errors == ["status 141"])
  }

  @Test("A host on an offered controller finds the devices of its air, one host after another")
  func aHostOnAnOfferedControllerFindsTheDevices() throws {
    try place.serve("owenli")
    let controller = try place.ble("controller", "--json")
    let listening = try controller.event("listening")
    let connect = try #require(listening["connect"] as? String)
    #expect(connect.hasPrefix("tcp-client:127.0.0.1:") && !connect.hasSuffix(":0"))
    for number in 1...2 {
      let read = try place.run("read", "Owenli", "FFF2", "--adapter", connect, "--format", "utf8")
      #expect(read.status == 0 && read.lines == ["Owenli"], "\(number): \(read.transcript)")
    }
    try controller.event("disconnected")
    controller.send(SIGINT)
    #expect(try controller.finish().status == 130)
  }

  @Test("A controller keeps its address, and listens on a socket file as well")
  func aControllerKeepsItsAddress() throws {
    var addresses: [String?] = []
    for _ in 1...2 {
      let controller = try place.ble("controller", "--listen", "unix-server:\(place.path("hci"))", "--json")
      addresses.append(try controller.event("listening")["address"] as? String)
      controller.send(SIGTERM)
      #expect(try controller.finish().status == 143)
    }
    #expect(addresses[0] != nil && addresses[0] == addresses[1])
  }

  @Test("The air is captured as well, keys only on request, and a copy is made without them")
  func theAirIsCapturedAsWell() throws {
    try place.serve("owenli")
    let (hci, air, keys) = (place.path("c.btsnoop"), place.path("air.pcapng"), place.path("c.keys"))
    let written = try place.run(
      "write", "Owenli", "FFF2", "on the air", "--capture", hci, "--capture-air", air, "--capture-keys", keys,
      "--capture-redacted")
    #expect(written.status == 0, "\(written.transcript)")
    let shown = try place.run("capture", "show", air, "--keys", keys)
    #expect(shown.status == 0)
    #expect(shown.lines.contains { $0.contains("LL_LENGTH_REQ") }, "\(shown.transcript)")
    #expect(shown.lines.contains { $0.contains(Array("on the air".utf8).map { String($0, radix: 16) }.joined()) })
    // Nothing was encrypted: the file of keys contains only its heading.
    let text = try String(contentsOfFile: keys, encoding: .utf8)
    #expect(text.hasPrefix("#") && !text.contains("ltk"))
    let copy = place.path("copy.btsnoop")
    #expect(try place.run("capture", "redact", hci, copy).status == 0)
    #expect(try place.run("capture", "show", copy).lines.count == place.run("capture", "show", hci).lines.count)
    #expect(try place.run("capture", "redact", hci, hci).status == 64)
    #expect(try place.run("capture", "show", air, "--keys", hci).status == 65)
  }

  @Test("A capture shows the values as text")
  func aCaptureShowsTheValuesAsText() throws {
    try place.serve("owenli")
    let path = place.path("c.btsnoop")
    #expect(try place.run("write", "Owenli", "FFF2", "captured text", "--capture", path).status == 0)
    let shown = try place.run("capture", "show", path)
    #expect(shown.status == 0 && shown.lines.count > 20)
    #expect(shown.lines.contains { $0.contains("ATT_WRITE_REQ") }, "\(shown.transcript)")
    let json = try place.run("capture", "show", path, "--json")
    #expect(json.lines.count == shown.lines.count)
    #expect(json.lines.allSatisfy { ToolProcess.object($0)?["number"] is Int })
  }

  @Test("The demo shows everything, and leaves no process behind")
  func theDemoShowsEverything() throws {
    let demo = try place.run("demo", "--json")
    #expect(demo.status == 0, "\(demo.transcript)")
    let events = demo.lines.compactMap(ToolProcess.object)
    let steps = events.compactMap { $0["step"] as? String }
    #expect(
      steps == [
        "advertising", "found", "connected", "explored", "read", "written", "subscribed", "notified", "notified",
        "notified", "disconnected", "captured",
      ])
    let summary = try #require(events.last)
    #expect(summary["succeeded"] as? Bool == true && (summary["packets"] as? Int ?? 0) > 50)
    let capture = try #require(summary["capture"] as? String)
    #expect(FileManager.default.fileExists(atPath: capture))
    #expect(!isRunning(try peripheral(of: events)))
  }

  @Test("The end of a demo is the end of its peripheral", arguments: [SIGINT, SIGTERM, SIGKILL])
  func theEndOfADemoIsTheEnd(signal: Int32) throws {
    let demo = try place.ble("demo", "--json")
    try demo.event("step") { $0["step"] as? String == "connected" }
    let number = try peripheral(of: [try demo.event("step") { $0["step"] as? String == "advertising" }])
    #expect(isRunning(number))
    demo.send(signal)
    #expect(try demo.finish().status == 128 + signal)
    let deadline = Date().addingTimeInterval(30)
    while isRunning(number), Date() < deadline { usleep(20_000) }
    #expect(!isRunning(number))
  }

  /// The process number of a demo's peripheral.
  private func peripheral(of events: [[String: Any]]) throws -> Int32 {
    let text = try #require(events.first { $0["step"] as? String == "advertising" }?["text"] as? String)
    let number = text.split(whereSeparator: { " ,".contains($0) }).lazy.compactMap { Int32($0) }.first
    return try #require(number)
  }

  private func isRunning(_ number: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else { return false }
    // A process that has ended and waits to be reaped counts as ended.
    return !status.contains(") Z ")
  }
}
