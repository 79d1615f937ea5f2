import Foundation
import Testing

@testable import ble

@Suite("The history file")
struct LineHistoryFileTests {
  private let folder: URL
  private var path: String { folder.appendingPathComponent("state/history/test").path }
  private var file: LineHistoryFile { LineHistoryFile(path: path) }

  init() throws {
    folder = URL(fileURLWithPath: "/tmp/ble-h-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func mode() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("Typed lines are there the next time, for their owner only")
  func typedLinesAreThereTheNextTime() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(file.load() == [])
    var editor = LineEditor(history: file.history())
    _ = editor.take("one\r\u{1B}[200~two\nlines \\n\u{1B}[201~\r中文 👍\r".utf8)
    #expect(try mode() == 0o600)
    #expect(file.load() == ["one", "two\nlines \\n", "中文 👍"])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    file.add("four")
    #expect(try mode() == 0o600 && file.load().last == "four")
  }

  @Test("It is bounded, and the newest lines stay")
  func itIsBoundedAndTheNewestLinesStay() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for number in 0..<600 { file.add("\(number) " + String(repeating: "x", count: 2000)) }
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 1 << 20 && file.load().last?.hasPrefix("599 ") == true && file.load().count > 100)
  }

  @Test("A file that is no history is left unchanged and does no harm")
  func aFileThatIsNoHistoryIsLeftUnchanged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    file.add("one")
    let secret = folder.appendingPathComponent("secret")
    try Data("secret\n".utf8).write(to: secret)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: secret.path)
    file.add("two")
    #expect(file.load() == [])
    #expect(try Data(contentsOf: secret) == Data("secret\n".utf8))
    #expect(LineHistoryFile(path: folder.path).load() == [])
    LineHistoryFile(path: folder.path).add("x")
    let rubbish = LineHistoryFile(path: folder.appendingPathComponent("rubbish").path)
    try Data((0..<300_000).map { UInt8($0 * 7 % 256) }).write(to: URL(fileURLWithPath: rubbish.path))
    #expect(rubbish.load().count <= LineHistory.mostLines)
    rubbish.add("after")
    #expect(rubbish.load().last?.hasSuffix("after") == true)
  }
}
