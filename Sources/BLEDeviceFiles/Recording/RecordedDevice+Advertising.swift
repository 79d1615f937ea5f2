import CoreBluetooth

/// What the advertisements of a recording contain (Core Specification Supplement, Part A).
extension RecordedDevice {
  private enum Structure {
    static let services: Set<UInt8> = [0x02, 0x03]
    static let longServices: Set<UInt8> = [0x06, 0x07]
    static let names: Set<UInt8> = [0x08, 0x09]
    static let manufacturer: UInt8 = 0xFF
  }

  /// The structures of all advertisements: type and data.
  private var structures: [(type: UInt8, data: Data)] {
    advertisements.flatMap { advertisement -> [(UInt8, Data)] in
      var found: [(UInt8, Data)] = []
      var rest = Data(advertisement.data)
      while let length = rest.first, length > 0, rest.count > Int(length) {
        let structure = Data(rest.dropFirst().prefix(Int(length)))
        found.append((structure[0], Data(structure.dropFirst())))
        rest = Data(rest.dropFirst(Int(length) + 1))
      }
      return found
    }
  }

  /// The advertised local name.
  package var advertisedName: String? {
    structures.first { Structure.names.contains($0.type) && !$0.data.isEmpty }
      .map { String(decoding: $0.data, as: UTF8.self) }
  }

  /// The advertised services, each once.
  package var advertisedServices: [CBUUID] {
    var found: [CBUUID] = []
    for (type, data) in structures {
      let width = Structure.services.contains(type) ? 2 : Structure.longServices.contains(type) ? 16 : 0
      guard width > 0 else { continue }
      var rest = data
      while rest.count >= width {
        let uuid = CBUUID(data: Data(rest.prefix(width).reversed()))
        if !found.contains(uuid) { found.append(uuid) }
        rest = Data(rest.dropFirst(width))
      }
    }
    return found
  }

  /// The advertised manufacturer data, the company's number in front.
  package var manufacturerData: Data? {
    structures.first { $0.type == Structure.manufacturer && $0.data.count >= 2 }?.data
  }

  /// How such a device is recognised: by its name; without one by its services; without these by the company of its manufacturer data.
  var recognition: DeviceRecognition {
    var recognition = DeviceRecognition()
    if let name = advertisedName {
      recognition.names = [name]
    } else if !advertisedServices.isEmpty {
      recognition.services = advertisedServices
    } else if let data = manufacturerData {
      recognition.company = UInt16(data[data.startIndex]) | UInt16(data[data.startIndex + 1]) << 8
    }
    return recognition
  }
}
