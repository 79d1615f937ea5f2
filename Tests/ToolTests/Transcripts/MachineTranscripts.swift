import Foundation
import Testing

/// Commands that examine the machine or the tool itself.
@Suite("Transcripts without devices", .serialized, .timeLimit(.minutes(10)))
struct MachineTranscripts {
  private let place = Neighbourhood()

  /// All files of the neighbourhood.
  private var files: [String] {
    (FileManager.default.enumerator(atPath: place.folder.path)?.compactMap { $0 as? String } ?? []).sorted()
  }

  @Test("ble adapters on a terminal lists names, and which one is used")
  func bleAdaptersOnATerminalListsNames() throws {
    let terminal = try place.runOnTerminal("adapters")
    #expect(
      terminal.model.text.contains("* radio:default")
        && terminal.model.text.contains("Used: radio:default"))
  }

  @Test("ble adapters in a pipe lists the programs of each air, and changes nothing")
  func bleAdaptersInAPipeListsThePrograms() throws {
    try place.serve("owenli", device: "lamp")
    let before = files
    let result = try place.run("adapters", "--json")
    let document = try #require(result.document)
    let adapters = try #require(document["adapters"] as? [[String: Any]])
    let radio = try #require(adapters.first { $0["name"] as? String == "radio:default" })
    #expect(
      radio["state"] as? String == "1 program is on it; devices kept: lamp" && radio["usable"] as? Bool == true,
      "\(radio)")
    #expect(document["used"] as? String == "radio:default" && document["source"] as? String == "environment")
    #expect(files == before)
    #expect(try place.run("adapters").lines.arePlain)
  }

  @Test("I12.5 ble adapters in a pipe has the counters of the running programs, and of no others")
  func bleAdaptersInAPipeHasTheCounters() throws {
    let server = try place.serve("owenli", device: "lamp")
    let killed = try place.serve("owenli", device: "candle")
    killed.kill9()
    _ = try killed.finish()
    let document = try #require(ToolProcess.object(try place.run("adapters", "--json").lines.first ?? ""))
    let programs = try #require(document["programs"] as? [[String: Any]])
    // Programs of other tests, outside this neighbourhood, may be there.
    func named(_ name: String) -> [(program: [String: Any], adapter: [String: Any])] {
      programs.compactMap { program in
        (program["adapters"] as? [[String: Any]])?.first { $0["name"] as? String == name }.map { (program, $0) }
      }
    }
    #expect(named("radio:default/candle").isEmpty)
    let (program, adapter) = try #require(named("radio:default/lamp").first, "\(programs)")
    #expect(program["program"] as? String == "ble" && program["process"] as? Int ?? 0 > 1)
    #expect(adapter["resets"] as? Int == 0, "\(adapter)")
    #expect(adapter["sent_octets"] as? Int ?? 0 > 0 && adapter["received_octets"] as? Int ?? 0 > 0)
    #expect(adapter["restarted_scans"] as? Int == 0 && adapter["lost_links"] as? [String: Int] == [:])
    // After a proper end nothing is left.
    server.send(SIGTERM)
    _ = try server.finish()
    let runtime = place.path("run/swift-corebluetooth/programs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: runtime).count == 1)
  }

  @Test("ble adapters use on a terminal prints what is stored, and where")
  func bleAdaptersUseOnATerminalPrintsWhatIsStored() throws {
    let terminal = try place.runOnTerminal("adapters", "use", "radio:lab")
    #expect(terminal.model.text.contains("use radio:lab from now on"))
  }

  @Test("I12.3 ble adapters use in a pipe stores a choice that the next program uses, and removes it again")
  func bleAdaptersUseInAPipeStoresAChoice() throws {
    let kept = try place.run("adapters", "use", "radio:lab", "--json")
    #expect(
      kept.status == 0 && kept.lines.first?.hasPrefix(#"{"adapter":"radio:lab","file":"#) == true, "\(kept.lines)")
    let used = try place.shell(#"unset BLE_ADAPTER; exec "$BLE_TOOL" adapters --json"#).finish()
    #expect(used.lines.first?.hasPrefix(#"{"used":"radio:lab","source":"configuration""#) == true, "\(used.lines)")
    #expect(try place.run("adapters", "use", "--none").status == 0)
    let unused = try place.shell(#"unset BLE_ADAPTER; exec "$BLE_TOOL" adapters --json"#).finish()
    #expect(unused.lines.first?.contains(#""source":"configuration""#) == false, "\(unused.lines)")
    #expect(try place.run("adapters", "use").status == 64)
    #expect(try place.run("adapters", "use", "wifi").status == 64)
    #expect(try place.run("adapters", "use", "radio", "--none").status == 64)
    #expect(try place.run("adapters", "--json").lines.first?.contains("radio:default") == true)
  }

  @Test("ble doctor on a terminal prints that there is no problem")
  func bleDoctorOnATerminalPrintsThatThere() throws {
    let terminal = try place.runOnTerminal("doctor")
    for check in ["adapter", "state", "runtime", "libcrypto", "terminal"] {
      #expect(terminal.model.text.contains(check))
    }
  }

  @Test("ble doctor in a pipe prints a problem and its remedy, with 69, and changes nothing")
  func bleDoctorInAPipePrintsAProblem() throws {
    let before = files
    let doctor = try place.run("doctor", "--adapter", "unix-client:/tmp/nobody-is-here", "--json")
    let document = try #require(doctor.document)
    let checks = try #require(document["checks"] as? [[String: Any]])
    #expect(doctor.status == 69 && document["problems"] as? Int == 1)
    let problem = try #require(checks.first { $0["verdict"] as? String == "problem" })
    #expect(problem["check"] as? String == "adapter" && (problem["remedy"] as? String)?.isEmpty == false)
    #expect(try place.run("doctor").lines.arePlain && files == before)
  }

  @Test("ble completion on a terminal and ble completion in a pipe print one script")
  func bleCompletionOnATerminalAndBleCompletion() throws {
    let terminal = try place.runOnTerminal("completion", "bash")
    let piped = try place.run("completion", "bash")
    #expect(piped.status == 0 && terminal.text == piped.lines.joined(separator: "\n") + "\n")
    #expect(try place.run("--generate-completion-script", "bash").lines == piped.lines)
    #expect(try place.run("completion", "tcsh").status == 64)
  }

  @Test("ble man on a terminal and ble man in a pipe print one page")
  func bleManOnATerminalAndBleMan() throws {
    let terminal = try place.runOnTerminal("man")
    let piped = try place.run("man")
    #expect(piped.status == 0 && terminal.text == piped.lines.joined(separator: "\n") + "\n")
    #expect(piped.lines.contains(".SH EXIT STATUS"))
  }

  @Test("A pipe that closes ends long output quietly with 141")
  func aPipeThatClosesEndsLongOutputQuietlyWith141() throws {
    let pipeline = try place.shell(#"{ "$BLE_TOOL" man; echo "status $?" >&2; } | true"#)
    _ = try pipeline.finish()
    #expect(pipeline.errors == ["status 141"] || pipeline.errors == ["status 0"], "\(pipeline.errors)")
  }
}
