import BLETestKit
import CoreBluetooth
import Measurements
import TestSupport
import Testing

@Suite("Settings beside the literature")
struct SettingLiteratureTests {
  /// By how much the RSSI falls with ten times the distance, with the path loss exponent of a setting.
  private func decade(_ setting: WorldSetting) async throws -> Double {
    let world = World(seed: 1)
    world.propagation = Propagation(
      signal: .pathLoss(exponent: setting.exponent, referenceLoss: 40, shadowing: 0, jitter: 0))
    let scene = MovingScene(world, apart: 1)
    scene.central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(2))
    let near = await scene.signals(for: .seconds(2))
    scene.phone.move(to: Position(x: 10))
    let far = await scene.signals(for: .seconds(2))
    return Double(try #require(near.last) - (try #require(far.last)))
  }

  /// The mean loss of a way to carry a device over an hour.
  private func loss(_ carrying: Carrying) async throws -> Double {
    let world = World(seed: 4)
    world.propagation = Propagation(signal: .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0))
    let scene = MovingScene(world, apart: 1)
    scene.central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(2))
    let free = Double(try #require(await scene.signals(for: .seconds(2)).last))
    scene.phone.carry(carrying)
    let levels = await scene.signals(for: .seconds(3_600))
    return free - Double(levels.reduce(0, +)) / Double(levels.count)
  }

  @Test("I14.5 what Docs/radio.md says of settings beside published figures is what they do")
  func figures() async throws {
    let table = try DocumentedFigures(page: "radio.md", below: "### Settings beside published figures")
    let measured = [
      "next-room": try await decade(.nextRoom),
      "train-station": try await decade(.trainStation),
      "garden": try await decade(.garden),
      "pocket": try await loss(.inPocket),
    ]
    #expect(Set(table.rows.keys) == Set(measured.keys))
    for (name, value) in measured.sorted(by: { $0.key < $1.key }) {
      print("\(name): \(value)")
      #expect(table.rows[name]?.fits(value) == true, "\(name): \(value)")
    }
  }
}
