import CoreBluetooth
import Testing

/// A program that is no test, judged by `BLE_RULES`.
@Suite("Rules of a process")
struct ProcessRulesTests {
  @Test(
    "I14.4 BLE_RULES prints each rule that a process breaks on standard error, once, and not those that are suppressed")
  func judged() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try prepareJudgedProcess("iOS18; 5 because it has no use for its state")
      let manager = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "judged"))
      for _ in 0..<3 { manager.stopScan() }
      try? FileManager.default.removeItem(at: folder)
      exit(0)
    }
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("BLE_RULES: ") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("rule 1 (error)") == true)
  }

  @Test("I14.B a mistake in BLE_RULES is logged, and the process runs without rules")
  func mistaken() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try prepareJudgedProcess("iOS18; 20 because a; 20 because b")
      CBCentralManager(delegate: nil, queue: DispatchQueue(label: "judged")).stopScan()
      try? FileManager.default.removeItem(at: folder)
      exit(0)
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("BLE_RULES: rule 20 is suppressed twice"))
    #expect(!text.contains("BLE_RULES: rule 1"))
  }
}

/// Sets the environment of the process to be judged.
/// - Returns: the folder for its state.
private func prepareJudgedProcess(_ rules: String) throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(getpid())")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { setenv(name, folder.path, 1) }
  setenv("BLE_ADAPTER", "radio:rules", 1)
  setenv("BLE_LOG", "error", 1)
  setenv("BLE_RULES", rules, 1)
  return folder
}
