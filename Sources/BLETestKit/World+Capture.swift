import BLECapture
import BLECore
import BLEWire
import Glibc

extension World {
  /// The traffic between all stacks of this world and their controllers so far, as a pcapng file's octets: an interface a
  /// device. The latest packets only, where there were very many. The same seed and the same program give the same octets.
  ///
  /// Call it while nothing is under way.
  public var capture: [UInt8] {
    let memory = CaptureMemory()
    write(to: memory)
    return memory.octets
  }

  /// Writes the capture into a file that Wireshark opens; see `capture`.
  /// - Throws: `CaptureError` where the file cannot be written.
  public func writeCapture(to path: String) throws {
    let output = try CaptureFileOutput(path: path)
    write(to: output)
    try output.flush()
  }

  private func write(to output: any CaptureOutput) {
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

  /// Leaves a capture in `captures` (or the folder that `BLE_CAPTURE_FOLDER` names) and says on standard error where it is
  /// and how to run this again.
  func keepCapture(for test: String) {
    let folder = environment("BLE_CAPTURE_FOLDER") ?? "captures"
    let plain = test.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let path = "\(folder)/\(String(plain.prefix(60)))-\(seed).pcapng"
    mkdir(folder, 0o755)
    do {
      try writeCapture(to: path)
      say("the traffic of the failed test is in \(path); run it again with BLE_SEED=\(seed)")
    } catch {
      say("run the failed test again with BLE_SEED=\(seed) (no capture: \(error))")
    }
  }

  private func say(_ message: String) {
    let line = Array("BLETestKit: \(message)\n".utf8)
    _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
