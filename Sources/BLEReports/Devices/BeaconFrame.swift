import BLECore

/// A frame of a beacon or sensor in an advertisement, field by field: Apple's iBeacon in manufacturer data (Proximity Beacon Specification),
/// Google's Eddystone in the data of service FEAA (Eddystone Protocol Specification), or the measurements of a sensor: in the data of service FCD2
/// (BTHome, version 2) or FE95 (Xiaomi's MiBeacon), or as a maker has laid them out.
///
/// Anything on the air may claim to be a beacon. What can be read is in `fields`; `problem` says where the rest is not as specified.
package struct BeaconFrame: Equatable, Sendable {
  package let format: Format
  /// The service in whose data the frame is; `nil` for manufacturer data.
  package let service: String?
  /// In their order. Together they have all octets that follow the company identifier or the service's UUID; of encrypted measurements that were
  /// opened, those under the encryption. Where several values are in the same octets, the first one has them. Some makers have data in place of the
  /// company identifier, which is then part of it.
  package let fields: [BeaconField]
  /// What is wrong with it; `nil` for a frame as specified.
  package private(set) var problem: String?

  init(_ format: Format, service: String?, _ reader: BeaconReader) {
    self.format = format
    self.service = service
    (fields, problem) = reader.finished()
  }

  /// For people, on one line.
  package var words: String {
    let said = fields.filter { !$0.isFraming }.compactMap(\.words) + (problem.map { [$0] } ?? [])
    return ([format.rawValue] + said).joined(separator: ", ")
  }
}

/// A field of a beacon's frame.
package struct BeaconField: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    /// Not measured, not readable, or of no meaning.
    case none
  }

  package let name: String
  package let octets: [UInt8]
  package let value: Value
  package let unit: String?
  /// Whether it only says how the frame is made.
  let isFraming: Bool
  /// Which measurement it is; `nil` for other fields.
  let measurement: MeasurementKind?

  var words: String? {
    let text: String
    switch value {
    case .text(let own): text = own
    case .integer(let number): text = String(number)
    case .number(let number): text = number.plain
    case .none: return nil
    }
    return "\(name) \(text)\(unit.map { " \($0)" } ?? "")"
  }
}

extension BeaconFrame: Report {
  package static let members: [ReportMember<Self>] = [
    .init("format") { .word($0.format.rawValue) }, .init("service") { .word($0.service) },
    .init("fields") { .parts($0.fields) }, .init("problem") { .word($0.problem) },
  ]
}

extension BeaconField: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .word($0.name) }, .init("octets") { .word($0.octets.hexadecimal) },
    .init("value") { .json($0.value.json) }, .init("unit") { .word($0.unit) },
  ]
}

extension BeaconField.Value {
  var json: JSONValue? {
    switch self {
    case .text(let text): .string(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .none: nil
    }
  }
}

extension BeaconFrame {
  /// Measurements of a sensor in the data of a service whose sensors can encrypt them.
  /// - Parameter opening: of encrypted ones; `nil`: there is no key.
  /// - Returns: `nil` for the data of another service.
  package init?(sensor service: String, data: [UInt8], opening: Opening? = nil) {
    guard
      let frame = Self(bthome: service, data: data, opening: opening)
        ?? Self(miBeacon: service, data: data, opening: opening) ?? Self(qingping: service, data: data)
    else { return nil }
    self = frame
  }
}

extension Sighting {
  /// The frames of beacons in it.
  ///
  /// Apple's systems withhold an iBeacon's manufacturer data from Core Bluetooth; on Linux it is there.
  package var beacons: [BeaconFrame] {
    manufacturerFrames.map(believed)
      + serviceData.compactMap {
        if let opened, opened.service == $0.service { return opened }
        let frame =
          FixedLayout.index.serviceFrame($0, self) ?? BeaconFrame(service: $0.service, data: $0.data)
          ?? BeaconFrame(sensor: $0.service, data: $0.data)
        return frame.map(believed)
      }
  }

  /// Some sensors are iBeacons as well, and some only begin like one.
  private var manufacturerFrames: [BeaconFrame] {
    guard let manufacturerData else { return [] }
    let sensor = FixedLayout.index.manufacturerFrame(self)
    guard let beacon = BeaconFrame(manufacturerData: manufacturerData) else { return sensor.map { [$0] } ?? [] }
    guard let sensor else { return [beacon] }
    return beacon.problem == nil ? [beacon, sensor] : [sensor]
  }

  private func believed(_ frame: BeaconFrame) -> BeaconFrame { hasKey ? frame.doubted() : frame }
}

extension BeaconFrame {
  /// The frame of a sensor that encrypts what it measures, when this is not encrypted.
  fileprivate func doubted() -> BeaconFrame {
    guard problem == nil, fields.contains(where: { $0.measurement != nil }) else { return self }
    var frame = self
    frame.problem = "there is a key of this sensor, and this is not encrypted: it is not believed"
    return frame
  }

  /// Which bits of an iBeacon's numbers tell it from others.
  package struct Masks: Equatable, Sendable {
    package var major = UInt16.max
    package var minor = UInt16.max

    /// All of them.
    package init() {}
  }

  /// What tells this beacon from others, whatever its address: `UUID-MAJOR-MINOR` of an iBeacon, with the bits of `masks` alone, and
  /// `NAMESPACE-INSTANCE` of an Eddystone-UID. `nil` for other frames, and for one that is not as specified.
  package func beaconIdentifier(_ masks: Masks = Masks()) -> String? {
    guard problem == nil else { return nil }
    let names: [String]
    switch format {
    case .iBeacon: names = ["Proximity UUID", "Major", "Minor"]
    case .eddystoneUID: names = ["Namespace", "Instance"]
    default: return nil
    }
    let parts = names.compactMap { name -> String? in
      guard let field = fields.first(where: { $0.name == name }) else { return nil }
      switch field.value {
      case .text(let text): return text
      case .integer(let number): return String(number & Int(name == "Major" ? masks.major : masks.minor))
      case .number, .none: return nil
      }
    }
    return parts.count == names.count ? parts.joined(separator: "-") : nil
  }
}
