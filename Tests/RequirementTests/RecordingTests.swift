import BLESession
import BLESessionStore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A0: a record of observed devices")
struct RecordingTests {
  @Test("R0.15 devices, sessions, events, values and RSSI are in SQLite, and a killed process loses no committed row")
  func recording() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("record-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("seen.sqlite").path

    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let world = World(seed: 15)
      let scene = await SessionScene.make(in: world)
      // The process is killed in the middle of the event that 20 values are committed.
      let configuration = StoreConfiguration(interval: .milliseconds(1), batch: 4) { report in
        if case .committed(let statistics) = report, statistics.committedValues >= 20 { kill(getpid(), SIGKILL) }
      }
      let store = try SessionStore(file: URL(fileURLWithPath: path), configuration: configuration)
      let recorder = try await SessionRecorder.begin(in: store, title: "walk")
      await recorder.record(scene.session)
      await recorder.recordValues(from: SessionScene.line, of: scene.session)
      await recorder.recordSignal(of: scene.session, every: .milliseconds(50))
      try await scene.connect()
      for number in 1...10_000 {
        scene.peripheral.manager.updateValue(Data("\(number)".utf8), for: scene.line, onSubscribedCentrals: nil)
        await world.advance(by: .milliseconds(50))
      }
    }

    let reader = try StoreReader(file: URL(fileURLWithPath: path))
    #expect(try reader.damages() == [])
    #expect(try reader.devices().all().map(\.name) == ["My dear"])
    #expect(try reader.sessions().all().map(\.title) == ["walk"])
    let connection = try #require(try reader.connections().all().first)
    #expect(connection.origin == .user && connection.ready != nil && connection.ended == nil)
    #expect(try reader.events(StoreFilter(kind: "state")).all().contains { $0.detail == "ready" })
    #expect(try reader.signals().all().allSatisfy { $0.rssi < 0 })
    let values = try reader.values().all().map { String(decoding: $0.octets, as: UTF8.self) }
    #expect(values.count >= 20)
    // None between them is missing.
    #expect(values == (1...max(1, values.count)).map(String.init))
  }
}
