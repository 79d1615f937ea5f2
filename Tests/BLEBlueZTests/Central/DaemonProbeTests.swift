import BLEAdapter
import Testing

@testable import BLEBlueZ

@Suite("Finding an adapter of BlueZ's")
struct DaemonProbeTests {
  private func finding(on address: BusAddress, among adapters: [String] = ["hci0"]) async -> AdapterFinding {
    await withCheckedContinuation { continuation in
      DaemonProbe(on: address).look(among: adapters) { continuation.resume(returning: $0) }
    }
  }

  @Test("I12.3 the first that is switched on is found; without one the reason is reported")
  func power() async throws {
    let bus = try PrivateBus()
    #expect(await finding(on: bus.address) == .absent("BlueZ's daemon does not run"))
    let daemon = try await ScriptedDaemon(on: bus) { $0.addAdapter(isPowered: false) }
    #expect(await finding(on: bus.address) == .withheld("hci0 is switched off"))
    try await daemon.run { $0.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .boolean(true)]) }
    #expect(await finding(on: bus.address, among: ["hci7", "hci0"]) == .usable(.bluez("hci0")))
    #expect(await finding(on: bus.address, among: ["hci7"]) == .absent("BlueZ's daemon has no adapter"))
    try await daemon.run { $0.set(ScriptedDaemon.adapter, BlueZName.adapter, ["Powered": .string("yes")]) }
    #expect(await finding(on: bus.address) == .withheld("hci0 is switched off"))
  }

  @Test("I12.3 without a bus there is nothing to find")
  func noBus() async {
    let nowhere = BusAddress.address("unix:path=/nowhere/at/all")
    #expect(await finding(on: nowhere) == .absent("there is no system message bus, which BlueZ needs"))
  }
}
