import BLEText

/// What a sensor advertises, by a name for programs.
package struct Measurement: Equatable, Sendable {
  /// Lower-case words with `_` between them. The second of a name in one advertisement has `_2` at its end, and so on.
  package let name: String
  package let value: BeaconField.Value
  package let kind: MeasurementKind
}

/// A kind of measurement, of those that a table of this program has.
package struct MeasurementKind: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    case number
    /// One of two words; what is not assigned is a number.
    case words(off: String, on: String)
    /// Neither: a text, octets, a moment, a button.
    case other
  }

  /// Lower-case words with `_` between them.
  package let name: String
  /// For people.
  package let label: String
  package let unit: String?
  package let form: Form
}

extension BTHomeObject {
  /// Kinds whose name is another's too: as a number or as words, and in units of two sizes.
  private static let own: [UInt8: (name: String, label: String)] = [
    0x07: ("mass_lb", "Mass in pounds"), 0x10: ("power_on", "Power on"), 0x15: ("battery_low", "Battery low"),
    0x1C: ("gas_detected", "Gas detected"), 0x20: ("moisture_detected", "Moisture detected"),
    0x40: ("distance_mm", "Distance in mm"), 0x48: ("volume_ml", "Volume in mL"),
  ]

  /// - Parameter identifier: its own.
  func measurement(_ identifier: UInt8) -> MeasurementKind {
    let form: MeasurementKind.Form =
      switch kind {
      case .number: .number
      case .words(let off, let on): .words(off: off, on: on)
      case .text, .raw, .moment, .button, .dimmer, .release: .other
      }
    let words = name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    let own = Self.own[identifier]
    return MeasurementKind(name: own?.name ?? String(words), label: own?.label ?? name, unit: unit, form: form)
  }
}

extension MeasurementKind {
  /// All kinds of BTHome's table, some of them more than once: in other widths.
  package static var bthome: [MeasurementKind] {
    BTHomeObject.all.sorted { $0.key < $1.key }.map { $0.value.measurement($0.key) }
  }
}

extension Sighting {
  /// What its sensor has measured, in its order.
  package var measurements: [Measurement] {
    var counts: [String: Int] = [:]
    let frames = hasKey ? opened.map { [$0] } ?? [] : beacons
    return frames.flatMap(\.fields).compactMap { field in
      guard let kind = field.measurement, field.value != .none else { return nil }
      let count = counts[kind.name, default: 0] + 1
      counts[kind.name] = count
      return Measurement(name: count == 1 ? kind.name : "\(kind.name)_\(count)", value: field.value, kind: kind)
    }
  }
}

extension [Measurement] {
  /// `{"temperature": {"value": 25.06, "unit": "°C"}}`; `null` where there are none.
  package var json: JSONValue {
    if isEmpty { return .null }
    return .object(
      map { measured in
        JSONValue.Member(
          key: measured.name,
          value: ["value": measured.value.json ?? .null, "unit": .string(orNull: measured.kind.unit)])
      })
  }
}
