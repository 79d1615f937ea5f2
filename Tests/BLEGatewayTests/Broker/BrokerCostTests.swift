import Foundation
import TestSupport
import Testing

/// What a real broker spends on the messages of leases. `BLE_BROKER_COST=10,100,1000` prints the rows of the second table in
/// `Docs/gateway-leases.md` for so many gateways.
@Suite("The cost of a broker", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing))
struct BrokerCostTests {
  private static let table = ProcessInfo.processInfo.environment["BLE_BROKER_COST"]
  private static let sizes = (table ?? "10").split(separator: ",").compactMap { Int($0) }

  @Test(
    "I17.6 each message of a gateway reaches each of its neighbours once", .timeLimit(.minutes(30)), arguments: sizes)
  func messages(gateways: Int) async throws {
    let broker = try TestBroker()
    let fleet = try await FleetOfClients(gateways, on: broker, neighbours: 13)
    let before = try broker.use()
    let rounds = max(1, Self.table == nil ? 20 : 50_000 / gateways)
    var arrived = 0
    for round in 1...rounds {
      arrived = try await fleet.speak(octets: 200, expecting: round * gateways * fleet.neighbours)
    }
    let after = try broker.use()
    #expect(arrived == rounds * gateways * fleet.neighbours)
    let spent = after.processor - before.processor
    let microseconds = Int((spent / arrived / .microseconds(1)).rounded())
    let megabytes = Double(after.memory / 100_000) / 10
    print("| \(gateways) | \(rounds * gateways) | \(arrived) | \(microseconds) us | \(megabytes) MB |")
    await fleet.stop()
  }
}
