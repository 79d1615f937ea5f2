import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

extension RecordedAdvertisement {
  /// The advertisement of a device of which only these parts are known, and a scan response where the name has no room beside them. There it is
  /// shortened, if need be.
  /// - Parameters:
  ///   - services: UUIDs as on the air, the least significant octet first. What is no UUID is left out.
  ///   - manufacturerData: as on the air, with the company; left out where it has no room.
  package static func made(
    name: String, services: [[UInt8]], manufacturerData: [UInt8], isConnectable: Bool
  ) -> [RecordedAdvertisement] {
    var (advertisement, response) = (AdvertisingDataBuilder(), AdvertisingDataBuilder())
    advertisement.append(.flags([.leGeneralDiscoverableMode, .brEDRNotSupported]))
    advertisement.append(serviceUUIDs: services.compactMap { BLEUUID(octets: $0) })
    if !manufacturerData.isEmpty {
      advertisement.append(AdvertisingStructure(type: .manufacturerSpecificData, data: manufacturerData[...]))
    }
    if !name.isEmpty {
      let hasRoom = name.utf8.count + 2 <= advertisement.remaining
      if hasRoom { advertisement.append(localName: name) } else { response.append(localName: name) }
    }
    return [advertisement, response].enumerated().filter { !$1.octets.isEmpty }.map { index, part in
      RecordedAdvertisement(
        data: Data(part.octets), isScanResponse: index == 1, isConnectable: isConnectable, interval: nil)
    }
  }
}
