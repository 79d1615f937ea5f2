import BLECore

extension BeaconFrame {
  private static let eddystone: UInt16 = 0xFEAA

  /// - Returns: `nil` for the data of another service than Eddystone's.
  package init?(service: String, data: [UInt8]) {
    guard BLEUUID(service)?.short == Self.eddystone else { return nil }
    var reader = BeaconReader(data)
    let type = reader.next
    reader.field("Frame type", 1, isFraming: true, BeaconReader.code)
    let format: Format
    switch type {
    case 0x00:
      format = .eddystoneUID
      Self.readIdentifier(&reader)
    case 0x10:
      format = .eddystoneURL
      Self.readURL(&reader)
    case 0x20:
      format = .eddystoneTLM
      Self.readTelemetry(&reader)
    case 0x30:
      format = .eddystoneEID
      Self.readPower(&reader)
      reader.field("Ephemeral identifier", 8, BeaconReader.digits)
    default:
      format = .eddystone
      if type != nil { reader.complain("a frame type that is not assigned") }
    }
    self.init(format, service: service, reader)
  }

  private static func readPower(_ reader: inout BeaconReader) {
    reader.field("Transmit power at 0 m", 1, unit: "dBm", BeaconReader.signed)
  }

  private static func readIdentifier(_ reader: inout BeaconReader) {
    readPower(&reader)
    reader.field("Namespace", 10, BeaconReader.digits)
    reader.field("Instance", 6, BeaconReader.digits)
    // Older beacons end before them.
    if reader.left > 0 { reader.field("Reserved", 2, isFraming: true, BeaconReader.nothing) }
  }

  // MARK: Telemetry

  private static func readTelemetry(_ reader: inout BeaconReader) {
    let version = reader.next
    reader.field("Version", 1, isFraming: true, BeaconReader.unsigned)
    switch version {
    case 0:
      // Nought says that the beacon has no battery, or does not measure it.
      reader.field("Battery voltage", 2, unit: "mV") { octets in
        let millivolts = BeaconReader.number(octets)
        return millivolts == 0 ? .none : .integer(millivolts)
      }
      reader.field("Temperature", 2, unit: "°C", temperature)
      reader.field("Advertisements sent", 4, BeaconReader.unsigned)
      reader.field("Time since power-on", 4, unit: "s") { .number(Double(BeaconReader.number($0)) / 10) }
    case 1:
      reader.field("Encrypted telemetry", 12, BeaconReader.digits)
      reader.field("Salt", 2, BeaconReader.digits)
      reader.field("Message integrity check", 2, BeaconReader.digits)
    default:
      if version != nil { reader.complain("telemetry of a version that is not known") }
    }
  }

  /// Signed, in 256ths of a degree; the least number says that there is no thermometer.
  private static func temperature(_ octets: ArraySlice<UInt8>) -> BeaconField.Value {
    let parts = Int16(truncatingIfNeeded: BeaconReader.number(octets))
    return parts == .min ? .none : .number(Double(parts) / 256)
  }

  // MARK: URL

  private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  private static let domains = ["com", "org", "edu", "net", "info", "biz", "gov"]
  /// Octets of the URL behind its scheme, so that the frame fits a legacy advertisement.
  private static let longest = 17

  private static func readURL(_ reader: inout BeaconReader) {
    readPower(&reader)
    let scheme = reader.next.flatMap { schemes.indices.contains(Int($0)) ? schemes[Int($0)] : nil }
    if reader.left > 0, scheme == nil { reader.complain("a URL scheme that is not assigned") }
    reader.field("URL scheme", 1, isFraming: true) { _ in scheme.map { .text($0) } ?? .none }
    let count = reader.left
    if count > longest { reader.complain("the URL has \(count) octets, \(longest) at most") }
    var isReadable = true
    reader.field("URL", count) { octets in
      var text = scheme ?? ""
      for octet in octets {
        guard let part = expansion(of: octet) else {
          isReadable = false
          return .none
        }
        text += part
      }
      return scheme == nil ? .none : .text(text)
    }
    if !isReadable { reader.complain("the URL has an octet that is reserved") }
  }

  /// What an octet of a URL stands for; `nil` for one that is reserved.
  private static func expansion(of octet: UInt8) -> String? {
    switch octet {
    case 0x00...0x06: ".\(domains[Int(octet)])/"
    case 0x07...0x0D: ".\(domains[Int(octet) - 0x07])"
    case 0x21...0x7E: String(UnicodeScalar(octet))
    default: nil
    }
  }
}
