import BLEAdapter
import BLEDefaultStack
import Foundation

/// The environment of a demo: a separate air, and a temporary folder for the state of its two devices.
@MainActor final class DemoStage {
  let air: String
  /// The path of the capture.
  let capture: String
  private let folder: URL

  init(capture: String?) throws(ToolError) {
    let number = String(UInt32.random(in: .min ... .max), radix: 16)
    let temporary = FileManager.default.temporaryDirectory
    air = "demo-\(number)"
    folder = temporary.appendingPathComponent("ble-demo-\(number)", isDirectory: true)
    self.capture = capture ?? temporary.appendingPathComponent("ble-demo-\(number).btsnoop").path
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ToolError(.noInput, "\(folder.path): \(error.localizedDescription)")
    }
  }

  /// Sets the environment of this process and of those that it starts, as far as they name no other adapter. Has to be called before
  /// anything accesses an adapter.
  func enter() {
    setenv("XDG_STATE_HOME", folder.path, 1)
    DefaultStack.name(.radio(air: air, device: "central"))
    setenv("BLE_CAPTURE", capture, 1)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func leave() { try? FileManager.default.removeItem(at: folder) }
}
