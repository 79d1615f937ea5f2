import BLEDeviceFiles
import Foundation

/// A device description file, by its path.
struct DeviceFileSource: Equatable, Sendable {
  let path: String

  /// Returns the description. Throws the mistakes as `file:line:column: what was expected`.
  func load() throws(ToolError) -> DeviceDescription {
    try description(of: InputFile.read(path, "a device description", limit: DeviceDescription.largestFile))
  }

  func description(of octets: [UInt8]) throws(ToolError) -> DeviceDescription {
    do {
      return try DeviceDescription(octets: Data(octets), file: path)
    } catch {
      throw ToolError(.badData, error.description)
    }
  }
}

extension DeviceFileSource: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected the path of a device description file") }
    path = argument
  }
}
