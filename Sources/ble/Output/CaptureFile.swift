import BLECapture

/// Captures in files, with errors that say which file.
enum CaptureFile {
  static func open(_ path: String) throws(ToolError) -> any CaptureReader {
    do throws(CaptureError) {
      return try CaptureFiles.reader(path: path)
    } catch {
      throw failure(error, at: path)
    }
  }

  static func next(of reader: any CaptureReader, at path: String) throws(ToolError) -> CapturedPacket? {
    do throws(CaptureError) {
      return try reader.next()
    } catch {
      throw failure(error, at: path)
    }
  }

  static func countPackets(at path: String) throws(ToolError) -> Int {
    let reader = try open(path)
    var count = 0
    while try next(of: reader, at: path) != nil { count += 1 }
    return count
  }

  private static func failure(_ error: CaptureError, at path: String) -> ToolError {
    let text = error.description.contains(path) ? error.description : "\(path): \(error.description)"
    return ToolError(error.kind == .file ? .noInput : .badData, text.inert)
  }
}
