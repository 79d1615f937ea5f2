import BLEHost
import BLEPairing
import BLETestKit
import TestSupport
import Testing

/// Every two kinds of devices, paired over the radio by two whole stacks: the method is that of the specification's table,
/// the users are asked what it says, and the link has the security level of that method and no higher one.
@Suite("Method matrix", .keepsCapture)
struct MethodMatrix {
  private struct Scene {
    let world = World()
    let phone: Device
    let sensor: Device
    let people = People()

    init() {
      phone = world.makeDevice("phone")
      sensor = world.makeDevice("sensor")
    }
  }

  private final class Delivery: @unchecked Sendable { var data: PairingOutOfBandData? }

  /// Each side's out-of-band data: for Secure Connections those that the other one has made, for legacy pairing a key that
  /// both would need.
  private func data(
    _ combination: Combination, in scene: Scene
  ) async -> (initiator: PairingOutOfBandData?, responder: PairingOutOfBandData?) {
    let (fromPhone, fromSensor) = (Delivery(), Delivery())
    if !combination.isSecureConnections {
      fromPhone.data = PairingOutOfBandData(temporaryKey: Array(1...16))
      fromSensor.data = fromPhone.data
    } else {
      if combination.data.includesInitiator { scene.sensor.makeOutOfBandData { fromSensor.data = $0 } }
      if combination.data.includesResponder { scene.phone.makeOutOfBandData { fromPhone.data = $0 } }
      await scene.world.settle()
    }
    return (
      combination.data.includesInitiator ? fromSensor.data : nil,
      combination.data.includesResponder ? fromPhone.data : nil
    )
  }

  @Test(
    "S9 every IO capability with every other, legacy and Secure Connections, with and without data: the table's method",
    arguments: Combination.all)
  func method(_ combination: Combination) async throws {
    let scene = Scene()
    let world = scene.world
    var policy = SecurityPolicy()
    policy.offersSecureConnections = combination.isSecureConnections
    for device in [scene.phone, scene.sensor] { device.setSecurityPolicy(policy) }
    let data = await data(combination, in: scene)
    let initiator = Person(
      combination.initiator, wantsAuthentication: combination.protection.includesInitiator, data: data.initiator,
      among: scene.people)
    let responder = Person(
      combination.responder, wantsAuthentication: combination.protection.includesResponder, data: data.responder,
      among: scene.people)
    scene.phone.setPairingAgent(initiator)
    scene.sensor.setPairingAgent(responder)
    let peripheral = GuardedPeripheral(scene.sensor, of: world, called: "Guarded")
    let central = CentralApp(scene.phone.options, seeking: "Guarded")
    try await world.wait(within: .seconds(10)) { central.isWalked }
    central.events = []

    let wanted = AssociationTable.entry(combination)
    central.read("FF41")
    await world.settle()
    #expect(central.events == [.value("FF41", "encrypted")])
    expectBonds(scene, wanted, combination)
    #expect(initiator.tasks == (wanted.tasks.initiator.map { [$0] } ?? []))
    #expect(responder.tasks == (wanted.tasks.responder.map { [$0] } ?? []))
    for request in initiator.asked + responder.asked {
      #expect(request.method == wanted.method && request.isSecureConnections == combination.isSecureConnections)
    }

    // A higher level is reached only if the table allows it.
    let best = wanted == .justWorks ? AssociationTable.byCapabilities(combination) : wanted
    central.events = []
    central.read("FF42")
    await world.settle()
    #expect(central.events == [best == .justWorks ? .valueError("FF42", 5) : .value("FF42", "authenticated")])
    expectBonds(scene, best, combination)
    withExtendedLifetime(peripheral) {}
  }

  private func expectBonds(_ scene: Scene, _ wanted: AssociationTable.Entry, _ combination: Combination) {
    for (device, peer) in [(scene.phone, scene.sensor), (scene.sensor, scene.phone)] {
      #expect(device.bonds.map(\.address) == [peer.address])
      let security = device.bonds.first?.security
      #expect(security?.method == wanted.method)
      #expect(security?.isSecureConnections == combination.isSecureConnections)
      #expect(security?.keySize == 16)
      #expect(security?.level == wanted.level(isSecureConnections: combination.isSecureConnections))
    }
  }
}
