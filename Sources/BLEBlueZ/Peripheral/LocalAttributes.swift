import BLEAdapter
import BLECore

/// A service's object, as the daemon reads it.
final class ServiceObject: ExportedObject {
  let path: String
  let uuid: BLEUUID
  private let isPrimary: Bool
  private let included: [String]
  /// Its first handle: 0 until the daemon has chosen one and set it.
  private(set) var handle: UInt16

  init(path: String, _ service: LocalService, included: [String], handle: UInt16) {
    self.path = path
    self.included = included
    self.handle = handle
    uuid = service.uuid
    isPrimary = service.isPrimary
  }

  var interfaces: [String] { [BlueZName.gattService] }

  func properties(of interface: String) -> [String: BusValue] {
    var properties: [String: BusValue] = [
      "UUID": .string(uuid.description.lowercased()), "Primary": .boolean(isPrimary), "Handle": .uint16(handle),
    ]
    if !included.isEmpty { properties["Includes"] = .array(of: "o", included.map(BusValue.objectPath)) }
    return properties
  }

  func set(_ property: String, of interface: String, to value: BusValue) -> Bool {
    guard property == "Handle", let handle = value.unsigned16 else { return false }
    self.handle = handle
    return true
  }

  func handle(_ request: BusRequest) { request.refuse(BusError(BusError.unknownMethod, "A service has no methods.")) }
}

/// Receives the daemon's requests for a characteristic.
protocol CharacteristicRequests: AnyObject {
  func characteristic(_ object: CharacteristicObject, didReceive request: BusRequest)
}

/// A characteristic's object, with which the daemon reads and writes its values.
final class CharacteristicObject: ExportedObject {
  let path: String
  let service: String
  let characteristic: LocalCharacteristic
  /// Whether a central has subscribed, as far as the daemon reports it.
  var isNotifying = false
  private weak var owner: (any CharacteristicRequests)?

  init(path: String, service: String, _ characteristic: LocalCharacteristic, owner: any CharacteristicRequests) {
    self.path = path
    self.service = service
    self.characteristic = characteristic
    self.owner = owner
  }

  var interfaces: [String] { [BlueZName.gattCharacteristic] }

  func properties(of interface: String) -> [String: BusValue] {
    [
      "UUID": .string(characteristic.uuid.description.lowercased()), "Service": .objectPath(service),
      "Flags": .texts(characteristic.flags), "Notifying": .boolean(isNotifying),
    ]
  }

  func handle(_ request: BusRequest) {
    guard let owner else { return request.refuse(BusError(BlueZName.Failure.failed, "The program has ended.")) }
    owner.characteristic(self, didReceive: request)
  }
}

/// A descriptor with a value that never changes.
final class DescriptorObject: ExportedObject {
  let path: String
  private let characteristic: String
  private let descriptor: LocalDescriptor

  init(path: String, characteristic: String, _ descriptor: LocalDescriptor) {
    self.path = path
    self.characteristic = characteristic
    self.descriptor = descriptor
  }

  var interfaces: [String] { [BlueZName.gattDescriptor] }

  func properties(of interface: String) -> [String: BusValue] {
    [
      "UUID": .string(descriptor.uuid.description.lowercased()), "Characteristic": .objectPath(characteristic),
      "Flags": .texts(["read"]),
    ]
  }

  func handle(_ request: BusRequest) {
    guard request.member == "ReadValue" else { return request.refuse(BusError(attributeCode: 0x03)) }
    request.answer(descriptor.value, from: RequestOptions(request.arguments.first).offset)
  }
}

extension BusRequest {
  /// Answers a read with the value, starting at `offset`.
  func answer(_ value: [UInt8], from offset: Int) {
    guard offset <= value.count else { return refuse(BusError(attributeCode: 0x07)) }
    answer([.octets([UInt8](value[offset...]))])
  }
}

/// The options of a read or a write (bluez/doc: org.bluez.GattCharacteristic, "ReadValue").
struct RequestOptions {
  let offset: Int
  /// The object path of the central.
  let device: String?
  /// The MTU of the central's link; `nil` where the daemon does not report it.
  let mtu: Int?
  /// A write without response.
  let isCommand: Bool
  /// Whether the daemon asks only if the write is permitted.
  let isAuthorization: Bool

  init(_ value: BusValue?) {
    let options = value?.properties ?? [:]
    offset = Int(options["offset"]?.unsigned16 ?? 0)
    device = options["device"]?.path
    mtu = options["mtu"]?.unsigned16.map(Int.init)
    isCommand = options["type"]?.text == "command"
    isAuthorization = options["prepare-authorize"]?.flag ?? false
  }
}
