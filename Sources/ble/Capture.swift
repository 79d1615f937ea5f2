import BLECapture
import Foundation

/// A recorded capture.
enum CaptureFile {
  static func countPackets(at path: String) throws(ToolError) -> Int {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ToolError(.noInput, "\(path.inert): cannot be opened")
    }
    return max(0, data.count - 16)
  }
}
