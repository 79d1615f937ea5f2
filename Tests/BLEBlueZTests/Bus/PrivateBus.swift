import Foundation
import Glibc
import Testing

@testable import BLEBlueZ

/// A test's own message bus: a `dbus-daemon` on a Unix socket in a folder of its own.
final class PrivateBus: Sendable {
  let address: BusAddress
  private let daemon = Process()
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let socket = folder.appendingPathComponent("socket").path
    let configuration = folder.appendingPathComponent("bus.conf")
    try """
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="false"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """.write(to: configuration, atomically: true, encoding: .utf8)
    let output = Pipe()
    daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    daemon.arguments = ["dbus-daemon", "--nofork", "--print-address=1", "--config-file=\(configuration.path)"]
    daemon.standardOutput = output
    // It logs there that it may not have more descriptors.
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    address = .address("unix:path=\(socket)")
    // It prints its address once it listens.
    _ = try #require(try output.fileHandleForReading.read(upToCount: 1))
  }

  /// Killed, not asked to end: a process starts with the signals blocked that are blocked in the thread that starts it.
  /// Returns when it has ended: until then a connection to it would still be made.
  func kill() {
    _ = Glibc.kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
  }

  deinit {
    if daemon.isRunning { kill() }
    try? FileManager.default.removeItem(at: folder)
  }
}
