import BLECore
import Foundation
import Testing

@testable import BLEReports

@Suite("Published advertisements of sensors")
struct PublishedAdvertisementTests {
  private typealias Published = PublishedAdvertisement

  @Test("I17.1 a published advertisement of a sensor says what is published of it", arguments: Published.all)
  func published(advertisement: PublishedAdvertisement) {
    let sighting = advertisement.sighting
    #expect(HeardAdvertisement.words(sighting) == advertisement.says)
    let frames = sighting.beacons.filter { $0.format != .iBeacon }
    #expect(!frames.isEmpty)
    for frame in frames {
      #expect(frame.format.rawValue == advertisement.format && frame.problem == nil)
      let octets = frame.fields.flatMap(\.octets)
      let own = sighting.serviceData.map(\.data) + [sighting.manufacturerData ?? []]
      #expect(own.contains(octets) || octets == Array(sighting.manufacturerData?.dropFirst(2) ?? []))
    }
  }

  @Test("I17.1 each line of the tables is read, and each family is in one")
  func complete() {
    #expect(Published.all.count == Published.lines)
    let families = Set(Published.all.map(\.format))
    // Among the test vectors of another suite.
    let others: Set<BeaconFrame.Format> = [.atc]
    for layout in FixedLayout.all where !others.contains(layout.format) {
      #expect(families.contains(layout.format.rawValue), "\(layout.format)")
    }
  }

  @Test("I17.1 exactly one of all layouts decodes each published advertisement", arguments: Published.all)
  func exclusive(advertisement: PublishedAdvertisement) {
    let sighting = advertisement.sighting
    if let data = sighting.manufacturerData { #expect(Self.fitting(data, nil, sighting) == [advertisement.format]) }
    for entry in sighting.serviceData {
      #expect(Self.fitting(entry.data, entry.service, sighting) == [advertisement.format])
    }
  }

  /// The formats of all layouts that fit, tried one after another.
  private static func fitting(_ data: [UInt8], _ service: String?, _ sighting: Sighting) -> [String] {
    FixedLayout.all.compactMap { layout in
      let own: ArraySlice<UInt8>
      switch layout.place {
      case .company(let number):
        guard service == nil, data.starts(with: [UInt8(number & 0xFF), UInt8(number >> 8)]) else { return nil }
        own = data.dropFirst(2)
      case .manufacturer:
        guard service == nil else { return nil }
        own = data[...]
      case .service(let number):
        guard service.flatMap({ BLEUUID($0)?.short }) == number else { return nil }
        own = data[...]
      }
      guard layout.lengths.contains(own.count) else { return nil }
      return layout.frame(own, of: service, sighting)?.format.rawValue
    }
  }

  @Test("I17.1 a layout asks for more than a length: a company, a service, a name, an address or a check")
  func requirements() {
    for layout in FixedLayout.all {
      guard case .manufacturer = layout.place else { continue }
      let literals = layout.literals.values.map(\.count).reduce(0, +)
      #expect(
        !layout.names.isEmpty || layout.service != nil || layout.address != nil || layout.check != nil || literals > 3,
        "\(layout.format)")
    }
    for layout in FixedLayout.all {
      let length = layout.lengths.min() ?? 0
      #expect(layout.fields.allSatisfy { $0.octets.upperBound <= length }, "\(layout.format)")
      #expect(
        layout.fields.map(\.octets.lowerBound) == layout.fields.map(\.octets.lowerBound).sorted(), "\(layout.format)")
    }
  }

  @Test(
    "I17.1 cut, longer and spoilt advertisements of sensors lose no octet and stop nothing", arguments: Published.all)
  func spoilt(advertisement: PublishedAdvertisement) {
    var random = SystemRandomNumberGenerator()
    func check(_ change: ([UInt8]) -> [UInt8]) {
      var sighting = advertisement.sighting
      sighting.manufacturerData = sighting.manufacturerData.map(change)
      sighting.serviceData = sighting.serviceData.map { .init(service: $0.service, data: change($0.data)) }
      for frame in sighting.beacons {
        let octets = frame.fields.flatMap(\.octets)
        let all = sighting.serviceData.map(\.data) + [sighting.manufacturerData ?? []]
        #expect(all.contains(octets) || octets == Array(sighting.manufacturerData?.dropFirst(2) ?? []))
      }
    }
    for count in 0..<32 { check { Array($0.prefix(count)) } }
    for more in 1..<8 { check { $0 + [UInt8](repeating: 0xFF, count: more) } }
    for octet in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
      check { [UInt8](repeating: octet, count: $0.count) }
      // With what tells the family.
      for kept in 2..<12 { check { $0.prefix(kept) + $0.dropFirst(kept).map { _ in octet } } }
    }
    for _ in 0..<40 {
      check { $0.enumerated().map { Int.random(in: 0..<4, using: &random) == 0 && $0 > 1 ? .random(in: 0...255) : $1 } }
    }
  }

  @Test("I17.1 what is required of a sensor's advertisement is asked for", arguments: Published.all)
  func required(advertisement: PublishedAdvertisement) {
    let own = FixedLayout.all.filter { $0.format.rawValue == advertisement.format }
    // Only the families of which every layout asks for it.
    var sighting = advertisement.sighting
    if own.allSatisfy({ !$0.names.isEmpty }) {
      sighting.name = "x"
      #expect(sighting.measurements.isEmpty)
    }
    sighting = advertisement.sighting
    if own.allSatisfy({ $0.service != nil }) {
      sighting.services = ["180F"]
      #expect(sighting.measurements.isEmpty)
    }
    if own.allSatisfy({ $0.address != nil }) {
      let from = advertisement.sighting
      let other = Sighting(
        identifier: from.identifier, address: DeviceAddress(0xC000_0000_0002, kind: .public), name: from.name,
        rssi: -60,
        isConnectable: false, services: from.services, solicitedServices: [], overflowServices: [],
        manufacturerData: from.manufacturerData, serviceData: from.serviceData, txPower: nil)
      #expect(other.measurements.isEmpty)
    }
  }
}
