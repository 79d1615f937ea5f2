import BLECore

/// An advertisement of one product family whose octets all have fixed places.
///
/// Nothing in most of them says what they are. What is required has to exclude others: a wrong value is worse than none.
struct FixedLayout: Sendable {
  enum Place: Sendable {
    /// Behind this company identifier in the manufacturer data.
    case company(UInt16)
    /// The whole manufacturer data: what stands where the company identifier belongs is data.
    case manufacturer
    /// The data of this service.
    case service(UInt16)
  }

  let format: BeaconFrame.Format
  let place: Place
  /// In octets.
  let lengths: Set<Int>
  /// Octets, by their places, that have to be one of these.
  var constants: [Int: Set<UInt8>] = [:]
  /// What the device's name has to begin with: one of these; empty: any name, or none.
  var names: [String] = []
  /// A service that has to be advertised.
  var service: BLEUUID?
  /// Data of another service that has to be there, by its first octet.
  var beside: (service: UInt16, first: UInt8)?
  /// Where the device's own address stands, and whether its last octet is first. It has to be the one that was heard.
  var address: (place: Int, isLittle: Bool)?
  /// Where two octets have the check of those before them (CRC-16 with the polynomial 0x8005 reflected, from 0xFFFF; the low octet first).
  var check: Int?
  /// In the order of their places.
  let fields: [FixedField]

  /// Whether `data`, at its place in `sighting`, is laid out so.
  private func fits(_ data: ArraySlice<UInt8>, _ sighting: Sighting) -> Bool {
    let octets = Array(data)
    guard lengths.contains(octets.count),
      constants.allSatisfy({ place, allowed in octets.indices.contains(place) && allowed.contains(octets[place]) }),
      names.isEmpty || names.contains(where: { sighting.name?.hasPrefix($0) ?? false }),
      service.map({ own in sighting.services.contains { BLEUUID($0) == own } }) ?? true
    else { return false }
    if let beside {
      let isThere = sighting.serviceData.contains {
        BLEUUID($0.service)?.short == beside.service && $0.data.first == beside.first
      }
      guard isThere else { return false }
    }
    if let address {
      let own = Array(octets.dropFirst(address.place).prefix(6))
      guard let heard = sighting.address, own == (address.isLittle ? heard.octets : heard.octets.reversed()) else {
        return false
      }
    }
    if let check {
      guard octets.count >= check + 2 else { return false }
      let said = UInt16(octets[check]) | UInt16(octets[check + 1]) << 8
      guard Self.check(octets.prefix(check)) == said else { return false }
    }
    return fields.allSatisfy { $0.isPossible(in: data) }
  }

  static func check(_ octets: ArraySlice<UInt8>) -> UInt16 {
    octets.reduce(0xFFFF) { sum, octet in
      (0..<8).reduce(sum ^ UInt16(octet)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }
  }

  private func frame(_ data: ArraySlice<UInt8>, of service: String?, _ sighting: Sighting) -> BeaconFrame? {
    guard fits(data, sighting) else { return nil }
    var reader = BeaconReader(data)
    reader.fixed(fields, data.count)
    return BeaconFrame(format, service: service, reader)
  }
}

extension FixedLayout {
  /// The frame in a sighting's manufacturer data; `nil` where no layout fits.
  static func manufacturerFrame(_ sighting: Sighting) -> BeaconFrame? {
    guard let data = sighting.manufacturerData, data.count >= 2 else { return nil }
    let company = UInt16(data[0]) | UInt16(data[1]) << 8
    for layout in all {
      switch layout.place {
      case .company(let own) where own == company:
        if let frame = layout.frame(data.dropFirst(2), of: nil, sighting) { return frame }
      case .manufacturer:
        if let frame = layout.frame(data[...], of: nil, sighting) { return frame }
      case .company, .service: continue
      }
    }
    return nil
  }

  /// The frame in the data of a service; `nil` where no layout fits.
  static func serviceFrame(_ entry: Sighting.ServiceData, _ sighting: Sighting) -> BeaconFrame? {
    guard let service = BLEUUID(entry.service)?.short else { return nil }
    for layout in all {
      guard case .service(service) = layout.place else { continue }
      if let frame = layout.frame(entry.data[...], of: entry.service, sighting) { return frame }
    }
    return nil
  }

  /// All that are known.
  static let all: [FixedLayout] = ruuvi + thermometerFirmware + govee + switchBot + inkbird + thermoPro
}
