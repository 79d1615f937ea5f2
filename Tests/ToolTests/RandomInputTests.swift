import BLEProfileFiles
import Foundation
import Testing

@testable import ble

/// Any typed or stored input is answered, and never traps.
@Suite("Random input")
struct RandomInputTests {
  private struct Generator: RandomNumberGenerator {
    private(set) var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state = state &+ 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }

  private static let words = [
    "scan", "explore", "read", "write", "subscribe", "serve", "controller", "capture", "show", "demo", "help", "--",
    "-",
    "--json", "--help", "-v", "-vvvv", "-vx", "--duration", "--duration=", "--duration=1e9", "1e400", "-1", "--count",
    "0",
    "99999999999999999999", "--service", "180F", "--format", "hex", "0x", "é", "\u{1B}[m", "\u{0}", "", "=", "--=",
    "---",
    "--listen", "tcp-server:", "tcp-server:[::1]:1", "unix-server:x", "--address", "C0:12:34:56:78:9A", "FFF0/", "/",
    "a/b/c",
    "--adapter", "radio:a/b", "--capture", "x.json", "owenli", "--timeout", ".", "--timeout=nan", "--quiet",
  ]

  @Test("Any command line is accepted or explained")
  func anyCommandLineIsAcceptedOrExplained() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = Generator(seed: seed)
    for _ in 0..<5000 {
      let count = Int.random(in: 0...7, using: &generator)
      let line = (0..<count).map { _ in Self.words.randomElement(using: &generator) ?? "" }
      do throws(UsageError) {
        if case .run(_, let arguments) = try Tool.parser.parse(line) { _ = try CommonOptions(arguments) }
      } catch {
        let acts = error.message.unicodeScalars.contains { $0 != "\\" && String.mayAct($0) }
        #expect(!error.message.isEmpty && !acts, "seed \(seed): \(line)")
      }
    }
  }

  @Test("Any profile is accepted, or refused with a place in the file")
  func anyProfileIsAccepted() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = Generator(seed: seed)
    let text = try Array(Data(contentsOf: URL(fileURLWithPath: Neighbourhood.example("profiles/echo.json"))))
    let lines = text.count { $0 == 0x0A } + 1
    for _ in 0..<2000 {
      var changed = text
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: 0..<changed.count, using: &generator)
        let end = min(changed.count, start + Int.random(in: 0...6, using: &generator))
        let source = Int.random(in: 0..<text.count, using: &generator)
        let other = text[source..<min(text.count, source + Int.random(in: 0...12, using: &generator))]
        changed.replaceSubrange(start..<end, with: other)
      }
      do throws(FileMistakes) {
        _ = try ProfileReader.read(String(decoding: changed, as: UTF8.self))
      } catch {
        #expect(!error.all.isEmpty, "seed \(seed)")
        for mistake in error.all {
          #expect((1...(lines + 50)).contains(mistake.position.line) && mistake.position.column > 0, "seed \(seed)")
          #expect(!mistake.message.isEmpty, "seed \(seed)")
        }
      }
    }
  }
}
