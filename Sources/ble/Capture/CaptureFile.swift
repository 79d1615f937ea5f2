import BLECapture
import Foundation

/// Capture files, with errors that name the file.
enum CaptureFile {
  static func open(_ path: String) throws(ToolError) -> any CaptureReader {
    do throws(CaptureError) {
      return try CaptureFiles.reader(path: path)
    } catch {
      throw failure(error, at: path)
    }
  }

  static func keys(_ path: String) throws(ToolError) -> CaptureKeys {
    do throws(CaptureError) {
      return try CaptureKeys(path: path)
    } catch {
      throw failure(error, at: path)
    }
  }

  /// Opens a new capture, which must not be the same file as `source`.
  static func writer(to path: String, insteadOf source: String) throws(ToolError) -> any CaptureWriter {
    try check(path, insteadOf: source)
    do throws(CaptureError) {
      return try CaptureFiles.writer(path: path)
    } catch {
      throw failure(error, at: path)
    }
  }

  /// Opens a new file for what is made of the capture `source`, which must not be that file.
  static func output(to path: String, insteadOf source: String) throws(ToolError) -> CaptureFileOutput {
    try check(path, insteadOf: source)
    do throws(CaptureError) {
      return try CaptureFileOutput(path: path)
    } catch {
      throw failure(error, at: path)
    }
  }

  private static func check(_ path: String, insteadOf source: String) throws(ToolError) {
    func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
    guard resolved(path) != resolved(source) else {
      throw ToolError(.usage, "\(path.inert): must be another file than the capture")
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
