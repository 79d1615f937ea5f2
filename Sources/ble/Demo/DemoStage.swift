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

  /// Puts this process, and those that it starts, on the stage. To be called before the first manager is made.
  func enter() {
    setenv("XDG_STATE_HOME", folder.path, 1)
    setenv("BLE_ADAPTER", "radio:\(air)/central", 1)
    setenv("BLE_CAPTURE", capture, 1)
  }

  func leave() { try? FileManager.default.removeItem(at: folder) }
}
