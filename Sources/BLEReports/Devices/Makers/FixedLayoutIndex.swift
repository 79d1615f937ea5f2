import BLECore

/// Layouts by what an advertisement says of itself first: its company identifier or service, and how long its data is.
///
/// An advertisement of an unknown device costs a look-up or two: nothing is compared with each layout.
struct FixedLayoutIndex: Sendable {
  private struct Key: Hashable {
    let number: UInt16
    let length: Int
  }

  private var companies: [Key: [FixedLayout]] = [:]
  private var services: [Key: [FixedLayout]] = [:]
  /// Without a company identifier, by their lengths.
  private var whole: [Int: [FixedLayout]] = [:]

  init(_ layouts: [FixedLayout]) {
    for layout in layouts {
      for length in layout.lengths {
        switch layout.place {
        case .company(let number): companies[Key(number: number, length: length), default: []].append(layout)
        case .service(let number): services[Key(number: number, length: length), default: []].append(layout)
        case .manufacturer: whole[length, default: []].append(layout)
        }
      }
    }
  }

  /// The frame in a sighting's manufacturer data; `nil` where no layout fits.
  func manufacturerFrame(_ sighting: Sighting) -> BeaconFrame? {
    guard let data = sighting.manufacturerData, data.count >= 2 else { return nil }
    let number = UInt16(data[0]) | UInt16(data[1]) << 8
    for layout in companies[Key(number: number, length: data.count - 2)] ?? [] {
      if let frame = layout.frame(data.dropFirst(2), of: nil, sighting) { return frame }
    }
    for layout in whole[data.count] ?? [] {
      if let frame = layout.frame(data[...], of: nil, sighting) { return frame }
    }
    return nil
  }

  /// The frame in the data of a service; `nil` where no layout fits.
  func serviceFrame(_ entry: Sighting.ServiceData, _ sighting: Sighting) -> BeaconFrame? {
    guard let service = BLEUUID(entry.service)?.short,
      let layouts = services[Key(number: service, length: entry.data.count)]
    else { return nil }
    for layout in layouts {
      if let frame = layout.frame(entry.data[...], of: entry.service, sighting) { return frame }
    }
    return nil
  }
}

extension FixedLayout {
  /// All that are known, by what they are for.
  static let all: [FixedLayout] =
    [thermometers, loggers, probes, tags, air, plants, bodies, brewing, house, vehicles].flatMap { $0 }

  static let index = FixedLayoutIndex(all)
}
