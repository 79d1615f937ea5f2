import BLEAdapter
import BLEDefaultStack
import Foundation

/// Where a demo takes place: an air that nobody else is on, and a folder for what its two devices remember.
@MainActor final class DemoStage {
  let air: String
  /// Where the capture goes.
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

  /// Puts this process on the stage, and those that it starts as far as they name no other adapter. To be called before anything asks
  /// for an adapter.
  func enter() {
    setenv("XDG_STATE_HOME", folder.path, 1)
    DefaultStack.name(.radio(air: air, device: "central"))
    setenv("BLE_CAPTURE", capture, 1)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func leave() { try? FileManager.default.removeItem(at: folder) }
}
