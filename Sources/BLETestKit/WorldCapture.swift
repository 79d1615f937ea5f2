import BLECapture
import BLECore
import BLEWire
import Glibc
import Synchronization

/// The traffic of one world. It may outlive the world: when a test throws an error, its world is released before the failure is reported.
///
/// `@unchecked Sendable`: of the recorder only `traffic` is used, which its mutex guards; the rest is immutable or guarded by a mutex.
package final class WorldCapture: @unchecked Sendable {
  /// The folder for captures, instead of the one that the environment names.
  @TaskLocal package static var folder: String?

  private let recorder: Recorder
  private let seed: UInt64
  private let log: WorldLog
  private let hasSaid = Mutex(false)

  init(recorder: Recorder, seed: UInt64, log: WorldLog) {
    self.recorder = recorder
    self.seed = seed
    self.log = log
  }

  /// Writes all traffic so far as a pcapng file.
  func write(to output: any CaptureOutput) {
    let writer = PcapNGWriter(output)
    let traffic = recorder.traffic
    for name in traffic.deviceNames { writer.addInterface(.hci, name: name) }
    for entry in traffic.entries { writer.write(entry.captured) }
    writer.flush()
  }

  /// Writes the capture to a file at `path`.
  func write(toFile path: String) throws {
    let output = try CaptureFileOutput(path: path)
    write(to: output)
    try output.flush()
  }

  /// Writes the capture to `captures` (or the folder that `BLE_CAPTURE_FOLDER` names), and prints on standard error where it is
  /// and how to run the test again: once, even if it is written again with more traffic.
  func keep(for test: String) {
    do {
      say("the traffic of the failed test is in \(try write(forTest: test)); run it again with BLE_SEED=\(seed)")
    } catch {
      say("run the failed test again with BLE_SEED=\(seed) (no capture: \(error))")
    }
  }

  /// Writes the capture to the folder for captures.
  /// - Returns: the path.
  func write(forTest test: String) throws -> String {
    let path = Self.path(forTest: test, seed: seed, in: Self.folder)
    try write(toFile: path)
    return path
  }

  /// The path of a world's capture. Makes the folder.
  private static func path(forTest test: String, seed: UInt64, in folder: String?) -> String {
    let folder = folder ?? environment("BLE_CAPTURE_FOLDER") ?? "captures"
    let plain = test.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    mkdir(folder, 0o755)
    return "\(folder)/\(String(plain.prefix(60)))-\(seed).pcapng"
  }

  /// Writes a world's capture while the world runs; `nil` if the file cannot be made.
  static func writer(for capture: WorldOrder.Capture, seed: UInt64) -> PcapNGWriter? {
    let path = path(forTest: capture.test, seed: seed, in: capture.folder)
    return (try? CaptureFileOutput(path: path)).map { PcapNGWriter($0) }
  }

  /// The path of the capture that a world has left whose process has ended.
  static func existingPath(forTest capture: WorldOrder.Capture, seed: UInt64) -> String? {
    let path = path(forTest: capture.test, seed: seed, in: capture.folder)
    return access(path, R_OK) == 0 ? path : nil
  }

  private func say(_ message: String) {
    let isFirst = hasSaid.withLock { hasSaid in
      defer { hasSaid = true }
      return !hasSaid
    }
    if isFirst { log.say(message) }
  }
}
