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
  var place: Place
  /// In octets.
  let lengths: Set<Int>
  /// Octets, by the place of the first one, that have to be these.
  var literals: [Int: [UInt8]] = [:]
  /// Octets, by their places, that have to be one of these.
  var constants: [Int: Set<UInt8>] = [:]
  /// Bits that have to be so.
  var bits: [OctetBits] = []
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

  /// With changes.
  func with(_ change: (inout FixedLayout) -> Void) -> FixedLayout {
    var copy = self
    change(&copy)
    return copy
  }

  /// The same behind each of these company identifiers.
  func behind(_ companies: [UInt16]) -> [FixedLayout] {
    companies.map { company in with { $0.place = .company(company) } }
  }
}

extension FixedLayout {
  /// The frame in `data`, of one of the layout's lengths and at its place in `sighting`; `nil` where it is not laid out so.
  func frame(_ data: ArraySlice<UInt8>, of service: String?, _ sighting: Sighting) -> BeaconFrame? {
    guard fits(data, sighting) else { return nil }
    var reader = BeaconReader(data)
    reader.fixed(fields, data.count)
    return BeaconFrame(format, service: service, reader)
  }

  /// What costs least is asked first: most of what is heard fits nothing.
  private func fits(_ data: ArraySlice<UInt8>, _ sighting: Sighting) -> Bool {
    for (place, octets) in literals where !data.dropFirst(place).starts(with: octets) { return false }
    for (place, allowed) in constants {
      guard let octet = data.dropFirst(place).first, allowed.contains(octet) else { return false }
    }
    guard bits.allSatisfy({ $0.fits(data) }), hasAddress(data, sighting.address),
      names.isEmpty || names.contains(where: { sighting.name?.hasPrefix($0) ?? false }),
      service.map({ own in sighting.services.contains { BLEUUID($0) == own } }) ?? true
    else { return false }
    if let beside {
      let isThere = sighting.serviceData.contains {
        $0.data.first == beside.first && BLEUUID($0.service)?.short == beside.service
      }
      guard isThere else { return false }
    }
    if let check {
      let said = data.dropFirst(check).prefix(2)
      guard said.count == 2, let low = said.first, let high = said.last,
        Self.check(data.prefix(check)) == UInt16(low) | UInt16(high) << 8
      else { return false }
    }
    return fields.allSatisfy { $0.isPossible(in: data) }
  }

  private func hasAddress(_ data: ArraySlice<UInt8>, _ heard: DeviceAddress?) -> Bool {
    guard let address else { return true }
    guard let heard else { return false }
    let own = data.dropFirst(address.place).prefix(6)
    return address.isLittle ? own.elementsEqual(heard.octets) : own.elementsEqual(heard.octets.reversed())
  }

  static func check(_ octets: ArraySlice<UInt8>) -> UInt16 {
    octets.reduce(0xFFFF) { sum, octet in
      (0..<8).reduce(sum ^ UInt16(octet)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
    }
  }
}

/// Bits of one octet, and what they have to be.
struct OctetBits: Sendable {
  let place: Int
  let mask: UInt8
  let value: UInt8

  init(_ place: Int, _ mask: UInt8, is value: UInt8) { (self.place, self.mask, self.value) = (place, mask, value) }

  func fits(_ data: ArraySlice<UInt8>) -> Bool {
    data.dropFirst(place).first.map { $0 & mask == value } ?? false
  }
}
