import Foundation
import Glibc

/// A folder for this run's files, removed when the process ends.
struct TemporaryFolder: Sendable {
  static let shared = TemporaryFolder()

  private static let folder =
    FileManager.default.temporaryDirectory.path + "/ble-capture-\(ProcessInfo.processInfo.processIdentifier)"

  private init() {
    atexit { try? FileManager.default.removeItem(atPath: TemporaryFolder.folder) }
  }

  func path(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
    return "\(Self.folder)/\(name)"
  }
}
