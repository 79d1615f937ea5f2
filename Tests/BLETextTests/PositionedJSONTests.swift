import BLEText
import Foundation
import Testing

@Suite("JSON with positions")
struct PositionedJSONTests {
  @Test("Every value has its position")
  func everyValueHasItsPosition() throws {
    let json = try PositionedJSONReader.read("{\n  \"a\": [1,\n    \"你\", true]\n}")
    guard case .object(let members) = json.content, case .array(let entries) = members[0].value.content else {
      Issue.record("not an object with a list")
      return
    }
    #expect(members[0].position == TextPosition(line: 2, column: 3))
    #expect(entries.map(\.position) == [(2, 9), (3, 5), (3, 10)].map { TextPosition(line: $0.0, column: $0.1) })
    #expect(entries.map(\.content) == [.number(1), .string("你"), .bool(true)])
  }

  @Test("Escapes mean what RFC 8259 says")
  func escapesMeanWhatRFC8259Says() throws {
    let json = try PositionedJSONReader.read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#)
    #expect(json.content == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
  }

  @Test(
    "An error is reported with its place",
    arguments: [
      ("", 1, 1, "expected a value, found the end of the file"),
      ("{\"a\" 1}", 1, 6, "expected ':' after \"a\", found '1'"),
      ("{\"a\": 1,}", 1, 9, "expected a member's name in quotes, found '}'"),
      ("[1\n2]", 2, 1, "expected ',' or ']', found '2'"),
      ("{\"a\": 1, \"a\": 2}", 1, 10, "\"a\" appears twice"),
      ("[01]", 1, 2, "expected a number, found '01'"),
      ("1e999", 1, 1, "expected a number, found '1e999'"),
      ("nul", 1, 4, "expected null, found the end of the file"),
      ("\"a\nb\"", 1, 3, "expected the end of the string"),
      ("\"a", 1, 1, "this string is not terminated"),
      (#""\x""#, 1, 2, "is not an escape of JSON"),
      (#""\ud800""#, 1, 2, "half of a surrogate pair"),
      ("1 2", 1, 3, "expected the end of the file, found '2'"),
      ("{'a': 1}", 1, 2, "expected a member's name in quotes, found '''"),
      ("\u{1B}", 1, 1, "found '\\u{1B}'"),
    ])
  func anErrorIsReportedWithItsPlace(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: PositionedError.self) { _ = try PositionedJSONReader.read(text) }
    #expect(error.position == TextPosition(line: line, column: column))
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test("Nesting has a limit")
  func nestingHasALimit() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(throws: PositionedError.self) { _ = try PositionedJSONReader.read(deep) }
  }

  @Test("It agrees with Foundation on what is JSON, whatever is changed in a file")
  func itAgreesWithFoundationOnWhatIsJSON() {
    let text = Array(#"{"name":"É😀","n":[1,-2.5e3,0,true,false,null,{}],"s":"\u0041\n"}"#.utf8)
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: .min ... .max, using: &random)
    var generator = Generator(state: seed)
    for _ in 0..<2000 {
      var changed = text
      changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(in: 0x20...0x7E, using: &generator)
      guard let candidate = String(validating: changed, as: UTF8.self) else { continue }
      let expected = try? JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)
      let found = try? PositionedJSONReader.read(candidate)
      // Where both accept, they agree; text that Foundation refuses is refused here.
      if expected == nil { #expect(found == nil, "seed \(seed): \(candidate)") }
    }
    for count in text.indices {
      guard let candidate = String(validating: text[..<count], as: UTF8.self) else { continue }
      #expect(throws: PositionedError.self) { _ = try PositionedJSONReader.read(candidate) }
    }
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
}
