import BLECore
import BLEWire

/// What a host reports from one payload, against `expected`.
struct AdvertisingDataExpectations {
  let data: AdvertisingData
  /// The specification leaves a choice that this stack may have made otherwise than the stack the vector comes from.
  let hasChoice: Bool

  func judge(_ key: String, _ wanted: JSONValue, _ outcome: inout VectorOutcome) {
    typealias Vectors = AdvertisingDataVectors
    switch key {
    case "flags":
      judgeNumber(key, wanted, data.flags.map { Int($0.rawValue) }, of: .flags, { Int($0) }, &outcome)
    case "tx_power":
      judgeNumber(
        key, wanted, data.txPowerLevel.map(Int.init), of: .txPowerLevel, { Int(Int8(bitPattern: $0)) }, &outcome)
    case "local_name": judgeName(wanted, &outcome)
    case "name_complete": judgeOptional(key, wanted, data.localName?.isComplete, \.boolean, &outcome)
    case "service_uuids":
      Vectors.judge(key, Vectors.listOrNothing(wanted, Vectors.uuid), data.serviceUUIDs, &outcome)
    case "solicited_uuids":
      Vectors.judge(key, Vectors.listOrNothing(wanted, Vectors.uuid), data.solicitedServiceUUIDs, &outcome)
    case "manufacturer_data":
      Vectors.judge(
        key, Vectors.listOrNothing(wanted, Vectors.manufacturer), data.manufacturerData.map(Vectors.text), &outcome)
    case "service_data":
      Vectors.judge(
        key, Vectors.listOrNothing(wanted, Vectors.serviceData), data.serviceData.map(Vectors.text), &outcome)
    case "field_count": outcome.expect(key, wanted: wanted.integer, got: Array(data).count)
    case "contains_uuid16":
      guard let uuids = Vectors.shortUUIDs(wanted) else { return outcome.notUnderstood(key) }
      for uuid in uuids {
        outcome.expect("\(key) \(uuid)", wanted: true, got: data.containsServiceUUID { $0 == uuid })
      }
    default: outcome.notUnderstood("expected.\(key)")
    }
  }

  private func judgeOptional<Value: Equatable>(
    _ key: String, _ wanted: JSONValue, _ got: Value?, _ read: (JSONValue) -> Value?, _ outcome: inout VectorOutcome
  ) {
    if wanted == .null { return outcome.expect(key, wanted: nil, got: got) }
    guard let value = read(wanted) else { return outcome.notUnderstood(key) }
    outcome.expect(key, wanted: value, got: got)
  }

  /// Where there is a choice, any of several structures of the type may be the one that counts.
  private func judgeNumber(
    _ key: String, _ wanted: JSONValue, _ got: Int?, of type: AdvertisingDataType, _ value: (UInt8) -> Int,
    _ outcome: inout VectorOutcome
  ) {
    let candidates = data.filter { $0.type == type }.compactMap { $0.data.first.map(value) }
    if hasChoice, candidates.count > 1, let integer = wanted.integer, candidates.contains(integer),
      let got, candidates.contains(got)
    {
      return
    }
    judgeOptional(key, wanted, got, \.integer, &outcome)
  }

  /// Where there is a choice, blanks around the name may be there or not.
  private func judgeName(_ wanted: JSONValue, _ outcome: inout VectorOutcome) {
    let got = data.localName?.text
    if hasChoice, let got, let name = wanted.string, Self.trimmed(got) == Self.trimmed(name) { return }
    judgeOptional("local_name", wanted, got, \.string, &outcome)
  }

  private static func trimmed(_ text: String) -> Substring {
    var rest = text[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
