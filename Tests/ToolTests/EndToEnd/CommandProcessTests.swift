import Foundation
import Testing

@testable import ble

/// Tests of the built program without a radio.
@Suite("The program", .serialized)
struct CommandProcessTests {
  private let place = Neighbourhood()

  @Test("Help and version are printed on the standard output, with status 0")
  func helpAndVersionArePrintedOnTheStandardOutput() throws {
    let help = try place.run("--help")
    #expect(help.status == 0 && help.lines.first?.hasPrefix("OVERVIEW: ") == true && help.errors.isEmpty)
    let version = try place.run("--version")
    #expect(version.status == 0 && version.lines.count == 1 && version.lines[0].hasPrefix("ble "))
  }

  @Test("--help of every command prints its page and ends with 0")
  func helpOfEveryCommandPrintsItsPageAndEnds() throws {
    func below(_ path: [CommandNode]) -> [[CommandNode]] {
      [path] + (path.last?.subcommands ?? []).flatMap { below(path + [$0]) }
    }
    let paths = below([Tool.tree])
    #expect(paths.count > 30)
    for path in paths {
      let process = try place.run(path.dropFirst().map(\.name) + ["--help"])
      #expect(process.status == 0 && process.errors.isEmpty, "\(process.transcript)")
      let page = HelpPage(of: path, parser: Tool.parser).text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(process.lines == page.map(String.init))
    }
  }

  @Test(
    "A wrong command line ends with 64, the corrected word and the usage",
    arguments: [
      (["sacn"], "Did you mean 'scan'?"), (["scan", "--jsn"], "Did you mean '--json'?"),
      (["read", "x"], "<characteristic>"), (["serve", "owenlo"], "Did you mean 'owenli'?"),
      (["scan", "--adapter", "radoi"], "is not a kind of adapter"),
      (["controller", "--listen", "tcp-server:0.0.0.0:0"], "--allow-remote"),
    ])
  func aWrongCommandLineEndsWith64(words: [String], hint: String) throws {
    let process = try place.run(words)
    #expect(process.status == 64 && process.lines.isEmpty)
    let errors = process.errors
    #expect(errors.first?.contains(hint) == true, "\(errors)")
    #expect(errors.contains { $0.hasPrefix("Usage: ble") })
  }

  @Test("A profile with mistakes ends with 65, and file, line and column of each")
  func aProfileWithAMistakeEndsWith65() throws {
    let path = try place.file("wrong.json", "{\n  \"name\": \"x\",\n  \"services\": [{\"uuid\": \"XYZ\"}]\n}")
    let plain = try place.run("serve", path)
    #expect(plain.status == 65 && plain.lines.isEmpty)
    #expect(plain.errors.first?.contains("wrong.json:3:16: a service needs \"characteristics\"") == true)
    #expect(plain.errors.contains { $0.contains("wrong.json:3:25: invalid UUID 'XYZ'") })
    let json = try place.run("serve", path, "--json")
    let error = ToolProcess.object(try #require(json.errors.last))?["error"] as? [String: Any]
    #expect(error?["kind"] as? String == "bad-data" && error?["status"] as? Int == 65)
    #expect(try place.run("serve", place.path("missing.json")).status == 66)
  }

  @Test("A profile may come from a pipe, which can be read only once")
  func aProfileMayComeFromAPipe() throws {
    let path = Neighbourhood.example("profiles/echo.json")
    let serve = try place.shell("cat '\(path)' | $BLE_TOOL serve /dev/stdin --duration 1")
    let (status, lines) = try serve.finish()
    #expect(status == 0 && lines.first?.hasPrefix("Advertising 'Echo'") == true, "\(serve.transcript)")
  }

  @Test("A missing controller ends with 69")
  func aMissingControllerEndsWith69() throws {
    let result = try place.run("scan", "--adapter", "unix-client:/tmp/nobody-is-here", "--timeout", "5")
    #expect(result.status == 69, "\(result.transcript)")
  }

  @Test("A capture that cannot be written ends with 66 before anything is started")
  func aCaptureThatCannotBeWrittenEndsWith66() throws {
    let result = try place.run("scan", "--capture", "/nowhere/at/all")
    #expect(result.status == 66, "\(result.transcript)")
    #expect(result.errors.first?.contains("/nowhere/at/all: cannot be written") == true)
  }

  @Test("A file that is no capture ends with 65, a missing one with 66")
  func aFileThatIsNoCaptureEndsWith65() throws {
    let path = try place.file("no.btsnoop", "hello, world")
    #expect(try place.run("capture", "show", path).status == 65)
    #expect(try place.run("capture", "show", place.path("missing")).status == 66)
  }
}
