import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Apps that work by themselves", .keepsCapture)
struct SearchTests {
  private struct Scene: Encounter {
    let world = World()
    let lamp: PeripheralApp
    let phone: Device
    let central: CentralApp
    var found: CBPeripheral { central.sightings[0].peripheral }

    init() {
      let line = CBMutableCharacteristic("FFF1", [.read, .write, .notify], [.readable, .writeable])
      line.descriptors = [.userDescription("line")]
      lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), services: [CBMutableService("FFF0", [line])])
      phone = world.makeDevice("phone")
      central = CentralApp(phone.options)
    }
  }

  @Test("an app that seeks a name finds it, walks on each connection, and starts over after a reset")
  func seeking() async throws {
    let scene = Scene()
    let (world, app) = (scene.world, scene.central)
    var walks = 0
    app.onWalked = { walks += 1 }
    app.seek("lamp", discovering: .descriptors)
    #expect(!app.isDone && !app.isWalked)
    try await world.wait(within: .seconds(10)) { app.isWalked }
    // The steps of its own are not recorded.
    #expect(app.told == ["state 5", "connected lamp"])
    #expect(app.characteristic("FFF1")?.descriptors?.count == 2)
    app.write(Data([1]), to: "FFF1")
    app.read("FFF1")
    app.notify(true, "FFF1")
    await world.settle()
    #expect(app.told.suffix(3) == ["wrote FFF1", "value FFF1 01", "notifying FFF1 true"])
    #expect(scene.lamp.subscriptions == ["FFF1"])
    app.disconnect()
    await world.advance(by: .seconds(1))
    #expect(scene.lamp.subscriptions.isEmpty)
    app.connect()
    #expect(!app.isDone)
    try await world.wait(within: .seconds(10)) { app.isWalked }
    scene.phone.resetController()
    try await world.wait(within: .seconds(30)) { app.told.contains("state 1") && app.isWalked }
    #expect(walks == 3)
  }

  @Test("the steps of an encounter end when the world is quiet")
  func encounter() async throws {
    let scene = Scene()
    let found = try await scene.central.meet("lamp", in: scene.world)
    #expect(found === scene.found && found.state == .connected && !scene.central.manager.isScanning)
    try await scene.write(Data([2]))
    try await scene.read()
    try await scene.subscribe()
    try await scene.unsubscribe()
    #expect(scene.central.told.suffix(2) == ["notifying FFF1 true", "notifying FFF1 false"])
    #expect(scene.central.values == [Data([2])])
    #expect(try scene.service("FFF0").characteristics?.count == 1)
    await scene.disconnect()
    #expect(found.state == .disconnected)
    try await scene.connect()
    await scene.discoverAll()
    #expect(try scene.characteristic().uuid == .of("FFF1"))
  }

  @Test("requests wait where they are not answered, and without a record everything goes on as before")
  func waiting() async throws {
    let scene = Scene()
    _ = try await scene.central.meet(in: scene.world)
    scene.lamp.keepsRecord = false
    scene.lamp.told = []
    scene.lamp.answersRequests = false
    scene.found.readValue(for: try scene.characteristic())
    scene.found.writeValue(Data([3]), for: try scene.characteristic(), type: .withResponse)
    await scene.world.advance(by: .seconds(1))
    #expect(scene.lamp.waiting.count == 1 && scene.central.values.isEmpty)
    scene.lamp.answerWaiting()
    await scene.world.advance(by: .seconds(1))
    #expect(scene.central.values == [Data()] && scene.lamp.waiting.count == 1)
    scene.lamp.answerWaiting()
    await scene.world.settle()
    #expect(scene.central.told.last == "wrote FFF1" && scene.lamp.told.isEmpty && scene.lamp.batches.isEmpty)
  }
}
