import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A link that is lost at the end of a pairing leaves keys of which the central does not know whether the other side has them.
@Suite("Interrupted pairing attacks", .keepsCapture)
struct InterruptedPairingAttacks {
  /// The phone's keys after a pairing that was interrupted, and again after it has met a device that has the sensor's address and no keys.
  private func bonds(
    _ capability: PairingCapability, interruptedAfter delay: Duration
  ) async throws -> (before: [BondSummary], after: [BondSummary], world: World) {
    let world = World(seed: 78)
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    for device in [phone, sensor] { device.setPairingAgent(TestAgent(capability)) }
    let peripheral = PeripheralApp.safe(sensor.options)
    let central = CentralApp(phone.options, seeking: "Safe")
    try await world.wait(within: .seconds(10)) { central.isWalked }
    central.read("FF31")
    await world.advance(by: delay)
    sensor.powerOff()
    await world.advance(by: .seconds(2))
    let before = phone.bonds
    sensor.forgetBonds()
    sensor.powerOn()
    central.connect()
    await world.advance(by: .seconds(40))
    withExtendedLifetime((peripheral, central)) {}
    return (before, phone.bonds, world)
  }

  @Test(
    "A13 keys that the user has compared stay when a device says that it has none, whenever their pairing was interrupted"
  )
  func authenticatedKeysStay() async throws {
    var kept = 0
    for milliseconds in stride(from: 100, through: 500, by: 4) {
      let (before, after, _) = try await bonds(.displayYesNo, interruptedAfter: .milliseconds(milliseconds))
      guard before.first?.security.method == .numericComparison else { continue }
      kept += 1
      #expect(after.map(\.security) == before.map(\.security), "interrupted after \(milliseconds) ms")
    }
    #expect(kept > 10)
  }

  @Test("A13 unauthenticated keys of an interrupted pairing are removed only if the device never confirmed them")
  func unconfirmedKeysAreRemoved() async throws {
    var (removed, kept) = (0, 0)
    for milliseconds in stride(from: 0, through: 500, by: 4) {
      let (before, after, _) = try await bonds(.noInputNoOutput, interruptedAfter: .milliseconds(milliseconds))
      guard !before.isEmpty else { continue }
      if after.isEmpty { removed += 1 } else { kept += 1 }
      // Once they were kept, the device had answered: from then on they stay.
      #expect(kept == 0 || !after.isEmpty, "interrupted after \(milliseconds) ms")
    }
    #expect(removed > 0 && kept > 10)
  }
}
