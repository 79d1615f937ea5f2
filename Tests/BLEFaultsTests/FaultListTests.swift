import BLETestKit
import CoreBluetooth
import Foundation
import Testing

/// Every line of Docs/faults.md: the page and this test cannot differ.
@Suite("The list of faults")
struct FaultListTests {
  @Test("I14.2 an app meets each fault of the list, and sees what its line says", arguments: FaultPage.rows)
  func line(row: FaultRow) async throws {
    let isOnPhone = row.name.hasSuffix("(on the phone)")
    let faults = try row.faults.map { try Fault(text: $0, name: row.name) }
    #expect(faults.map(\.words) == row.faults)
    let isBroken = faults.contains { $0.origin == .brokenDevice }

    let meeting = FaultedMeeting()
    (isOnPhone ? meeting.phone : meeting.lamp).setFaults(faults)
    let events = try await meeting.run(row.steps)
    let struck = meeting.world.faultsStruck
    #expect(Set(struck.map(\.fault)) == Set(faults), "each fault has to strike")
    let recovery = await meeting.recovery()
    #expect(recovery != "does not work again")
    let line = FaultRow(
      name: row.name, faults: row.faults, sentences: faults.map(\.description),
      origin: (isBroken ? FaultOrigin.brokenDevice : .correctDevice).rawValue, steps: row.steps,
      seen: "\(events); \(recovery)")
    #expect(row == line, "\(line.markdown)")
  }

  @Test("I14.2 the list has the 39 faults of the rig and what attack classes a fault can be")
  func completeness() throws {
    #expect(FaultPage.rows.filter { $0.name.hasPrefix("FIT-") }.count >= 39)
    #expect(FaultPage.rows.filter { !$0.name.hasPrefix("FIT-") }.count >= 25)
    #expect(Set(FaultPage.rows.map(\.name)).count == FaultPage.rows.count)
    #expect(!FaultPage.files.isEmpty)
    for file in FaultPage.files { #expect(throws: Never.self) { try FaultFile(text: file, file: "faults.md") } }
  }
}
