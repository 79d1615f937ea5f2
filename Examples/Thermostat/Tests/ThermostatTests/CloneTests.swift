#if canImport(BLETestKit)
  import BLEDeviceFiles
  import BLETestKit
  import Foundation
  import Testing
  import Thermostat

  /// The app meets a device out of a log: `Clones/hall.json` is what `ble clone` made of a phone's capture.
  @Suite("Thermostat: clones", .keepsCapture)
  struct CloneTests {
    @Test("I14.7 a clone of a thermostat is found, read, and updated as in its log")
    func updates() async throws {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clones/hall.json")
      let recording = try #require(try DeviceDescription(contentsOf: file).recording)
      let world = World(), memory = Memory()
      world.makeScriptedDevice("hall").play(recording)
      let clock = world.clock
      let app = world.launch(on: world.makeDevice("phone")) { App(options: $0, memory: memory, clock: clock, bug: nil) }
      app.current.session.look()
      try await world.wait(within: .seconds(10)) { app.current.offered["hall"] != nil }
      app.current.session.choose(try #require(app.current.offered["hall"]))
      try await world.wait(within: .seconds(10)) { app.current.session.target == 2_000 }
      #expect(app.current.session.temperature == 1_950)
      app.current.session.install(People.image)
      try await world.wait(within: .seconds(30)) { memory.askedFor != nil && memory.pendingImage == nil }
    }
  }
#endif
