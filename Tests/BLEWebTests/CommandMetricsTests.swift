import Foundation
import Testing

@testable import BLEWeb

@Suite("What is counted of commands", .timeLimit(.minutes(10)))
struct CommandMetricsTests {
  @Test("I15.4 commands are counted by their outcome, also those that were never sent")
  func outcomes() async throws {
    let vendor = try await VendorScene("lock")
    #expect(try await vendor.perform("unlock").status == 409)
    try await vendor.attach("lock")
    #expect(try await vendor.perform("unlock", #"{"pin":"123456","seconds":9}"#).status == 200)
    #expect(try await vendor.perform("unlock", #"{"pin":"123456"}"#).status == 200)
    #expect(try await vendor.perform("unlock", #"{"pin":"000000"}"#).status == 424)
    #expect(try await vendor.perform("unlock", #"{"seconds":61}"#).status == 400)
    #expect(try await vendor.perform("unlok").status == 404)
    let lines = Set(await vendor.scene.explorer.metricsText().split(separator: "\n"))
    for (outcome, count) in [("ok", 2), ("failed", 1), ("bad-data", 1), ("not-found", 1), ("unavailable", 1)] {
      #expect(lines.contains("ble_commands_total{outcome=\"\(outcome)\"} \(count)"), "\(outcome)")
    }
    #expect(lines.contains("# TYPE ble_commands_total counter"))
  }

  @Test("I15.4 what is kept, and the memory of the process, are figures")
  func kept() async throws {
    let scene = await ExplorerScene()
    _ = scene.explorer.hub.stream(after: nil)
    let lines = await scene.explorer.metricsText().split(separator: "\n")
    for of in ["events", "log", "streams"] {
      #expect(lines.contains { $0.hasPrefix("ble_web_kept{of=\"\(of)\"} ") }, "\(of)")
      #expect(lines.contains { $0.hasPrefix("ble_web_kept_octets{of=\"\(of)\"} ") }, "\(of)")
    }
    #expect(lines.contains("ble_web_kept{of=\"streams\"} 1"))
    let memory = lines.first { $0.hasPrefix("process_resident_memory_bytes ") }
    #expect(memory?.split(separator: " ").last.flatMap { Int($0) } ?? 0 > 1 << 20)
  }
}
