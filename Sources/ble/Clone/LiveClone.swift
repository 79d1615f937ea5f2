import BLECapture
import BLEClone
import BLEDefaultStack
import BLESession
import CoreBluetooth

/// A clone of a device that is there: it is explored, read and subscribed to, and the traffic of this host with its controller is the log.
@MainActor enum LiveClone {
  /// The variable that names the file of the traffic; the stack reads it when the first manager is made.
  private static let variable = "BLE_CAPTURE"
  /// Packets are written with a short delay.
  private static let flushTime = 0.5

  /// Makes sure that the traffic is recorded: where the user has asked for, else in a file for the time of the command.
  static func prepare(_ session: Session) throws(ToolError) {
    if case .bluez? = session.options.adapter {
      throw ToolError(
        .unavailable,
        "On bluez the traffic is with BlueZ's daemon: record it with 'btmon -w LOG' and clone the log.")
    }
    guard getenv(variable) == nil else { return }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("ble-clone-\(getpid()).btsnoop").path
    setenv(variable, path, 1)
    // Keys are not needed to clone a device, and are not written for it.
    setenv("BLE_CAPTURE_REDACTED", "1", 1)
  }

  /// Records the device for `duration` seconds after it was explored; 0: until Ctrl-C.
  static func record(
    _ target: Target, for duration: Double, in session: Session
  ) async throws(ToolError) -> LoggedDevice {
    let path = ProcessInfo.processInfo.environment[variable] ?? ""
    defer { if session.options.capture == nil, path.contains("ble-clone-") { unlink(path) } }
    try await KeptDevice.use(target, in: session) { (device) async throws(ToolError) in
      let tree = try await device.explore()
      session.output.note(
        "Explored \(device.title): \(tree.services.count) services. Listening"
          + (duration == 0 ? " until Ctrl-C." : " for \(duration.plain) s."))
      let listening = try await listen(to: device)
      defer { for observation in listening { observation.cancel() } }
      do throws(ToolError) {
        try await device.until(within: duration == 0 ? nil : duration) { false }
      } catch {
        // The time is over, or the user has ended it; or the device has, which is part of what it does.
        if error.status != .timedOut, error.status != .interrupted, error.status != .failed { throw error }
      }
    }
    try? await session.waiting.until(within: flushTime, isCleanUp: true) { false }
    return try await CloneSource(path: path, in: session, mayEnd: false).device(named: nil)
  }

  /// Subscribes to all that notifies; what refuses is left out.
  private static func listen(to device: KeptDevice) async throws(ToolError) -> [Observation] {
    var listening: [Observation] = []
    for characteristic in await device.device.services().flatMap(\.characteristics)
    where !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      do throws(ToolError) {
        listening.append(try await device.subscribe(to: characteristic.path) { _ in })
      } catch {
        guard error.attributeError != nil else { throw error }
      }
    }
    return listening
  }
}
