import BLECapture
import BLECore
import BLEWire
import Glibc
import Synchronization
import Testing

/// The traffic of one world. It may outlive the world: when a test throws an error, its world is released before the failure is reported.
///
/// `@unchecked Sendable`: of the recorder only what its mutex guards is used; the rest is immutable or guarded by a mutex.
package final class WorldCapture: @unchecked Sendable {
  /// The folder for captures, instead of the one that the environment names.
  @TaskLocal package static var folder: String?

  let recorder: Recorder
  let programs: ProgramRecord
  let marks: WorldMarks
  let seed: UInt64
  private let log: WorldLog
  private let hasSaid = Mutex(false)
  /// The path of the capture of the failed test.
  private let kept = Mutex<String?>(nil)

  init(recorder: Recorder, programs: ProgramRecord, marks: WorldMarks, seed: UInt64, log: WorldLog) {
    self.recorder = recorder
    self.programs = programs
    self.marks = marks
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

  /// Writes capture and page to `captures` (or the folder that `BLE_CAPTURE_FOLDER` names), and prints on standard error where they are
  /// and how to run the test again: once, even if they are written again with more traffic.
  func keep(for test: String) {
    do {
      let path = try write(forTest: test)
      kept.withLock { $0 = path }
      say(
        """
        the traffic of the failed test is in \(path), and to look at in \(Self.pagePath(beside: path)); run it again with BLE_SEED=\(seed)
        """)
    } catch {
      say("run the failed test again with BLE_SEED=\(seed) (no capture: \(error))")
    }
  }

  /// Attaches the files that were kept to the running test.
  func attach() {
    guard let capture = kept.withLock({ $0 }) else { return }
    for path in [Self.page(beside: capture), capture].compactMap(\.self) {
      guard let octets = try? CaptureFileInput(path: path).read(Self.attachmentLimit) else { continue }
      Attachment.record(octets, named: path.split(separator: "/").last.map(String.init))
    }
  }

  /// The octets of the longest file that is attached.
  private static let attachmentLimit = 100_000_000

  /// Writes the capture and its page to the folder for captures.
  /// - Returns: the path of the capture; see `page(beside:)`.
  func write(forTest test: String) throws -> String {
    let path = Self.path(forTest: test, seed: seed, in: Self.folder)
    try write(toFile: path)
    try writePage(ofTest: test, to: CaptureFileOutput(path: Self.pagePath(beside: path)))
    return path
  }

  /// The path of a world's capture. Makes the folder.
  private static func path(forTest test: String, seed: UInt64, in folder: String?) -> String {
    let folder = folder ?? environment("BLE_CAPTURE_FOLDER") ?? "captures"
    let plain = test.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    mkdir(folder, 0o755)
    return "\(folder)/\(String(plain.prefix(60)))-\(seed).pcapng"
  }

  /// The path of the page that was written beside a capture; `nil` if there is none.
  static func page(beside capture: String) -> String? {
    let path = pagePath(beside: capture)
    return access(path, R_OK) == 0 ? path : nil
  }

  private static func pagePath(beside capture: String) -> String {
    "\(capture.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: ".")).html"
  }

  /// Writes a world's capture while the world runs; `nil` if the file cannot be made.
  static func writer(for capture: WorldOrder.Capture, seed: UInt64) -> PcapNGWriter? {
    let path = path(forTest: capture.test, seed: seed, in: capture.folder)
    // Not that of an earlier run: if the process of this world ends, there is none of this one.
    unlink(pagePath(beside: path))
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
