import BLECore

/// One message of the kernel's Bluetooth management interface (BlueZ, doc/mgmt-api.txt): a command to the kernel, or an event from it.
struct ManagementMessage: Equatable {
  /// The code of the command or event.
  let code: UInt16
  /// The index of the adapter.
  let index: UInt16
  let parameters: ArraySlice<UInt8>

  /// The index of messages without an adapter.
  static let noIndex: UInt16 = 0xFFFF

  init(_ command: ManagementCommand, index: UInt16 = noIndex, parameters: [UInt8] = []) {
    code = command.rawValue
    self.index = index
    self.parameters = parameters[...]
  }

  init(_ octets: [UInt8]) throws(DecodeError) {
    var reader = ByteReader(octets, layer: "management")
    code = try reader.uint16("Code")
    index = try reader.uint16("Controller_Index")
    let length = try reader.uint16("Parameter_Length")
    parameters = try reader.octets(Int(length), "Parameters")
  }

  var octets: [UInt8] {
    var writer = ByteWriter(capacity: 6 + parameters.count)
    writer.append(code)
    writer.append(index)
    writer.append(UInt16(parameters.count))
    writer.append(contentsOf: parameters)
    return writer.octets
  }
}

/// The commands that are used here.
enum ManagementCommand: UInt16 {
  case readIndexList = 0x0003
  case readControllerInformation = 0x0004
  case setPowered = 0x0005
  case getConnectionInformation = 0x0031
  case readUnconfiguredIndexList = 0x0036
}

/// The events that are used here.
enum ManagementEvent: UInt16 {
  case commandComplete = 0x0001
  case commandStatus = 0x0002
  case indexAdded = 0x0004
  case indexRemoved = 0x0005
  case newSettings = 0x0006
}

/// Why the kernel refused a command.
struct ManagementStatus: Error, Equatable, CustomStringConvertible {
  let code: UInt8

  static let success = Self(code: 0x00)
  static let timeout = Self(code: 0x08)
  static let busy = Self(code: 0x0A)
  static let notSupported = Self(code: 0x0C)
  static let invalidIndex = Self(code: 0x11)
  static let blockedByRFKill = Self(code: 0x12)
  static let permissionDenied = Self(code: 0x14)

  private static let texts = [
    "success", "unknown command", "not connected", "failed", "connect failed", "authentication failed", "not paired",
    "no resources",
    "timeout", "already connected", "busy", "rejected", "not supported", "invalid parameters", "disconnected",
    "not powered",
    "cancelled", "invalid index", "blocked by rfkill", "already paired", "permission denied",
  ]

  var description: String {
    Int(code) < Self.texts.count ? Self.texts[Int(code)] : "status \(numberText(code, digits: 2))"
  }
}
