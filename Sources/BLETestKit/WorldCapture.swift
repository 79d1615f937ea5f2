import BLECapture
import BLECore
import BLEWire
import Glibc
import Synchronization

/// The traffic of one world, which may outlive it: where a test fails by an error that it throws, its world is gone by the time that
/// anything hears of it.
///
/// `@unchecked Sendable`: of the recorder only `traffic` is used, which is behind its mutex; the rest is immutable or behind a mutex.
package final class WorldCapture: @unchecked Sendable {
  /// Where captures are left, in the place of what the environment says.
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

  /// All of the traffic so far, as a pcapng file.
  func write(to output: any CaptureOutput) {
    let writer = PcapNGWriter(output)
    let traffic = recorder.traffic
    for name in traffic.deviceNames { writer.addInterface(.hci, name: name) }
    for entry in traffic.entries {
      writer.write(
        CapturedPacket(
          timestamp: CaptureTimestamp(entry.instant, origin: .virtualOrigin), interface: entry.device,
          content: .hci(entry.packet, entry.direction == .toHost ? .received : .sent)))
    }
    writer.flush()
  }

  /// Writes it to a file at `path`.
  func write(toFile path: String) throws {
    let output = try CaptureFileOutput(path: path)
    write(to: output)
    try output.flush()
  }

  /// Leaves it in `captures` (or the folder that `BLE_CAPTURE_FOLDER` names), and says on standard error where it is and how to run
  /// this again: once, also where it is left again with more in it.
  func keep(for test: String) {
    let folder = Self.folder ?? environment("BLE_CAPTURE_FOLDER") ?? "captures"
    let plain = test.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let path = "\(folder)/\(String(plain.prefix(60)))-\(seed).pcapng"
    mkdir(folder, 0o755)
    do {
      try write(toFile: path)
      say("the traffic of the failed test is in \(path); run it again with BLE_SEED=\(seed)")
    } catch {
      say("run the failed test again with BLE_SEED=\(seed) (no capture: \(error))")
    }
  }

  private func say(_ message: String) {
    let isFirst = hasSaid.withLock { hasSaid in
      defer { hasSaid = true }
      return !hasSaid
    }
    if isFirst { log.say(message) }
  }
}
