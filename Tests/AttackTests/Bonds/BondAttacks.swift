import BLECore
import BLECrypto
import BLEHost
import BLEState
import BLETestKit
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Attacks on stored keys: links that are not encrypted, data between clients.
@Suite("Bond attacks", .keepsCapture)
struct BondAttacks {
  enum Refusal: String, CaseIterable { case negativeReply, silence, wrongKey }

  /// Two bonded devices, and one with the peripheral's address and without its keys.
  private func spoofed(_ refusal: Refusal) async throws -> (BondedDevices, HostileDevice) {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    bonded.sensor.cutPower()
    await bonded.world.advance(by: .seconds(1))
    let spoofer = HostileDevice(bonded.world, address: bonded.sensor.address)
    switch refusal {
    case .negativeReply: break
    case .silence: spoofer.answersKeyRequests = false
    case .wrongKey: spoofer.key = SecretKey(AESBlock(high: 1, low: 2))
    }
    return (bonded, spoofer)
  }

  @Test("A13 values of a bonded peripheral that is not encrypted are ignored", arguments: Refusal.allCases)
  func plaintextPeripheral(_ refusal: Refusal) async throws {
    let (bonded, spoofer) = try await spoofed(refusal)
    spoofer.advertise("Safe")
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(60))
    #expect(spoofer.keyRequests == 1)
    let code: CBError.Code = refusal == .negativeReply ? .peerRemovedPairingInformation : .encryptionTimedOut
    #expect(bonded.central.events == [.failedToConnect("sensor", code)])
    #expect(bonded.central.peripheral?.state == .disconnected)
    // Without encryption it was sent only the requests that every link begins with.
    #expect(spoofer.attributePDUs.allSatisfy { $0.first == 0x02 })
  }

  @Test(
    "A13 a peer that connects from a bonded peripheral's address is not handed to programs that wait for that peripheral"
  )
  func spoofedFromOutside() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    bonded.sensor.cutPower()
    let own = Shelf.start(bonded.phone.options)
    let spoofer = HostileDevice(bonded.world, address: bonded.sensor.address)
    spoofer.server = HostileServer.make()
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(1))
    #expect(own.manager.isAdvertising)
    spoofer.connect(to: bonded.phone.address)
    await bonded.world.advance(by: .seconds(5))
    #expect(spoofer.isConnected && bonded.central.events.isEmpty)
    // Nor to one that requests the connection only then, or again.
    bonded.central.disconnect()
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(5))
    #expect(bonded.central.events.allSatisfy { $0 == .disconnected("sensor", nil) })
    #expect(bonded.central.peripheral?.state == .connecting)
    // As a central it gets what any other central gets.
    #expect(await spoofer.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer)
    // The sensor itself is found as soon as it is there and the impostor has gone.
    await spoofer.leave()
    bonded.sensor.restorePower()
    #expect(try await bonded.readsSecret(within: .seconds(20)))
  }

  @Test(
    "A13 a bonded peripheral that opens the link itself, and proves its keys, completes the programs' pending connections"
  )
  func openedByThePeripheral() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    let own = Shelf.start(bonded.phone.options)
    bonded.peripheral.manager.stopAdvertising()
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(2))
    #expect(own.manager.isAdvertising && bonded.central.events.isEmpty)
    let explorer = CentralApp(bonded.sensor.options, seeking: "Shelf", discovering: .descriptors)
    try await bonded.world.wait(within: .seconds(10)) { explorer.isDone && bonded.central.isWalked }
    #expect(bonded.central.events == [.connected("sensor")])
    #expect(try await bonded.readsSecret())
    // The request is completed: there is no reconnection when the link ends.
    explorer.disconnect()
    bonded.central.disconnect()
    await bonded.world.advance(by: .seconds(1))
    bonded.central.events = []
    bonded.peripheral.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Safe"])
    await bonded.world.advance(by: .seconds(10))
    #expect(bonded.central.events.isEmpty && bonded.central.peripheral?.state == .disconnected)
  }

  @Test(
    "A13 an indication before the link to a bonded peripheral is encrypted is not confirmed to a peer without the keys",
    arguments: Refusal.allCases)
  func earlyIndication(_ refusal: Refusal) async throws {
    let (bonded, spoofer) = try await spoofed(refusal)
    spoofer.linkChanged = { device, isUp in
      if isUp { for _ in 0..<3 { device.sendAttributePDU([0x1D, 0x12, 0x00, 0x61]) } }
    }
    spoofer.advertise("Safe")
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(60))
    #expect(spoofer.connectionCount == 1 && bonded.central.peripheral?.state == .disconnected)
    #expect(!spoofer.attributePDUs.contains { $0.first == 0x1E })
  }

  @Test("A13 an indication of the bonded peripheral itself is confirmed, once, when the link is encrypted")
  func indicationBeforeEncryption() async throws {
    let scene = try await AttackedCentral.start()
    #expect(await scene.read() != nil)
    scene.attacker.key = try #require(scene.attacker.results.last?.keyAsPeripheral?.key)
    scene.program.disconnect()
    await scene.world.advance(by: .seconds(1))
    scene.attacker.forgetWhatCame()
    scene.attacker.answersKeyRequests = false
    scene.attacker.linkChanged = { device, isUp in
      if isUp { device.sendAttributePDU([0x1D, 0x12, 0x00, 0x61]) }
    }
    scene.program.connect()
    await scene.world.advance(by: .seconds(5))
    #expect(scene.attacker.isConnected && scene.attacker.encryption.isEmpty)
    #expect(!scene.attacker.attributePDUs.contains { $0.first == 0x1E })
    scene.attacker.answerKeyRequest()
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.encryption.map(\.isOn) == [true])
    #expect(scene.attacker.attributePDUs.count { $0.first == 0x1E } == 1)
    #expect(scene.program.peripheral?.state == .connected)
  }

  @Test("A14 values that a bonded central subscribed to are not sent to another device with its address")
  func spoofedSubscriber() async throws {
    let bonded = try await BondedDevices.start()
    bonded.central.notify(true, "FF31")
    bonded.central.notify(true, "FF32")
    await bonded.world.advance(by: .seconds(1))
    #expect(bonded.peripheral.subscriptions.sorted() == ["FF31", "FF32"])
    try await bonded.disconnect()
    #expect(bonded.peripheral.subscriptions.isEmpty)
    bonded.phone.cutPower()
    let spoofer = HostileDevice(bonded.world, address: bonded.phone.address)
    await bonded.world.advance(by: .milliseconds(100))
    spoofer.connect(to: bonded.sensor.address)
    await bonded.world.advance(by: .seconds(1))
    bonded.peripheral.notify("for the phone")
    await bonded.world.advance(by: .seconds(1))
    #expect(spoofer.isConnected && spoofer.attributePDUs.isEmpty)
    #expect(bonded.peripheral.subscriptions.isEmpty)
    #expect(await spoofer.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("0f"))
    await spoofer.leave()
    // The phone itself has its subscriptions back as soon as it is encrypted.
    bonded.phone.restorePower()
    bonded.central.connect()
    try await bonded.world.wait(within: .seconds(10)) { bonded.peripheral.subscriptions.count == 2 }
  }

  @Test(
    "A14 a client that changes its address keeps its subscriptions; a device that takes its old address gets nothing",
    arguments: [true, false])
  func changingAddress(controllerResolves: Bool) async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.setPrivacy(true, lifetime: .seconds(60))
    phone.powerOff()
    await world.settle()
    phone.powerOn()
    var configuration = ControllerConfiguration()
    configuration.supportsResolvingList = controllerResolves
    var shown: [DeviceAddress] = []
    let sensor = BetrayedHost(world, configuration: configuration) { chip, _ in
      chip.toHost = { packet in
        if packet.kind == .event, let event = try? HCIEvent(HCIEventPacket(packet.octets)),
          let link = event.connectionComplete, link.status.isSuccess
        {
          shown.append(link.peerResolvableAddress.value == 0 ? link.peerAddress.address : link.peerResolvableAddress)
        }
        return [packet]
      }
    }
    sensor.stack.setPairingAgent(TestAgent())
    let program = PeripheralApp.safe(sensor.options)
    let central = CentralApp(phone.options, seeking: "Safe")
    try await world.wait(within: .seconds(10)) { central.isWalked }
    central.read("FF31")
    try await world.wait(within: .seconds(5)) { central.events.last == .value("FF31", "secret") }
    central.notify(true, "FF31")
    central.notify(true, "FF32")
    await world.advance(by: .seconds(1))
    #expect(program.subscriptions.sorted() == ["FF31", "FF32"])
    for _ in 0..<3 {
      central.disconnect()
      await world.advance(by: .seconds(130))
      #expect(program.subscriptions.isEmpty)
      // The same device by another address has its subscriptions back once it is encrypted.
      central.connect()
      try await world.wait(within: .seconds(20)) { program.subscriptions.sorted() == ["FF31", "FF32"] }
      try await world.wait(within: .seconds(5)) { central.isWalked }
      central.notify(true, "FF32")
      await world.advance(by: .seconds(1))
      central.events = []
      program.notify("for the phone")
      await world.advance(by: .seconds(1))
      #expect(central.events.filter { $0 == .value("FF32", "for the phone") }.count == 1)
    }
    #expect(Set(shown).count == 4 && shown.allSatisfy { $0.randomKind == .resolvablePrivate })
    central.disconnect()
    await world.advance(by: .seconds(1))
    phone.cutPower()
    await world.advance(by: .seconds(1))
    // Its earlier addresses still resolve to it: without its keys they give nothing.
    for address in [shown[0], shown[3]] {
      let spoofer = HostileDevice(world, address: address)
      await world.advance(by: .milliseconds(100))
      spoofer.connect(to: sensor.address)
      await world.advance(by: .seconds(1))
      program.notify("not for anybody else")
      await world.advance(by: .seconds(1))
      #expect(spoofer.isConnected && spoofer.attributePDUs.isEmpty && program.subscriptions.isEmpty)
      #expect(await spoofer.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("0f"))
      #expect(await spoofer.ask("0a1600") == ["0b0000"], "its own configuration of FF32")
      await spoofer.leave()
    }
    phone.restorePower()
    central.connect()
    try await world.wait(within: .seconds(20)) { program.subscriptions.count == 2 }
  }

  @Test("A14 an unbonded client's subscriptions, prepared writes and cached values end with its link")
  func unbonded() async throws {
    let scene = try await AttackedPeripheral.start()
    #expect(await scene.attacker.ask("1216000100") == ["13"])
    #expect(await scene.attacker.ask("16150000" + "00616263") != [])
    scene.program.notify("one")
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.attacker.attributePDUs.contains { $0.first == 0x1B })
    try await scene.reconnect()
    scene.attacker.forgetWhatCame()
    scene.program.notify("two")
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.attacker.attributePDUs.isEmpty)
    #expect(await scene.attacker.ask("0a1600") == ["0b0000"])
    #expect(await scene.attacker.ask("1801") == ["19"])
    #expect(scene.program.writes.isEmpty)
  }

  @Test("H5 keys that arrive before the link is encrypted are refused")
  func earlyKeys() async throws {
    let scene = try await AttackedPeripheral.start {
      $0.behave()
      // The check is answered, and the attacker distributes its keys before the link is encrypted.
      $0.forge = { $0.first == 0x0D ? [$0, [0x08] + [UInt8](repeating: 1, count: 16)] : [$0] }
    }
    await scene.pair()
    #expect(scene.attacker.commands.last?.first == 0x05)
    #expect(scene.device.bonds.isEmpty)
    #expect(await scene.attacker.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("05"))
  }

  @Test(
    "H8 keys are stored in a folder and files that only the user may access, and belong to the adapter that made them")
  func keyFiles() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-h8-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let scene = try await AttackedPeripheral.start(keepingPeersIn: folder) { $0.behave() }
    let device = scene.device
    await scene.pair()
    #expect(device.bonds.count == 1)
    var files = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name.hasPrefix("bonds") {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == (isFolder ? 0o700 : 0o600))
      files += isFolder ? 0 : 1
    }
    // Another adapter with the same folder has none of these keys.
    let store = FileBondStore(folder: folder + "/bonds")
    #expect(store.open(HostileDevice.address(9), newKey: SecretKey(AESBlock(high: 1, low: 1))).bonds.isEmpty)
    #expect(store.open(device.address, newKey: SecretKey(AESBlock.zero)).bonds.count == 1)
    #expect(files >= 1)
  }
}
