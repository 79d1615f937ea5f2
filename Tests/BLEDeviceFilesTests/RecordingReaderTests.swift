import BLEDeviceFiles
import CoreBluetooth
import Testing

/// `recording`: what is read, and what is a mistake.
@Suite struct RecordingReaderTests {
  private func file(_ recording: String) -> String {
    """
    {"format": "ble-device/1", "name": "Lamp", "recording": {
    \(recording)
    }}
    """
  }

  private func mistakes(_ recording: String) -> [String] {
    do throws(DeviceFileError) {
      _ = try DeviceDescription(text: file(recording), file: "lamp.json")
      return []
    } catch {
      return error.lines
    }
  }

  @Test("I14.1 a recording with all its members is read, and the device is recognised by what it advertises")
  func all() throws {
    let text = file(
      """
      "advertisements": [{"data": "020106 05094c616d70 05ff4b4c0102", "connectable": true, "interval": 0.1}],
      "mtu": 185, "connections": [{"interval": 24, "latency": 0, "timeout": 72}],
      "parameter_requests": [
        {"after": 1.5, "least_interval": 12, "greatest_interval": 24, "latency": 0, "timeout": 72}],
      "security": {"demanded": true},
      "attributes": [
        {"handle": 1, "service": "180F", "end": 9},
        {"handle": 2, "characteristic": "2A19", "value_handle": 3, "properties": ["read", "notify"]},
        {"handle": 3, "type": "2A19", "value": "55", "follows": ["notified"], "read_refused": {"code": 5, "until_encrypted": true}},
        {"handle": 4, "type": "2902"}, {"handle": 5, "includes": 20, "end": 30, "uuid": "180A"}, {"handle": 9}],
      "answers": [{"to": 3, "prefix": "01", "says": [{"from": 3, "after": 0.02, "value": {"parts": ["90", {"written": 1}]}}]}],
      "streams": [{"from": 3, "times": [[1, 2.5]], "value": {"sequence": ["01", "02"]}, "pause": 1}],
      "exchanges": [{"request": "0A0900", "responses": ["0B01"]}], "notes": ["A note."]
      """)
    let lamp = try DeviceDescription(text: text, file: "lamp.json")
    let recording = try #require(lamp.recording)
    #expect(lamp.recognition.names == ["Lamp"])
    #expect(recording.advertisements.first?.interval == 100_000)
    #expect(recording.parameterRequests.map(\.delay) == [1_500_000])
    #expect(recording.attributes.map(\.handle) == [1, 2, 3, 4, 5, 9])
    #expect(recording.attribute(2)?.kind == .characteristic(CBUUID(string: "2A19"), valueHandle: 3, properties: 0x12))
    #expect(recording.attribute(9)?.kind == .value(type: nil))
    #expect(recording.streams.first?.runs == [[1_000_000, 2_500_000]])
    let again = try DeviceDescription(text: lamp.recordingText ?? "", file: "lamp.json")
    #expect(again.recording == recording)
  }

  @Test(
    "I14.B mistakes in a recording are found together, each with its place and what was expected",
    arguments: [
      ("\"mtu\": 22", "lamp.json:2:8: expected an MTU: a whole number from 23 to 65535"),
      ("\"attributes\": [{\"handle\": 0}]", "lamp.json:2:27: expected a handle"),
      (
        "\"attributes\": [{\"handle\": 2}, {\"handle\": 2}]",
        "lamp.json:2:31: expected the attributes by ascending handle"
      ),
      ("\"attributes\": [{\"handle\": 5, \"service\": \"180F\", \"end\": 4}]", "lamp.json:2:16: a service ends"),
      ("\"attributes\": [{\"handle\": 5, \"service\": \"180F\"}]", "needs \"end\""),
      ("\"attributes\": [{\"handle\": 5, \"typ\": \"180F\"}]", "has no \"typ\". Did you mean 'type'?"),
      ("\"attributes\": [{\"handle\": 5, \"value\": \"5\"}]", "expected octets as hexadecimal digits"),
      (
        "\"attributes\": [{\"handle\": 5, \"value\": {\"parts\": [{\"counter\": 1, \"octets\": 9}]}}]",
        "expected the width of a number"
      ),
      (
        "\"attributes\": [{\"handle\": 5, \"value\": {\"parts\": [{\"clock\": 1, \"unit\": 0}]}}]",
        "\"unit\" is 0.000001 s or more"
      ),
      ("\"answers\": [{\"to\": 5, \"says\": []}]", "needs either \"same\" or \"prefix\""),
      ("\"answers\": [{\"to\": 5, \"same\": \"01\"}]", "needs \"says\" or \"turns\""),
      ("\"streams\": [{\"from\": 5, \"times\": [[2, 1]], \"value\": \"\"}]", "expected the times in ascending order"),
      ("\"streams\": [{\"from\": 5, \"times\": [[1]], \"value\": \"\", \"pause\": 0}]", "expected 0.001 s or more"),
      ("\"exchanges\": [{\"request\": \"\", \"responses\": []}]", "expected a request of 1 to 65535 octets"),
      ("\"security\": {\"payred\": true}", "has no \"payred\""),
    ])
  func mistakes(recording: String, expected: String) {
    let found = mistakes(recording)
    #expect(found.contains { $0.contains(expected) }, "\(found)")
  }

  @Test("I14.B several mistakes of one recording are reported in the order of the file")
  func severalMistakes() {
    let found = mistakes("\"attributes\": [{\"handle\": 0}],\n\"mtu\": 1,\n\"streams\": 5")
    #expect(found.map { $0.split(separator: ":")[1] } == ["2", "3", "4"])
  }

  @Test("I14.1 a file that has a recording, and a match of its own, is recognised by the match")
  func ownMatch() throws {
    let text = #"{"format": "ble-device/1", "name": "L", "match": {"name_prefix": "L"}, "recording": {}}"#
    let lamp = try DeviceDescription(text: text, file: "lamp.json")
    #expect(lamp.recognition.namePrefix == "L")
  }
}
