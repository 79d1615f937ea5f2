import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Pairing, bonds and encryption as programs see them: no call requests a pairing, the stack pairs where it is needed.
@Suite("Security through Core Bluetooth", .keepsCapture)
struct SecurityTests {
  /// A phone and `Safe`, connected, with everything discovered.
  private func start(_ world: World = World()) async throws -> Conversation {
    try await Conversation.start(in: world, with: { Devices.safe(on: $0).program })
  }

  /// As `start`, and bonded.
  private func startBonded(_ world: World = World()) async throws -> Conversation {
    let talk = try await start(world)
    try await talk.read("FF31")
    #expect(talk.central.events.last == .value("FF31", "secret"))
    return talk
  }

  private func reconnect(_ talk: Conversation) async throws {
    await talk.disconnect()
    talk.central.events = []
    try await talk.connect()
  }

  @Test("R3.5 reading a value that needs encryption pairs and encrypts the link without a call by the programs")
  func encryptedRead() async throws {
    let talk = try await start()
    let secret = try talk.characteristic("FF31")
    #expect(talk.phone.bonds.isEmpty)
    await talk.found.read(secret, in: talk.world)
    #expect(talk.central.events.last == .value("FF31", "secret"))
    #expect(talk.phone.bonds.map(\.address) == [talk.other.address])
    #expect(talk.other.bonds.map(\.address) == [talk.phone.address])
    #expect(talk.phone.bonds.first?.security.isSecureConnections == true)
    #expect(talk.phone.bonds.first?.security.method == .justWorks)
  }

  @Test(
    "R3.5 attributes that need encryption pair on access, whatever the access is",
    arguments: ["read", "write", "notify", "indicate"])
  func everyAccess(_ access: String) async throws {
    let talk = try await Conversation.start(

      with: { device in
        let service = CBMutableService("FF00")
        service.characteristics = [
          CBMutableCharacteristic("FF01", [.read, .write], [.readEncryptionRequired, .writeEncryptionRequired]),
          CBMutableCharacteristic("FF02", [.notifyEncryptionRequired], []),
          CBMutableCharacteristic("FF03", [.indicateEncryptionRequired], []),
        ]
        let program = PeripheralApp("protected", on: device, services: [service], advertises: [])
        program.values = [CBUUID(string: "FF01"): Data("value".utf8)]
        return program
      })
    talk.central.events = []
    switch access {
    case "read": talk.found.readValue(for: try talk.characteristic("FF01"))
    case "write": talk.found.writeValue(Data([1]), for: try talk.characteristic("FF01"), type: .withResponse)
    case "notify": talk.found.setNotifyValue(true, for: try talk.characteristic("FF02"))
    default: talk.found.setNotifyValue(true, for: try talk.characteristic("FF03"))
    }
    await talk.world.settle()
    let expected: CentralApp.Event =
      switch access {
      case "read": .value("FF01", "value")
      case "write": .written("FF01", 0)
      case "notify": .notifying("FF02", true, 0)
      default: .notifying("FF03", true, 0)
      }
    #expect(talk.central.events == [expected])
    #expect(talk.phone.bonds.count == 1)
  }

  @Test("R3.5 where a pairing is refused, the program gets the peer's error, and no value")
  func refused() async throws {
    let talk = try await start()
    var policy = SecurityPolicy()
    policy.allowedMethods = []
    talk.other.setSecurityPolicy(policy)
    talk.central.events = []
    talk.found.readValue(for: try talk.characteristic("FF31"))
    talk.found.setNotifyValue(true, for: try talk.characteristic("FF31"))
    try await talk.read("FF32")
    #expect(
      talk.central.events == [
        .valueError("FF31", 5), .notifying("FF31", false, 5), .value("FF32", "open"),
      ])
    #expect(talk.peripheral.events.contains(.read("FF32", 0)) && !talk.peripheral.events.contains(.read("FF31", 0)))
  }

  @Test(
    "R2.11 a bonded device is encrypted again without pairing, its subscriptions back, its database checked by one request"
  )
  func reconnection() async throws {
    let world = World()
    let talk = try await startBonded(world)
    try await talk.subscribe("FF31")
    let services = talk.found.services?.map(\.uuid)
    let before = world.attributeRequests
    try await reconnect(talk)
    // Features and MTU are settled before a connection is reported.
    let connected = world.attributeRequests
    #expect(connected - before <= 1)
    await talk.discoverAll()
    for characteristic in talk.found.services?.first?.characteristics ?? [] {
      talk.found.discoverDescriptors(for: characteristic)
    }
    await world.settle()
    #expect(world.attributeRequests - connected == 1)
    #expect(talk.found.services?.map(\.uuid) == services)
    #expect(try talk.characteristic("FF31").properties.contains(.notify))
    #expect(talk.peripheral.events.last == .subscribed("FF31"))
    try await talk.read("FF31")
    #expect(talk.central.events.last == .value("FF31", "secret"))
    #expect(world.pairingRequests == 1)
  }

  @Test(
    "R2.11 after both programs restart a stored identifier reconnects the bonded device, encrypted, without a scan"
  )
  func relaunch() async throws {
    let world = World()
    let talk = try await startBonded(world)
    let identifier = talk.found.identifier
    talk.phone.terminateProcess()
    talk.other.terminateProcess()
    let safe = Devices.safe(on: talk.other).program
    let central = CentralApp(talk.phone.options)
    await world.settle()
    #expect(central.manager.retrievePeripherals(withIdentifiers: [identifier]).count == 1)
    let found = try #require(central.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
    found.delegate = central
    try await central.connect(to: found, in: world)
    #expect(world.pairingRequests == 1)
    await found.discoverAll(in: world)
    let secret = try found.characteristic("FF31")
    await found.read(secret, in: world)
    #expect(central.events.last == .value("FF31", "secret"))
    #expect(world.pairingRequests == 1)
    withExtendedLifetime(safe) {}
  }

  @Test("I11.23 a bond reports whether it was made in this run of its program, or before")
  func newBonds() async throws {
    let talk = try await startBonded()
    #expect(talk.phone.bonds.map(\.isNew) == [true])
    talk.phone.terminateProcess()
    let central = CentralApp(talk.phone.options)
    await talk.world.settle()
    #expect(talk.phone.bonds.map(\.isNew) == [false])
    withExtendedLifetime(central) {}
  }

  @Test(
    "R2.11 a bonded device that changes its address stays the same device", arguments: [true, false])
  func privateAddresses(controllerResolves: Bool) async throws {
    let world = World()
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    if !controllerResolves {
      var configuration = ControllerConfiguration()
      configuration.supportsResolvingList = false
      phone.setController(configuration)
    }
    other.setPrivacy(true, lifetime: .seconds(60))
    for device in [phone, other] { device.powerOff() }
    await world.settle()
    for device in [phone, other] { device.powerOn() }
    let safe = Devices.safe(on: other).program
    let central = CentralApp(phone.options)
    let found = try await central.meet(in: world)
    await found.read(try found.characteristic("FF31"), in: world)
    #expect(central.events.last == .value("FF31", "secret"))
    #expect(phone.bonds.map(\.address) == [other.address])
    central.manager.cancelPeripheralConnection(found)
    // Five addresses later it is still the same device, for scans and for connections.
    await world.advance(by: .seconds(300))
    central.manager.stopScan()
    central.sightings = []
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(130))
    #expect(!central.sightings.isEmpty && central.sightings.allSatisfy { $0.peripheral === found })
    central.manager.stopScan()
    await world.advance(by: .seconds(130))
    try await central.connect(to: found, in: world, within: .seconds(20))
    #expect(world.pairingRequests == 1)
    withExtendedLifetime(safe) {}
  }

  @Test("R2.14 a peer that has removed the bond is reported as such; removed here as well, it pairs again")
  func forgotten() async throws {
    let world = World()
    let talk = try await startBonded(world)
    talk.other.forgetBonds()
    await world.settle()
    #expect(talk.found.state == .disconnected)
    talk.central.events = []
    talk.central.manager.connect(talk.found)
    await world.advance(by: .seconds(5))
    #expect(talk.central.events == [.failedToConnect(talk.found.name, .peerRemovedPairingInformation)])
    #expect(talk.found.state == .disconnected)
    // However often it is tried: nothing is sent unencrypted instead.
    talk.central.manager.connect(talk.found)
    await world.advance(by: .seconds(5))
    #expect(talk.central.events.last == .failedToConnect(talk.found.name, .peerRemovedPairingInformation))
    talk.phone.forgetBond(with: talk.other)
    await world.settle()
    #expect(talk.phone.bonds.isEmpty)
    try await talk.connect()
    await talk.discoverAll()
    try await talk.read("FF31")
    #expect(talk.central.events.last == .value("FF31", "secret"))
    #expect(talk.phone.bonds.count == 1 && talk.other.bonds.count == 1)
    #expect(world.pairingRequests == 2)
  }

  @Test("R2.14 keys that do not match end the connection, and the program gets the error that encryption failed")
  func wrongKeys() async throws {
    let world = World()
    let talk = try await startBonded(world)
    talk.central.manager.cancelPeripheralConnection(talk.found)
    await world.settle()
    talk.other.corruptBonds()
    talk.other.powerOff()
    await world.settle()
    talk.other.powerOn()
    await world.settle()
    talk.central.events = []
    talk.central.manager.connect(talk.found)
    await world.advance(by: .seconds(30))
    #expect(talk.central.events == [.failedToConnect(talk.found.name, .encryptionTimedOut)])
    #expect(world.endReasons(at: talk.other).last == 0x3D)
  }

  @Test("where there is no room for more keys the access fails with tooManyLEPairedDevices, and the link stays")
  func tooMany() async throws {
    let talk = try await start()
    talk.phone.setBondLimit(0)
    talk.central.events = []
    try await talk.read("FF31")
    #expect(talk.central.events == [.valueError("FF31", CBError.Code.tooManyLEPairedDevices.rawValue)])
    talk.phone.setBondLimit(1)
    try await talk.read("FF31")
    #expect(talk.central.events.last == .value("FF31", "secret"))
  }

  @Test("where keys cannot be stored the pairing fails, and the previous bond is unchanged")
  func fullDisk() async throws {
    let talk = try await start()
    talk.phone.setBondStoreFull(true)
    try await talk.read("FF31")
    #expect(talk.central.events.last == .valueError("FF31", 5))
    #expect(talk.phone.bonds.isEmpty)
    talk.phone.setBondStoreFull(false)
    await talk.world.advance(by: .seconds(10))
    try await talk.read("FF31")
    #expect(talk.central.events.last == .value("FF31", "secret"))
  }
}
