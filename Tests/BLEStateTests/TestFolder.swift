import BLECore
import Foundation
import Synchronization
import Testing

/// A folder of one test, removed when the test has ended. What is stored in it first makes it.
class TestFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("ble-\(UUID().uuidString)").path
  let log = Lines()
  var logger: Logger { Logger(label: "files", sink: log) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names in a folder, sorted.
  func files(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
  }

  func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  func read(_ path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map(Array.init) ?? [] }

  func write(_ octets: [UInt8], to path: String) {
    #expect(FileManager.default.createFile(atPath: path, contents: Data(octets)))
  }
}

/// The lines of a log.
final class Lines: LogSink {
  let minimumLevel = LogLevel.trace
  private let lines = Mutex<[String]>([])
  var texts: [String] { lines.withLock { $0 } }
  func write(_ level: LogLevel, label: String, _ message: String) { lines.withLock { $0.append(message) } }
}
