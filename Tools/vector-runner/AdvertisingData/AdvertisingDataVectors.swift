import BLECore
import BLEWire

/// Plays `ad-vectors/1`: splitting advertising data and reading what a host reports.
enum AdvertisingDataVectors {
  static func play(_ document: JSONValue) -> [VectorOutcome] {
    (document["vectors"]?.array ?? []).enumerated().map { index, vector in
      play(vector, name: vector["name"]?.string ?? "vector \(index)")
    }
  }

  private static func play(_ vector: JSONValue, name: String) -> VectorOutcome {
    var outcome = VectorOutcome(name: name)
    guard let text = vector["hex"]?.string, let octets = [UInt8](hexadecimal: text) else {
      outcome.notUnderstood("hex")
      return outcome
    }
    guard let structure = vector["structure"]?.object, structure["fields"] != nil else {
      outcome.notUnderstood("structure")
      return outcome
    }
    let portability = vector["portability"]?.string ?? ""
    guard ["spec", "implementation-choice"].contains(portability) else {
      outcome.notUnderstood("portability \(portability)")
      return outcome
    }
    let data = AdvertisingData(octets)
    judgeStructure(structure, of: data, &outcome)
    let expectations = AdvertisingDataExpectations(data: data, hasChoice: portability == "implementation-choice")
    for (key, wanted) in (vector["expected"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      expectations.judge(key, wanted, &outcome)
    }
    return outcome
  }

  private static func judgeStructure(
    _ structure: [String: JSONValue], of data: AdvertisingData, _ outcome: inout VectorOutcome
  ) {
    for (key, wanted) in structure.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "fields":
        let fields = data.map { "\(numberText($0.type.rawValue, digits: 2)) \($0.data.hexadecimal)" }
        judge(key, wanted.list(field), fields, &outcome)
      case "terminated_at":
        var offset: Int?
        if case .terminated(let place) = data.ending { offset = place }
        outcome.expect(key, wanted: wanted.integer, got: offset)
      case "padding_octets":
        var count = 0
        if case .terminated(let place) = data.ending { count = data.octets.count - place }
        outcome.expect(key, wanted: wanted.integer, got: count)
      case "malformed":
        var isMalformed = false
        if case .malformed = data.ending { isMalformed = true }
        outcome.expect(key, wanted: wanted.boolean, got: isMalformed)
      case "service_uuids": judge(key, wanted.list(uuid), data.serviceUUIDs, &outcome)
      case "solicited_uuids": judge(key, wanted.list(uuid), data.solicitedServiceUUIDs, &outcome)
      case "manufacturer_data":
        judge(key, wanted.list(manufacturer), data.manufacturerData.map(text), &outcome)
      case "service_data": judge(key, wanted.list(serviceData), data.serviceData.map(text), &outcome)
      case "peripheral_connection_interval":
        let range = data.peripheralConnectionIntervalRange
        judge(key, interval(wanted), range.map { [Int($0.minimum), Int($0.maximum)] } ?? [], &outcome)
      default:
        if !informative.contains(key) { outcome.notUnderstood("structure.\(key)") }
      }
    }
  }

  /// Compares with what the file wants; `nil`: it could not be read.
  static func judge<Value: Equatable>(
    _ key: String, _ wanted: Value?, _ got: Value, _ outcome: inout VectorOutcome
  ) {
    guard let wanted else { return outcome.notUnderstood(key) }
    outcome.expect(key, wanted: wanted, got: got)
  }

  private static let informative: Set<String> = [
    "description", "remarks", "note", "portability_note", "why", "source", "as_recorded", "checks",
  ]
}
