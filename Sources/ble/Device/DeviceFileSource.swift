import BLEDeviceFiles
import Foundation

/// A device description file, by its path.
struct DeviceFileSource: Equatable, Sendable {
  let path: String

  /// Returns the description. Throws the first mistake as `file:line:column: what was expected`.
  func load() throws(ToolError) -> DeviceDescription {
    do {
      return try DeviceDescription(octets: try Self.octets(of: path), file: path)
    } catch let error as DeviceFileError {
      throw ToolError(.badData, error.description)
    } catch let error as ToolError {
      throw error
    } catch {
      throw ToolError(.noInput, "\(path.inert): \(error.localizedDescription.inert)")
    }
  }

  static func octets(of path: String) throws(ToolError) -> Data {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw ToolError(.noInput, "\(path.inert): \(String(cString: strerror(errno)))")
    }
    do {
      return try file.read(upToCount: DeviceDescription.largestFile + 1) ?? Data()
    } catch {
      throw ToolError(.noInput, "\(path.inert): \(error.localizedDescription)")
    }
  }
}

extension DeviceFileSource: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected the path of a device description file") }
    path = argument
  }
}
