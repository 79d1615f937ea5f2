import BLESession
import CoreBluetooth

/// Writes a recording as the text of a device description file. The same recording is the same text.
struct RecordingWriter {
  private(set) var text = ""

  mutating func write(_ name: String, _ summary: String?, _ recording: RecordedDevice) {
    text = "{\n  \"format\": \(Self.quoted(DeviceDescription.formatName)),\n  \"name\": \(Self.quoted(name)),\n"
    if let summary { text += "  \"description\": \(Self.quoted(summary)),\n" }
    text += "  \"recording\": {\n"
    var members: [String] = []
    func list(_ key: String, _ entries: [String]) {
      guard !entries.isEmpty else { return }
      members.append("    \"\(key)\": [\n      " + entries.joined(separator: ",\n      ") + "\n    ]")
    }
    list("advertisements", recording.advertisements.map(Self.advertisement))
    if let mtu = recording.maximumTransmissionUnit { members.append("    \"mtu\": \(mtu)") }
    list("connections", recording.connections.map(Self.connection))
    list("parameter_requests", recording.parameterRequests.map(Self.parameterRequest))
    if recording.security != RecordedSecurity() {
      members.append("    \"security\": " + Self.security(recording.security))
    }
    list("attributes", recording.attributes.map(Self.attribute))
    list("answers", recording.answers.map(Self.answer))
    list("streams", recording.streams.map(Self.stream))
    list("exchanges", recording.exchanges.map(Self.exchange))
    list("notes", recording.notes.map(Self.quoted))
    text += members.joined(separator: ",\n") + (members.isEmpty ? "  }\n}\n" : "\n  }\n}\n")
  }

  private static func object(_ members: [String?]) -> String {
    "{" + members.compactMap { $0 }.joined(separator: ", ") + "}"
  }

  private static func flag(_ key: String, _ isSet: Bool) -> String? { isSet ? "\"\(key)\": true" : nil }
  private static func octets(_ octets: Data) -> String { "\"" + Hexadecimal.encode(octets) + "\"" }
  private static func list(_ entries: [String]) -> String { "[" + entries.joined(separator: ", ") + "]" }

  private static func advertisement(_ entry: RecordedAdvertisement) -> String {
    object([
      "\"data\": " + octets(entry.data), flag("scan_response", entry.isScanResponse),
      flag("connectable", entry.isConnectable), entry.interval.map { "\"interval\": " + seconds($0) },
    ])
  }

  private static func connection(_ entry: RecordedConnection) -> String {
    object([
      "\"interval\": \(entry.interval)", "\"latency\": \(entry.latency)", "\"timeout\": \(entry.supervisionTimeout)",
    ])
  }

  private static func parameterRequest(_ entry: RecordedParameterRequest) -> String {
    object([
      "\"after\": " + seconds(entry.delay), "\"least_interval\": \(entry.minimumInterval)",
      "\"greatest_interval\": \(entry.maximumInterval)", "\"latency\": \(entry.latency)",
      "\"timeout\": \(entry.supervisionTimeout)",
    ])
  }

  private static func security(_ security: RecordedSecurity) -> String {
    object([
      flag("demanded", security.isDemanded), flag("paired", security.isPaired), flag("encrypted", security.isEncrypted),
    ])
  }

  private static func attribute(_ attribute: RecordedAttribute) -> String {
    var members: [String?] = ["\"handle\": \(attribute.handle)"]
    switch attribute.kind {
    case .service(let uuid, let end, let isPrimary):
      members += ["\"service\": \"\(uuid.uuidString)\"", isPrimary ? nil : "\"primary\": false", "\"end\": \(end)"]
    case .included(let start, let end, let uuid):
      members += ["\"includes\": \(start)", "\"end\": \(end)", uuid.map { "\"uuid\": \"\($0.uuidString)\"" }]
    case .characteristic(let uuid, let valueHandle, let properties):
      let words = PropertyWord.allCases.filter { properties & $0.bit != 0 }.map { quoted($0.rawValue) }
      members += [
        "\"characteristic\": \"\(uuid.uuidString)\"", "\"value_handle\": \(valueHandle)",
        "\"properties\": " + list(words),
      ]
    case .value(let type): members.append(type.map { "\"type\": \"\($0.uuidString)\"" })
    }
    members.append(attribute.value.map { "\"value\": " + value($0) })
    let follows = RecordedAttribute.Source.allCases.filter(attribute.follows.contains).map { quoted($0.rawValue) }
    members.append(follows.isEmpty ? nil : "\"follows\": " + list(follows))
    members.append(attribute.readRefusal.map { "\"read_refused\": " + refusal($0) })
    members.append(attribute.writeRefusal.map { "\"write_refused\": " + refusal($0) })
    return object(members)
  }

  private static func refusal(_ refusal: RecordedRefusal) -> String {
    object(["\"code\": \(refusal.code)", flag("until_encrypted", refusal.endsWithEncryption)])
  }

  private static func answer(_ answer: RecordedAnswer) -> String {
    let match =
      switch answer.match {
      case .same(let octets): "\"same\": " + Self.octets(octets)
      case .prefix(let octets): "\"prefix\": " + Self.octets(octets)
      }
    let turns = answer.turns.map { list($0.map(statement)) }
    let says = turns.count == 1 ? "\"says\": " + turns[0] : "\"turns\": " + list(turns)
    return object(["\"to\": \(answer.handle)", match, says])
  }

  private static func statement(_ statement: RecordedStatement) -> String {
    object([
      "\"from\": \(statement.handle)", flag("indicates", statement.isIndication),
      "\"after\": " + seconds(statement.delay), "\"value\": " + value(statement.value),
    ])
  }

  private static func stream(_ stream: RecordedStream) -> String {
    object([
      "\"from\": \(stream.handle)", flag("indicates", stream.isIndication),
      "\"begins\": " + quoted(stream.beginning.rawValue),
      "\"times\": " + list(stream.runs.map { list($0.map(seconds)) }), "\"value\": " + value(stream.value),
      stream.pause.map { "\"pause\": " + seconds($0) },
    ])
  }

  private static func exchange(_ exchange: RecordedExchange) -> String {
    object(["\"request\": " + octets(exchange.request), "\"responses\": " + list(exchange.responses.map(octets))])
  }

  private static func value(_ value: RecordedValue) -> String {
    switch value {
    case .sequence(let all): return "{\"sequence\": " + list(all.map(octets)) + "}"
    case .parts(let parts):
      if parts.isEmpty { return octets(Data()) }
      if parts.count == 1, case .constant(let octets) = parts[0] { return Self.octets(octets) }
      return "{\"parts\": " + list(parts.map(part)) + "}"
    }
  }

  private static func part(_ part: RecordedValue.Part) -> String {
    switch part {
    case .constant(let octets): return Self.octets(octets)
    case .written(let offset, let count): return object(["\"written\": \(offset)", count.map { "\"octets\": \($0)" }])
    case .counter(let start, let step, let width, let order):
      return object([
        "\"counter\": \(start)", "\"step\": \(step)", "\"octets\": \(width)", "\"order\": " + quoted(order.rawValue),
      ])
    case .clock(let start, let unit, let phase, let width, let order):
      return object([
        "\"clock\": \(start)", "\"unit\": " + seconds(unit), "\"phase\": " + seconds(phase), "\"octets\": \(width)",
        "\"order\": " + quoted(order.rawValue),
      ])
    }
  }

  /// Microseconds as seconds, exactly.
  private static func seconds(_ microseconds: Int64) -> String {
    let magnitude = microseconds.magnitude
    let digits = String(magnitude % 1_000_000)
    var fraction = String(repeating: "0", count: 6 - digits.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (microseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000)" + (fraction.isEmpty ? "" : ".\(fraction)")
  }

  /// A JSON string in ASCII: nothing in it acts on a terminal.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: quoted += "\\\""
      case 0x5C: quoted += "\\\\"
      case 0x20..<0x7F: quoted.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return quoted + "\""
  }
}

extension DeviceDescription {
  /// A device that is nothing but a recording.
  public init(name: String, summary: String? = nil, recording: RecordedDevice) {
    self.init(
      name: name, summary: summary, recognition: recording.recognition, wakeHint: nil, patience: 5, conversation: nil,
      commands: [], notifications: [], simulation: nil)
    self.recording = recording
  }

  /// The text of a file that has the name, the description for people and the recording, and nothing else.
  public var recordingText: String? {
    recording.map { recording in
      var writer = RecordingWriter()
      writer.write(name, summary, recording)
      return writer.text
    }
  }
}
