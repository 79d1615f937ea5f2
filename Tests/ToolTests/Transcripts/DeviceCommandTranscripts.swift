import Foundation
import Testing

/// `ble command` and `ble serve` with device description files: both sides, each a process.
@Suite("Described devices as processes", .serialized, .timeLimit(.minutes(10)))
struct DeviceCommandTranscripts {
  private let place = Neighbourhood()

  private let lock = Neighbourhood.example("Devices/lock.json")
  private let band = Neighbourhood.example("Devices/smart-band.json")
  private let tag = Neighbourhood.example("Devices/itag.json")

  @Test("ble command on a terminal prints the answer's fields")
  func bleCommandOnATerminalPrintsTheAnswersFields() throws {
    try place.serve(lock)
    let terminal = try place.runOnTerminal("command", lock, "unlock", "pin=123456")
    #expect(terminal.model.text.contains("bolt: open") && terminal.model.text.contains("seconds: 5 s"))
    #expect(terminal.model.text.contains("The device passed the handshake in"))
  }

  @Test("ble command on a terminal listens until Ctrl-C, and leaves the device")
  func bleCommandOnATerminalListensUntilCtrlC() throws {
    let server = try place.serve(tag)
    let terminal = try place.terminal("command", tag, "listen")
    try server.event("subscribed")
    server.type("button\n")
    try terminal.see("button: presses 1")
    try terminal.interrupt()
    try server.event("unsubscribed")
  }

  @Test("ble command in a pipe is a plain line for each field, without messages in between")
  func bleCommandInAPipeIsAPlainLine() throws {
    let server = try place.serve(lock)
    let result = try place.run("command", lock, "status")
    #expect(result.status == 0 && result.lines == ["bolt: locked", "charge: 64 %", "temperature: -45 tenths of °C"])
    #expect(result.errors.first == "Found 'iLock' (C0:FF:EE:01:02:03).")
    #expect(result.errors.count == 2 && result.errors.arePlain)
    try server.event("command") { $0["command"] as? String == "status" && $0["outcome"] as? String == "accepted" }
  }

  @Test("R4.8 a value set by one process is read by another one, and JSON has stable fields")
  func aValueSetByOneProcessIsRead() throws {
    try place.serve(band)
    let set = try place.run("command", band, "set-alarm", "hour=6", "alarm=daily", "label=Up", "--json")
    #expect(set.status == 0)
    let document = try #require(set.document)
    #expect(document["command"] as? String == "set-alarm" && document["attempts"] as? Int == 1)
    #expect(document["name"] as? String == "SMART_7F3A" && (document["answer"] as? [String: Any])?.isEmpty == true)
    let handshake = try #require(document["handshake"] as? [String: Any])
    #expect(handshake["attempts"] as? Int == 1)
    let alarm = try place.run("command", band, "alarm")
    #expect(alarm.lines == ["hour: 6", "minute: 0", "alarm: daily", "label: Up"])
  }

  @Test("R4.4 the lock with the requested address is used, and another one is named where it is missing")
  func theLockWithTheRequestedAddressIsUsed() throws {
    try place.serve(lock)
    let found = try place.run("command", lock, "status", "--target", "c0:ff:ee:01:02:03")
    #expect(found.status == 0)
    let missing = try place.run("command", lock, "status", "--target", "C0:FF:EE:01:02:04", "--timeout", "2")
    #expect(missing.status == 68)
    #expect(missing.errors.last?.contains("'iLock' (C0:FF:EE:01:02:03)") == true)
    #expect(missing.errors.last?.contains("Touch the lock's keypad") == true)
  }

  @Test("R4.7 R4.8 a lock that refuses ends with 74 and prints why")
  func aLockThatRefusesEndsWith74AndPrintsWhy() throws {
    try place.serve(lock)
    let refused = try place.run("command", lock, "unlock", "pin=999999")
    #expect(refused.status == 74 && refused.lines.isEmpty)
    #expect(refused.errors.last == "Error: The device refused \"unlock\" (reason wrong-pin).")
    let early = try place.run("command", lock, "status", "--no-handshake")
    #expect(early.status == 75, "\(early.transcript)")
    #expect(early.errors.contains { $0.contains("sent again (attempt 2)") }, "\(early.transcript)")
  }

  @Test("I15.7 a wrong command line ends with 64 before anything is started, and a file alone names 'list'")
  func aWrongCommandLineEndsWith64BeforeAnything() throws {
    for (words, hint) in [
      ([], "Missing expected argument '<command>': 'list' shows the commands of the file"),
      (["unlok"], "Did you mean 'unlock'?"), (["unlock"], "needs pin=..."),
      (["unlock", "pni=1"], "Did you mean 'pin'?"),
      (["unlock", "pin=123456", "seconds=99"], "from 1 to 60, found '99'"),
      (["unlock", "pin"], "expected field=value"),
      (["raw", "0G"], "is not a sequence of octets"), (["list", "x"], "takes nothing else"),
    ] {
      let result = try place.run(["command", lock] + words)
      #expect(result.status == 64 && result.lines.isEmpty, "\(result.transcript)")
      #expect(result.errors.first?.contains(hint) == true, "\(result.transcript)")
    }
  }

  @Test("list, check and raw commands")
  func listCheckAndRawCommands() throws {
    let list = try place.run("command", lock, "list")
    #expect(list.status == 0 && list.lines.contains("  unlock pin=... [seconds=5]"))
    let document = try #require(ToolProcess.object(try place.run("command", lock, "list", "--json").lines[0]))
    #expect((document["commands"] as? [[String: Any]])?.map { $0["name"] as? String }.contains("set-pin") == true)
    #expect(try place.run("command", band, "check").lines.first?.hasSuffix("a simulation: no mistakes.") == true)
    try place.serve(lock)
    #expect(try place.run("command", lock, "raw", "12").lines == ["920040ffd3"])
    let garbage = try place.run("command", lock, "raw", "--unframed", "55 12 00 FF", "--timeout", "3")
    #expect(garbage.status == 75, "\(garbage.transcript)")
  }

  @Test("The device's frames are shown by --verbose, as they are on the air")
  func theDevicesFramesAreShownByVerbose() throws {
    try place.serve(band)
    let result = try place.run("command", band, "steps", "--verbose")
    #expect(result.status == 0)
    #expect(result.errors.contains { $0.hasPrefix("Received ab01820600") }, "\(result.transcript)")
    let wrong = try place.run("command", tag, "listen", "--timeout", "1")
    #expect(wrong.status == 68 && wrong.errors.last?.contains("'iTAG'") == true)
  }

  @Test("A file with errors ends with 65, and all of them are reported with their places")
  func aFileWithErrorsEndsWith65() throws {
    let path = try place.file(
      "wrong.json",
      """
      {
        "format": "ble-device/1",
        "name": "x",
        "match": { "names": ["x"] },
        "commands": { "go": { "raed": "180F/2A19" } },
        "simulaton": {}
      }
      """)
    for words in [["command", path, "check"], ["command", path, "go"], ["serve", path]] {
      let process = try place.run(words)
      #expect(process.status == 65 && process.lines.isEmpty, "\(process.transcript)")
      #expect(process.errors.contains { $0.contains("wrong.json:5:25: ") && $0.contains("Did you mean 'read'?") })
      #expect(process.errors.contains { $0.contains("wrong.json:6:3: ") && $0.contains("Did you mean 'simulation'?") })
    }
    #expect(try place.run("command", place.path("missing.json"), "list").status == 66)
  }

  @Test("R4.9 a device that dies during a command ends it with an error and not with silence")
  func aDeviceThatDiesDuringACommandEnds() throws {
    let server = try place.serve(band)
    let listener = try place.ble("command", band, "vibrate", "--listen", "60", "--json")
    try listener.line { $0.contains("\"command\":\"vibrate\"") }
    server.kill9()
    let (status, _) = try listener.finish()
    #expect(status == 74, "\(listener.transcript)")
  }
}
