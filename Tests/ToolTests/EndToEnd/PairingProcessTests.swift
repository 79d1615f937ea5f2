import Foundation
import Testing

/// Pairing between processes of the tool.
@Suite("Pairing processes", .serialized, .timeLimit(.minutes(10)))
struct PairingProcessTests {
  private let place = Neighbourhood()
  private static let state = "B10C0002-7A5E-4C0D-9E57-3F6A1D2C4B80"

  static let lock = Neighbourhood.example("profiles/lock.json")

  private func bonds(_ words: String...) throws -> [[String: Any]] {
    let result = try place.run(["bonds", "list", "--json"] + words)
    try #require(result.status == 0 && result.lines.count == 1, "\(result.transcript)")
    return try #require(result.document?["bonds"] as? [[String: Any]])
  }

  private func profile(_ security: String) throws -> String {
    try place.file(
      "profile.json",
      """
      {"name": "Safe", "security": \(security), "services": [{"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": "gold"}}]}]}
      """)
  }

  @Test("I12.2 Pairing options that the Bluetooth daemon does not support are refused, not ignored")
  func pairingOptionsThatTheBluetoothDaemonDoesNotSupport() throws {
    let level = try profile(#"{"minimum_level": "authenticated"}"#)
    let data = place.path("oob")
    for (words, wish) in [
      ("pair Safe --oob \(data)", "'--oob'"), ("pair Safe --make-oob \(data)", "'--make-oob'"),
      ("serve \(level)", "a 'minimum_level' above encrypted"),
      ("serve \(level) --passkey 123456 --io display-only", "a passkey that is shown"),
    ] {
      // Refused without a request: there is no bus.
      let refused = try place.shell(
        "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(place.path("none")) exec $BLE_TOOL \(words) --adapter bluez")
      #expect(try refused.finish().status == 69, "\(refused.transcript)")
      #expect(refused.errors.contains { $0.hasSuffix("\(wish) needs --adapter hci.") }, "\(refused.transcript)")
    }
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test("I12 Bonds of a controller are listed and removed by the name of their adapter, and no others")
  func bondsOfAControllerAreListedAndRemoved() throws {
    try place.serve(try profile("{}"))
    let socket = place.path("hci")
    let controller = try place.ble("controller", "--listen", "unix-server:\(socket)", "--json")
    try controller.event("listening")
    let adapter = ["--adapter", "unix-client:\(socket)"]
    for words in [["pair", "Safe"] + adapter, ["pair", "Safe"]] {
      let paired = try place.run(words)
      #expect(paired.status == 0, "\(paired.transcript)")
    }
    #expect(try bonds("--adapter", "unix-client:/elsewhere").isEmpty)
    let kept = try bonds("--adapter", "unix-client:\(socket)")
    #expect(kept.count == 1 && kept[0]["adapter_name"] as? String == nil)
    let removal = try place.run(["unpair", "Safe"] + adapter)
    #expect(removal.status == 0, "\(removal.transcript)")
    #expect(try bonds("--adapter", "unix-client:\(socket)").isEmpty)
    #expect(try bonds("--adapter", "radio:default/ble").count == 1)
  }

  @Test(
    "I13.1 A bond is found by the device's advertised name and by its own, which is longer", arguments: [true, false])
  func bothNamesOfABond(isAdvertised: Bool) throws {
    // Of a name that is longer than an advertisement, the beginning is advertised.
    let name = "A safe with a name of forty characters 40"
    let server = try place.ble(
      "serve", try profile("{}"), "--name", name, "--adapter", "radio:default/peripheral", "--json")
    try server.event("advertising")
    let scan = try place.ble("scan", "--json")
    let found = try #require(try scan.event("discovered") { $0["name"] is String }["name"] as? String)
    try #require(name.hasPrefix(found) && found.count < name.count)
    #expect(try place.run("read", found, "FFF1").status == 0)
    // The safe's side knows no name.
    func named() throws -> [[String?]] {
      try bonds().map { [$0["name"] as? String, $0["advertised_name"] as? String] }.filter { $0 != [nil, nil] }
    }
    #expect(try named() == [[name, found]])
    let removal = try place.run("unpair", isAdvertised ? found : name)
    #expect(removal.status == 0, "\(removal.transcript)")
    #expect(try named().isEmpty)
  }

  @Test("A protected value is read with Just Works, and the keys are stored on both sides")
  func aProtectedValueIsReadWithJustWorks() throws {
    let server = try place.serve(try profile("{}"))
    let first = try place.run("read", "Safe", "FFF1", "--format", "utf8")
    #expect(first.status == 0 && first.lines == ["gold"], "\(first.transcript)")
    #expect(first.errors.count == 1 && first.errors[0].contains("Paired with \"Safe\""))
    #expect(try server.event("paired")["method"] as? String == "just-works")
    let kept = try bonds()
    #expect(kept.count == 2)
    let adapters = Set(kept.compactMap { $0["adapter_name"] as? String })
    #expect(adapters == ["radio:default/peripheral", "radio:default/ble"])
    #expect(kept.allSatisfy { $0["level"] as? String == "encrypted" && $0["key_size"] as? Int == 16 })
    #expect(kept.allSatisfy { $0["keys"] == nil })
    // The second time there is no pairing.
    let second = try place.run("read", "Safe", "FFF1", "--format", "utf8")
    #expect(second.status == 0 && second.lines == ["gold"] && second.errors.isEmpty)
  }

  @Test("I11.8 Just Works for published values: accepted where there is no user to ask, unless configured otherwise")
  func justWorksForPublishedValues()
    throws
  {
    let path = try profile("{}")
    let refusing = try place.serve(path, "--incoming", "refuse")
    let refused = try place.run("read", "Safe", "FFF1")
    #expect(refused.status != 0, "\(refused.transcript)")
    try refusing.event("pairing-failed")
    #expect(try bonds().isEmpty)
  }

  @Test("I11.8 Just Works for published values at a terminal: the user is asked", arguments: [true, false])
  func justWorksForPublishedValuesAtATerminal(agrees: Bool) throws {
    let server = try place.terminal("serve", try profile("{}"), "--adapter", "radio:default/peripheral")
    try server.see("Advertising")
    let client = try place.ble("read", "Safe", "FFF1", "--format", "utf8")
    try server.see("Its identity is not verified")
    server.type(agrees ? "y\r" : "n\r")
    let (status, lines) = try client.finish()
    #expect((status == 0 && lines == ["gold"]) == agrees, "\(client.transcript)")
    #expect(try bonds().count == (agrees ? 2 : 0))
  }

  @Test("I11.23 A pairing of this run is not reported as an earlier one, whichever side started it")
  func aPairingOfThisRunIsNotReported() throws {
    // The device has kept its keys; this side has removed its own.
    let server = try place.serve(Self.lock, "--passkey", "123456")
    #expect(try place.run("pair", "Lock", "--passkey", "123456").status == 0)
    try server.event("paired")
    #expect(try place.run("bonds", "remove", "--all", "--adapter", "radio:default/ble").status == 0)
    let anew = try place.run("pair", "Lock", "--passkey", "123456", "--json")
    #expect(anew.status == 0, "\(anew.transcript)")
    #expect(anew.document?["earlier"] as? Bool == false)
    let again = try place.run("pair", "Lock", "--json")
    #expect(again.document?["earlier"] as? Bool == true, "\(again.transcript)")
  }

  @Test("A passkey on both sides pairs, prints the method, and is asked once")
  func aPasskeyOnBothSidesPairs() throws {
    let server = try place.serve(Self.lock, "--passkey", "012345")
    let pair = try place.run("pair", "Lock", "--level", "secure", "--passkey", "012345", "--json")
    #expect(pair.status == 0, "\(pair.transcript)")
    let report = try #require(pair.document)
    #expect(report["event"] as? String == "paired" && report["method"] as? String == "passkey-entry")
    #expect(report["level"] as? String == "secure" && report["key_size"] as? Int == 16)
    #expect(report["secure_connections"] as? Bool == true && report["bonded"] as? Bool == true)
    #expect(report["earlier"] as? Bool == false && report["name"] as? String == "Lock")
    #expect(try server.event("passkey")["passkey"] as? String == "012345")
    let again = try place.run("pair", "Lock", "--level", "secure", "--json")
    #expect(again.status == 0 && again.document?["earlier"] as? Bool == true)
    #expect(try place.run("read", "Lock", Self.state, "--format", "utf8").lines == ["locked"])
  }

  @Test("A wrong passkey, or a missing one, is refused with the reason, and nothing is stored")
  func aWrongPasskeyOrAMissing() throws {
    let server = try place.serve(Self.lock)
    let wrong = try place.run("pair", "Lock", "--passkey", "000000", "--json")
    // One in a million is right.
    #expect(wrong.status == 74 && wrong.errors.last?.contains("Confirm Value Failed") == true)
    try server.event("pairing-failed")
    #expect(try bonds().isEmpty)
    // A peer that failed waits before it may try again.
    usleep(1_500_000)
    let none = try place.run("pair", "Lock")
    #expect(none.status == 74, "\(none.transcript)")
    #expect(none.errors.contains { $0.contains("Authentication Requirements") && $0.contains("'--passkey'") })
  }

  @Test("Without a terminal a comparison is refused, with the remedy")
  func withoutATerminalAComparisonIsRefused() throws {
    let server = try place.serve(Self.lock, "--io", "display-yes-no")
    let pair = try place.run("pair", "Lock", "--io", "keyboard-display")
    #expect(pair.status == 74, "\(pair.transcript)")
    // Both are asked, and the first refusal ends the pairing, perhaps before the other's question.
    try server.event("pairing-failed")
    let errors = pair.errors + server.errors
    #expect(errors.contains { $0.contains("no terminal to ask on") && $0.contains("'--passkey'") })
  }

  @Test("Out-of-band data are exchanged in files, both ways or one", arguments: [true, false])
  func outOfBandDataAreExchangedInFiles(bothWays: Bool) throws {
    let (mine, theirs) = (place.path("mine.oob"), place.path("theirs.oob"))
    let server = try place.ble(
      ["serve", Self.lock, "--adapter", "radio:default/peripheral", "--json", "--io", "no-input-no-output"]
        + ["--make-oob", theirs] + (bothWays ? ["--oob", mine] : []))
    try server.event("advertising")
    #expect(try FileManager.default.attributesOfItem(atPath: theirs)[.posixPermissions] as? Int == 0o600)
    let pair = try place.run(
      ["pair", "Lock", "--level", "secure", "--oob", theirs, "--json"] + (bothWays ? ["--make-oob", mine] : []))
    #expect(pair.status == 0, "\(pair.transcript)")
    #expect(pair.document?["method"] as? String == "out-of-band")
    try server.event("paired")
  }

  @Test("Out-of-band data of another device are refused")
  func outOfBandDataOfAnotherDeviceAreRefused() throws {
    let (first, second) = (place.path("1.oob"), place.path("2.oob"))
    #expect(try place.run("bonds", "list", "--make-oob", first).status == 0)
    try place.serve(Self.lock, "--make-oob", second)
    let pair = try place.run("pair", "Lock", "--oob", first)
    #expect(pair.status == 74, "\(pair.transcript)")
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: first))
    #expect(try place.run("pair", "Lock", "--oob", first).status == 65)
    #expect(try place.run("pair", "Lock", "--oob", place.path("missing")).status == 66)
    #expect(try place.run("pair", "Lock", "--make-oob", "/nowhere/at/all").status == 66)
  }

  @Test("Removing a bond while its peripheral runs ends the link; the central prints the remedy")
  func removingABondWhileItsPeripheralRunsEndsTheLink() throws {
    let server = try place.serve(Self.lock, "--passkey", "123456")
    let client = try place.ble("subscribe", "Lock", Self.state, "--passkey", "123456", "--json")
    try server.event("subscribed")
    #expect(try place.run("bonds", "remove", "--all", "--adapter", "radio:default/peripheral").status == 0)
    try server.event("unsubscribed")
    #expect(try client.finish().status == 74)
    let read = try place.run("read", "Lock", Self.state)
    #expect(read.status == 74, "\(read.transcript)")
    let message = try #require(read.errors.first { $0.contains("Peer removed pairing information") })
    // The remedy is a command that works as printed.
    let words = try #require(message.split(separator: "'").first { $0.hasPrefix("ble unpair ") }?.split(separator: " "))
    let unpair = try place.run(words.dropFirst().map(String.init))
    #expect(unpair.status == 0, "\(unpair.transcript)")
    #expect(try bonds().isEmpty)
    #expect(try place.run("read", "Lock", Self.state, "--passkey", "123456").status == 0)
    #expect(try bonds().count == 2)
  }

  @Test("Keys are shown and exported only with an explicit option")
  func keysAreShownAndExportedOnlyWithAnExplicitOption() throws {
    try place.serve(Self.lock, "--passkey", "123456")
    let pair = try place.run("pair", "Lock", "--passkey", "123456")
    #expect(pair.status == 0, "\(pair.transcript)")
    let (path, keys) = (place.path("bonds.json"), place.path("bonds.keys"))
    #expect(try place.run("bonds", "export", "Lock", "--with-keys", "--output", path).status == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let document = try #require(ToolProcess.object(try String(contentsOfFile: path, encoding: .utf8)))
    let bond = try #require((document["bonds"] as? [[String: Any]])?.first)
    let key = try #require(((bond["keys"] as? [String: Any])?["as_central"] as? [String: Any])?["key"] as? String)
    #expect(key.count == 32)
    for words in [["list"], ["list", "--json"], ["show", "Lock"], ["show", "Lock", "--json"], ["export"]] {
      let shown = try place.run(["bonds"] + words)
      #expect(shown.status == 0 && !shown.lines.isEmpty && !shown.transcript.contains(key), "\(words)")
    }
    #expect(try place.run("bonds", "show", "Lock", "--with-keys").lines.contains { $0.contains(key) })
    #expect(try place.run("bonds", "export", "--with-keys", "--format", "capture", "--output", keys).status == 0)
    #expect(try String(contentsOfFile: keys, encoding: .utf8).contains("ltk \(key)"))
    // A capture of the air is decrypted with them.
    let air = place.path("air.pcapng")
    #expect(try place.run("read", "Lock", Self.state, "--capture-air", air).status == 0)
    let text = Array("locked".utf8).map { String($0, radix: 16) }.joined()
    #expect(try place.run("capture", "show", air).lines.allSatisfy { !$0.contains(text) })
    #expect(try place.run("capture", "show", air, "--keys", keys).lines.contains { $0.contains(text) })
  }

  private static let wordsForNothing: [(words: String, status: Int32)] = [
    ("bonds", 64), ("bonds remove", 64), ("bonds remove x --all", 64), ("unpair", 64), ("pair x --level secur", 64),
    ("bonds list --of nobody", 64), ("bonds list --adapter tcp-client:127.0.0.1:1", 0),
    ("bonds export --format capture", 64), ("bonds show Nobody", 68), ("bonds export Nobody", 68),
    ("unpair C0:00:00:00:00:01", 68), ("bonds remove --all", 0), ("bonds export", 0),
  ]

  @Test("Nothing to show or remove is reported, and leaves no files", arguments: wordsForNothing)
  func nothingToShowOrRemoveIsReported(words: String, status: Int32) throws {
    let process = try place.run(words.split(separator: " ").map(String.init))
    #expect(process.status == status, "\(process.transcript)")
    #expect(!FileManager.default.fileExists(atPath: place.path("state/swift-corebluetooth")))
  }

  @Test("An invalid bond file is reported, stays unchanged, and hides no other")
  func anInvalidBondFileIsReported() throws {
    try place.serve(Self.lock, "--passkey", "123456")
    let pair = try place.run("pair", "Lock", "--passkey", "123456")
    #expect(pair.status == 0, "\(pair.transcript)")
    let path = place.path("state/swift-corebluetooth/bonds/random-c00000000001")
    try Data("\u{1B}[2J not a bond file".utf8).write(to: URL(fileURLWithPath: path))
    let list = try place.run("bonds", "list")
    #expect(list.status == 65 && list.lines.contains { $0.contains("'Lock'") }, "\(list.transcript)")
    #expect(list.errors.contains { $0.contains("random-c00000000001 is not a complete bond file") })
    #expect(try place.run("bonds", "remove", "Lock").status == 0)
    #expect(try place.run("bonds", "remove", "--all").status == 65)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("not a bond file"))
  }
}
