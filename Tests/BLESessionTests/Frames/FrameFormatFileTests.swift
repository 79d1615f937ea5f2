import BLESession
import Foundation
import Testing

@Suite struct FrameFormatFileTests {
  @Test("a format is read from a file, with what is left out by default")
  func reading() throws {
    let text = """
      { "start": "A5 5A", "fields": [{ "meaning": "length" }, { "meaning": "type", "width": 2, "order": "big" }],
        "check": { "algorithm": "crc-8/maxim", "covers": "payload" } }
      """
    let format = try JSONDecoder().decode(FrameFormat.self, from: Data(text.utf8))
    let expected = try FrameFormat(
      start: Data([0xA5, 0x5A]), fields: [.init(.length), .init(.type, width: 2, order: .bigEndian)],
      check: FrameCheck(.cyclicRedundancyCheck("CRC-8/MAXIM-DOW"), covers: .payload))
    #expect(format == expected)
    #expect(try JSONDecoder().decode(FrameFormat.self, from: JSONEncoder().encode(format)) == format)
  }

  @Test(
    "a mistake in a file is told in words",
    arguments: [
      (#"{ "start": "A5 5", "fields": [] }"#, "3 hexadecimal digits do not make whole octets"),
      (#"{ "fields": [{ "meaning": "type", "width": 9 }] }"#, "the type field has 9 octets"),
      (#"{ "fields": [], "check": { "algorithm": "crc-9" } }"#, #"no check is called "crc-9""#),
      (#"{ "fields": [], "maximumPayload": 70000 }"#, "a payload of at most 70000 octets"),
    ])
  func mistakes(text: String, message: String) {
    do {
      _ = try JSONDecoder().decode(FrameFormat.self, from: Data(text.utf8))
      Issue.record("was accepted")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.debugDescription.contains(message))
    } catch {
      Issue.record("\(error)")
    }
  }
}
