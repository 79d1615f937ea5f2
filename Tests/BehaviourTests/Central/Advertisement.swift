import BLECore
import BLEWire

/// Advertising data composed of fields.
enum Advertisement {
  static func of(_ fields: AdvertisingField...) -> [UInt8] {
    var builder = AdvertisingDataBuilder()
    for field in fields { builder.append(field) }
    return builder.octets
  }

  static func name(_ text: String, isComplete: Bool = true) -> AdvertisingField {
    .localName(AdvertisedName(octets: Array(text.utf8)[...], isComplete: isComplete))
  }

  static func named(_ text: String) -> [UInt8] { of(name(text)) }

  static func services(_ uuids: [BLEUUID], _ width: BLEUUID.Width = .short) -> AdvertisingField {
    .serviceUUIDs(AdvertisedUUIDs(uuids, width: width), isComplete: true)
  }

  static func solicited(_ uuids: [BLEUUID], _ width: BLEUUID.Width = .short) -> AdvertisingField {
    .solicitedServiceUUIDs(AdvertisedUUIDs(uuids, width: width))
  }

  static func manufacturer(_ company: UInt16, _ data: [UInt8]) -> AdvertisingField {
    .manufacturerSpecificData(ManufacturerData(companyIdentifier: company, data: data[...]))
  }

  static func serviceData(_ uuid: BLEUUID, _ data: [UInt8]) -> AdvertisingField {
    .serviceData(AdvertisedServiceData(uuid: uuid, data: data[...]))
  }
}

extension AdvertisingField {
  /// One service of 16 bits.
  init(_ service: BLEUUID) { self = Advertisement.services([service]) }
}
