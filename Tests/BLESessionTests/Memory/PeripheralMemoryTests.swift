import BLESession
import Foundation
import Testing

@Suite struct PeripheralMemoryTests {
  private static func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static func device(_ name: String) -> RememberedDevice { RememberedDevice(identifier: UUID(), name: name) }

  @Test("R2.3 a file keeps the last one first, each once, the newest 64; its folder is made")
  func order() throws {
    try Self.inFolder { folder in
      let memory = FileMemory(file: folder.appendingPathComponent("new/one/devices.json"))
      #expect(try memory.devices().isEmpty)
      try memory.forget(UUID())
      let devices = (0..<70).map { Self.device("device \($0)") }
      for device in devices { try memory.remember(device) }
      #expect(try memory.devices() == Array(devices.reversed().prefix(64)))
      try memory.remember(devices[50])
      #expect(try memory.devices().first == devices[50] && memory.devices().count == 64)
      try memory.forget(devices[50].identifier)
      #expect(try memory.devices().first == devices[69] && memory.devices().count == 63)
    }
  }

  @Test(
    "a file with other contents is reported with its name and the error, and stays unchanged",
    arguments: [
      "", "[", "{}", "null", "[1]", "[{}]", #"[{"identifier": "no"}]"#, #"[{"identifier": 7, "name": "a"}]"#,
      "\u{0}\u{1}", #"[{"identifier": "5A0A6A5E-6C2C-4B8D-9A53-0E0C5B0D7B11", "name": 7}]"#,
      String(repeating: "[", count: 100_000), String(repeating: " ", count: 2 << 20),
    ])
  func badFiles(content: String) throws {
    try Self.inFolder { folder in
      let file = folder.appendingPathComponent("devices.json")
      try Data(content.utf8).write(to: file)
      let memory = FileMemory(file: file)
      for body in [
        { _ = try memory.devices() }, { try memory.remember(Self.device("new")) }, { try memory.forget(UUID()) },
      ] {
        let error = #expect(throws: FileMemoryError.self) { try body() }
        #expect(error?.localizedDescription.contains(file.path) == true)
        #expect(error?.localizedDescription.contains("move it away") == true)
      }
      #expect(try Data(contentsOf: file) == Data(content.utf8))
    }
  }

  @Test("a folder in place of the file, or a file in place of the folder, is an error")
  func places() throws {
    try Self.inFolder { folder in
      let file = folder.appendingPathComponent("file")
      try Data().write(to: file)
      for place in [folder, file.appendingPathComponent("devices.json")] {
        #expect(throws: (any Error).self) { try FileMemory(file: place).remember(Self.device("new")) }
      }
    }
  }

  /// In a process of its own: it has a temporary home, and no other test depends on it.
  @Test("R2.3 the user defaults keep devices, the last one first")
  func defaults() async {
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: home) }
      setenv("HOME", home.path, 1)
      setenv("CFFIXED_USER_HOME", home.path, 1)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 30)
        exit(3)
      }
      let memory = DefaultsMemory(suite: "swift-corebluetooth-test-\(UUID().uuidString)")
      let devices = [Self.device("one"), Self.device("two")]
      for device in devices { try memory.remember(device) }
      #expect(try memory.devices() == devices.reversed())
      try memory.forget(devices[1].identifier)
      #expect(try memory.devices() == [devices[0]])
    }
  }
}
