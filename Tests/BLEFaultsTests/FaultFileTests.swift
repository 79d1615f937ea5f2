import BLECore
import BLEFaults
import Testing

/// Files of faults with mistakes: each is reported with its place and what was expected, all at once.
@Suite("Files of faults")
struct FaultFileTests {
  private func mistakes(in text: String) -> [String] {
    do throws(FaultFileError) {
      _ = try FaultFile(text: text, file: "f.json")
      return []
    } catch { return error.lines }
  }

  private func mistake(inFault fault: String) -> [String] {
    mistakes(in: #"{"format": "ble-faults/1", "faults": [\#(fault)]}"#).map { String($0.dropFirst("f.json:1:".count)) }
  }

  @Test("I14.B all mistakes of a file of faults are reported at once, with line, column and what was expected")
  func allAtOnce() {
    let text = """
      {
        "format": "ble-faults/1",
        "faults": [
          {"when": {"raed": "2A37"}, "what": "drop"},
          {"when": {"read": "2A3"}, "what": "drop"},
          {"when": {"read": "any", "nth": 0}, "what": {"delay": -1}},
          {"when": {"packet": "ATT_READ_RESP"}, "what": "dorp"},
          {"when": {"read": "any"}, "what": "no_answer"},
          {"what": "drop"}
        ],
        "fautls": []
      }
      """
    #expect(
      mistakes(in: text) == [
        #"f.json:4:15: "when" has no "raed". Did you mean 'read'?"#,
        #"f.json:5:23: expected "any", a characteristic's UUID, UUID/UUID for a descriptor, or a handle such as "0x0012", found "2A3""#,
        "f.json:6:37: expected a count from 1 to 1000000",
        "f.json:6:59: expected 0.001 to 86400 seconds",
        #"f.json:7:25: expected the name of a packet, such as "ATT_READ_RSP" or "Pairing Request", found "ATT_READ_RESP". Did you mean 'ATT_READ_RSP'?"#,
        "f.json:7:51: 'dorp' is not an action: expected \(words). Did you mean 'drop'?",
        #"f.json:9:5: a fault needs "when""#,
        #"f.json:11:3: the file of faults has no "fautls". Did you mean 'faults'?"#,
      ])
  }

  private var words: String { FaultAction.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

  @Test(
    "I14.B a fault without sense is refused with its reason",
    arguments: [
      (#"{"when": {"time": 3}, "what": "drop"}"#, "39: 'drop' needs a packet, and time is none"),
      (
        #"{"when": {"notification": "any"}, "what": {"error": "0x0E"}}"#,
        "39: only a request can be answered with an error"
      ),
      (#"{"when": {"notification": "any"}, "what": "no_answer"}"#, "39: only a request or an indication has an answer"),
      (#"{"when": {"read": "any"}, "what": {"declare_mtu": 512}}"#, "39: an MTU is declared in the MTU exchange only"),
      (
        #"{"when": {"read": "any"}, "what": {"disconnect": "0x08"}}"#,
        "39: a device cannot end a link with Connection Timeout (0x08)"
      ),
      (#"{"when": {"read": "any", "from": "peer"}, "what": "drop"}"#, #"48: "from" belongs to a "packet""#),
      (#"{"when": {"time": 1, "every": true}, "what": "restart"}"#, #"48: "time" comes once"#),
      (
        #"{"when": {"read": "any", "nth": 1, "every": true}, "what": "drop"}"#,
        #"48: "when" has at most one of "nth", "starting_with", "first", "every", "chance""#
      ),
      (#"{"when": {"read": "any", "write": "any"}, "what": "drop"}"#, "48: "),
      (#"{"when": {}, "what": "drop"}"#, "48: "),
      (#"{"when": {"read": 5}, "what": "drop"}"#, "57: expected "),
      (#"{"when": {"read": "any", "chance": 2}, "what": "drop"}"#, "74: expected a probability from 0.001 to 1"),
      (#"{"when": {"read": "any"}, "what": {"replace": "0G"}}"#, "85: expected a packet of 1 to 1024 octets"),
      (#"{"when": {"read": "any"}, "what": {"flip": {"octet": 0}}}"#, #"82: "flip" needs "mask""#),
      (#"{"when": {"read": "any"}, "what": {"error": 256}}"#, #"83: expected an ATT error code from "0x01" to "0xFF""#),
      (#"{"when": {"read": "any"}, "what": "delay"}"#, #"73: "delay" needs a value: {"delay": ...}"#),
      (#"{"when": {"read": "any"}, "what": {"remove_service": "18"}}"#, "92: expected a service's UUID"),
      (#"{"when": {"phase": "descovery"}, "what": "restart"}"#, "58: 'descovery' is not a phase"),
      (#"[]"#, "39: expected an object for a fault, found a list"),
    ])
  func senseless(fault: String, expected: String) {
    let found = mistake(inFault: fault)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(expected) == true, "\(found)")
  }

  @Test(
    "I14.B a file that is none is refused with its place",
    arguments: [
      ("", "f.json:1:1: "), ("[]", "f.json:1:1: expected an object"), ("{", "f.json:1:2: "),
      (#"{"format": "ble-faults/2", "faults": []}"#, #"f.json:1:12: expected "ble-faults/1", found "ble-faults/2""#),
      (#"{"faults": []}"#, #"f.json:1:1: the file of faults needs "format""#),
      (#"{"format": "ble-faults/1", "faults": {}}"#, "f.json:1:38: expected a list of faults, found an object"),
      (#"{"format": "ble-faults/1", "faults": [{]}"#, "f.json:1:40: "),
    ])
  func noFile(text: String, expected: String) {
    #expect(mistakes(in: text).first?.hasPrefix(expected) == true, "\(mistakes(in: text))")
  }

  @Test("I14.B a file of too many faults, or too long, is refused")
  func limits() {
    let fault = #"{"when": {"read": "any"}, "what": "drop"}"#
    let many = Array(repeating: fault, count: FaultFile.mostFaults + 1).joined(separator: ",")
    #expect(
      mistakes(in: #"{"format": "ble-faults/1", "faults": [\#(many)]}"#)
        == ["f.json:1:38: at most 1000 faults, found 1001"])
    #expect(
      mistakes(in: String(repeating: " ", count: FaultFile.largestFile + 1))
        == ["f.json:1:1: a file of faults has at most 1048576 octets"])
  }

  @Test(
    "I14.B a fault in words with a mistake is refused with its column and a suggestion",
    arguments: [
      ("raed 2A37 drop", "1: expected an event, a count or an action, found 'raed'. Did you mean 'read'?"),
      ("read 2A37 nth x drop", "15: expected a count, found a string"),
      ("read 2A37 delay", "11: 'delay' needs a value"),
      ("read 2A37 drop error 0x0E", "16: a fault has one action"),
      ("read 2A37", #"1: a fault needs "what""#), ("drop", #"1: a fault needs "when""#),
      ("", #"1: a fault needs "when""#),
      ("packet \"Pairing Random drop", "8: expected a second '\"'"),
      ("read 2A37 flip 0 x", "18: expected a mask of bits"),
      ("read 2A37 error \u{1B}[31m", "17: expected an ATT error code"),
    ])
  func words(text: String, expected: String) {
    do throws(FaultFileError) {
      let fault = try Fault(text: text, name: "line")
      Issue.record("read as \(fault)")
    } catch {
      #expect(error.lines.first?.hasPrefix("line:1:\(expected)") == true, "\(error)")
      #expect(!error.description.contains("\u{1B}"))
    }
  }

  @Test(
    "I14.B random changes of files and words are read, or refused with places, and what is read is written and read again"
  )
  func randomChanges() throws {
    let chance = SeededEntropy(seed: 0x1402)
    func number(_ below: Int) -> Int { Int(chance.uniform(0..<UInt64(max(1, below)))) }
    var counts = (read: 0, refused: 0)
    for round in 0..<4_000 {
      let isFile = round % 2 == 0
      let fault = Fault.known[number(Fault.known.count)]
      let text = Array(isFile ? FaultFile(faults: [fault]).json.utf8 : fault.words.utf8)
      var changed = text
      for _ in 0...number(2) {
        let start = number(changed.count)
        let end = min(changed.count, start + number(isFile ? 7 : 3))
        let source = number(text.count)
        let piece =
          number(3) == 0 ? chance.octets(number(4)) : Array(text[source..<min(text.count, source + number(8))])
        changed.replaceSubrange(start..<end, with: piece)
      }
      do throws(FaultFileError) {
        let faults =
          isFile
          ? try FaultFile(octets: changed, file: "f").faults
          : [try Fault(text: String(decoding: changed, as: UTF8.self))]
        counts.read += 1
        for fault in faults {
          #expect(fault.mistake == nil)
          #expect((try? Fault(text: fault.json)) == fault && (try? Fault(text: fault.words)) == fault, "\(fault.json)")
        }
      } catch {
        counts.refused += 1
        #expect((1...50).contains(error.mistakes.count))
        #expect(error.mistakes.map(\.position) == error.mistakes.map(\.position).sorted())
        let acts = error.description.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || $0.value == 0x7F) }
        #expect(!acts, "\(error)")
      }
    }
    #expect(counts.read > 50 && counts.refused > 1_000, "\(counts)")
  }
}
