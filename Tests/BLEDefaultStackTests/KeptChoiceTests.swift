import BLEAdapter
import BLEFiles
import Foundation
import Testing

@testable import BLEDefaultStack

/// The configuration file as `ble adapters use` writes it, in the test's own folder.
@Suite("A stored choice")
final class KeptChoiceTests {
  private let home = "/tmp/ble-k-\(UUID().uuidString)"
  private var surroundings: Surroundings

  init() throws {
    surroundings = Surroundings(
      environment: { [home] in $0 == "HOME" ? home : nil }, readFile: Surroundings.fileReader(), system: .ofThisMachine)
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private var path: String { surroundings.configurationPath }
  private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test("I12.3 applies to later programs, and can be removed")
  func keptAndForgotten() throws {
    let name = AdapterName.unixClient(path: #"/run/a "b" \c"#)
    #expect(try KeptChoice(in: surroundings).keep(name) == path)
    #expect(AdapterChoice(in: surroundings).source == .configuration(path: path))
    #expect(try AdapterChoice(in: surroundings).name.get() == name)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent).count == 1)
    try KeptChoice(in: surroundings).keep(nil)
    #expect(try text() == "{}\n")
    #expect(AdapterChoice(in: surroundings).source == .standard)
  }

  @Test("I12.3 leaves everything else in the file unchanged")
  func othersStay() throws {
    try write("{ \"later\": \"a\\\\b\", \"adapter\": \"hci\", \"more\": \"c\" }")
    try KeptChoice(in: surroundings).keep(.radio(air: "lab", device: nil))
    #expect(try text() == "{\n  \"later\": \"a\\\\b\",\n  \"adapter\": \"radio:lab\",\n  \"more\": \"c\"\n}\n")
    try KeptChoice(in: surroundings).keep(nil)
    #expect(try text() == "{\n  \"later\": \"a\\\\b\",\n  \"more\": \"c\"\n}\n")
  }

  @Test("I12.3 changes nothing where the file is invalid, or where the name cannot be written")
  func refused() throws {
    try write("{ \"adapter\": 5 }")
    let mistake = #expect(throws: NamingMistake.self) { try KeptChoice(in: self.surroundings).keep(.hci(nil)) }
    #expect(mistake?.description.contains("nothing was changed") == true)
    #expect(try text() == "{ \"adapter\": 5 }")
    try write("{}")
    #expect(throws: NamingMistake.self) { try KeptChoice(in: self.surroundings).keep(.unixClient(path: "/a\nb")) }
    #expect(try text() == "{}")
    try FileManager.default.removeItem(atPath: path)
    mkfifo(path, 0o600)
    #expect(throws: NamingMistake.self) { try KeptChoice(in: self.surroundings).keep(.hci(nil)) }
    guard case .failure = AdapterChoice(in: surroundings).name else {
      Issue.record("a pipe was taken for a configuration")
      return
    }
  }

  @Test("I12.3 follows a link to the file where the user stores the configuration")
  func links() throws {
    try write("{}")
    let elsewhere = home + "/dotfiles.json"
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    try KeptChoice(in: surroundings).keep(.hci(nil))
    #expect(try String(contentsOfFile: elsewhere, encoding: .utf8).contains("hci"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == elsewhere)
  }
}
