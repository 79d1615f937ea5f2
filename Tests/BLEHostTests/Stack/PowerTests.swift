import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import Testing

@Suite struct PowerTests {
  @Test("a role gets the state once it is known")
  func aRoleLearnsTheStateOnceItIsKnown() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    let early = device.makeCentral()
    #expect(early.states.isEmpty)
    #expect(device.stack.state == .unknown)
    try await world.wait { early.states == [.poweredOn] }
    let late = device.makePeripheral()
    try await world.wait { late.states == [.poweredOn] }
    #expect(device.stack.state == .poweredOn)
    #expect(device.stack.supportsExtendedAdvertising)
  }

  @Test("all six states are reported in order")
  func allSixStatesAreReportedInOrder() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    #expect(device.stack.state == .unknown)
    let central = device.makeCentral()
    let peripheral = device.makePeripheral()
    try await world.wait { central.states.last == .poweredOn }
    device.stack.powerOff()
    try await world.wait { central.states.last == .poweredOff }
    device.stack.powerOn()
    try await world.wait { central.states.last == .poweredOn }
    device.stack.denyBluetooth()
    try await world.wait { central.states.last == .unauthorized }
    device.stack.allowBluetooth()
    try await world.wait { central.states.last == .poweredOn }
    await world.perform { device.controller?.failHardware(code: 1) }
    try await world.wait { central.states.last == .poweredOn }
    device.failure = TransportError(.unreachable, "unplugged")
    await world.perform { device.controller?.failHardware(code: 1) }
    try await world.wait(.seconds(60)) { central.states.last == .unsupported }
    let all: [AdapterState] = [
      .poweredOn, .poweredOff, .poweredOn, .unauthorized, .poweredOn, .resetting, .poweredOn, .resetting, .unsupported,
    ]
    #expect(central.states == all)
    #expect(peripheral.states == all)
  }

  @Test("without a controller the state is unsupported, and power on tries again")
  func withoutAControllerTheStateIsUnsupportedAndPowerOnTriesAgain() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    device.failure = TransportError(.unreachable, "nobody listens")
    let central = device.makeCentral()
    await world.advance(.seconds(60))
    #expect(central.states == [.unsupported])
    let openings = device.openings
    #expect(openings > 1 && openings < 10)
    device.failure = nil
    device.stack.powerOn()
    try await world.wait { central.states == [.unsupported, .poweredOn] }
  }

  /// Why a controller is missing.
  private static let absences = [
    TransportError(.unreachable, "no adapter"), TransportError(.switchedOff, "rfkill"),
    TransportError(.closed, "removed"),
  ]

  @Test(
    "I12.1 a controller that is removed is resetting, then powered off, and powered on when it is back",
    arguments: absences)
  func absence(_ absence: TransportError) async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    let central = try await world.makeCentral(on: device)
    device.absence = absence
    for _ in 0..<20 {
      await world.perform { device.controller?.failHardware(code: 1) }
      try await world.wait { central.states.last == .poweredOff }
      // However long it takes: nothing is tried meanwhile.
      let openings = device.openings
      await world.advance(.seconds(3_600))
      #expect(device.openings == openings)
      await world.perform { device.waiting?.change(nil) }
      try await world.wait { central.states.last == .poweredOn }
    }
    let all =
      [AdapterState.poweredOn] + Array(repeating: [.resetting, .poweredOff, .poweredOn], count: 20).flatMap(\.self)
    #expect(central.states == all)
    // A scan that the program restarts finds devices again.
    let other = try await world.makePeripheral(on: world.makeDevice(2))
    await world.perform {
      other.advertise("back", [])
      central.role.startScan(ScanParameters())
    }
    try await world.wait { !central.discoveries.isEmpty }
  }

  @Test("I12.1 a change of the reason for waiting is reported, and a missing permission immediately")
  func absenceChanges() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    device.absence = Self.absences[0]
    let central = device.makeCentral()
    try await world.wait { central.states == [.unsupported] }
    await world.perform { device.waiting?.change(Self.absences[1]) }
    try await world.wait { central.states == [.unsupported, .poweredOff] }
    // The user's request and the switch agree.
    device.absence = Self.absences[1]
    device.stack.powerOff()
    await world.advance(.seconds(1))
    device.stack.powerOn()
    await world.advance(.seconds(1))
    await world.perform { device.waiting?.change(nil) }
    try await world.wait { central.states == [.unsupported, .poweredOff, .poweredOn] }

    let other = world.makeDevice(2)
    other.failure = TransportError(.notPermitted, "CAP_NET_ADMIN")
    let refused = other.makeCentral()
    await world.advance(.seconds(60))
    #expect(refused.states == [.unauthorized] && other.openings == 1)
  }

  @Test("I13.1 a controller that cannot be used is not tried again, and why is known until it is switched on again")
  func unsuitable() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    device.failure = TransportError(.unsuitable, "no LE")
    let central = device.makeCentral()
    await world.advance(.seconds(600))
    #expect(central.states == [.unsupported] && device.openings == 1)
    #expect(device.stack.failure == "no LE")
    device.failure = nil
    device.stack.powerOn()
    try await world.wait { central.states == [.unsupported, .poweredOn] }
    #expect(device.stack.failure == nil)
  }

  @Test("without permission nothing is opened")
  func withoutPermissionNothingIsOpened() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1, options: HostOptions(isPermitted: false))
    let central = device.makeCentral()
    await world.advance(.seconds(1))
    #expect(central.states == [.unauthorized])
    #expect(device.openings == 0)
    device.stack.allowBluetooth()
    try await world.wait { central.states == [.unauthorized, .poweredOn] }
  }

  @Test("a controller that stops answering is reset")
  func aControllerThatStopsAnsweringIsReset() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    let central = try await world.makeCentral(on: device)
    await world.perform {
      device.controller?.inject(.ignoreCommands(count: 1))
      central.role.startScan(ScanParameters())
    }
    try await world.wait(.seconds(30)) { central.states == [.poweredOn, .resetting, .poweredOn] }
  }

  @Test("powering off closes links for the peer and reports nothing more here")
  func poweringOffClosesLinksForThePeerAndSaysNothingMoreHere() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    toy.stack.powerOff()
    try await world.wait { !central.disconnections.isEmpty }
    #expect(central.disconnections.map(\.reason) == [.closedByPeer])
    #expect(peripheral.states == [.poweredOn, .poweredOff])

    toy.stack.powerOn()
    try await world.wait { peripheral.states.last == .poweredOn }
    await world.perform {
      peripheral.add(Chat.published)
      peripheral.advertise("My dear", [Chat.service])
      central.role.connect(central.connected[0].peer.identifier, options: ConnectionOptions())
    }
    try await world.wait { central.connected.count == 2 }
    phone.stack.powerOff()
    await world.advance(.seconds(10))
    #expect(central.disconnections.count == 1)
    #expect(central.states == [.poweredOn, .poweredOff])
    let read = Promised<ArraySlice<UInt8>>()
    await world.perform { central.link.read(AttributeHandle(3), read.fulfil) }
    try await world.wait { read.count == 1 }
    #expect(read.result == .failure(.notConnected))
  }

  @Test("I13.3 a scan that was being started when the adapter was switched off does not prevent the next one")
  func scanStartedAsTheAdapterIsSwitchedOff() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    _ = try await world.makeChat(on: world.makeDevice(2))
    let central = try await world.connectChat(from: phone)
    // The controller answers while the link is being ended, before the controller is stopped.
    await world.perform {
      central.role.startScan(ScanParameters())
      phone.stack.powerOff()
    }
    try await world.wait { central.states.last == .poweredOff }
    await world.advance(.seconds(10))
    phone.stack.powerOn()
    try await world.wait { central.states.last == .poweredOn }
    await world.perform { central.forgetDiscoveries() }
    try await world.find(central)
  }

  @Test("shutting down closes links before it is done")
  func shuttingDownClosesLinksBeforeItIsDone() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let isDone = Promised<Void>()
    toy.stack.shutDown { isDone.fulfil(.success(())) }
    try await world.wait { isDone.count == 1 }
    try await world.wait(.milliseconds(200)) { central.disconnections.map(\.reason) == [.closedByPeer] }
  }

  @Test("a stack that is released during any operation does no harm")
  func aStackThatIsDroppedInTheMiddleOfEverythingDoesNoHarm() async throws {
    for step in 0..<40 {
      let world = StackWorld(seed: UInt64(step))
      let toy = world.makeDevice(2)
      _ = try await world.makeChat(on: toy)
      let address = toy.address
      do {
        let controller = world.air.makeController(address: DeviceAddress(0xAA01, kind: .public))
        let stack = HostStack(
          loop: world.loop, entropy: SeededEntropy(seed: 1), peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 1))
        ) { () throws(TransportError) in controller }
        let peer = stack.directory.peer(at: address).identifier
        stack.start()
        let central = TestCentral(stack)
        try await world.wait { central.states.last == .poweredOn }
        await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
        await world.advance(.milliseconds(Int64(step) * 10))
        // The link is being made or ended when the last reference to the stack is released.
        await world.perform { central.role.close() }
        central.drop()
      }
      await world.advance(.seconds(40))
    }
  }

  @Test("seeded random numbers are refused on a transport that is not simulated")
  func seededNumbersAreRefusedOnATransportThatIsNotSimulated() async {
    let world = StackWorld()
    let controller = world.air.makeController(address: DeviceAddress(1, kind: .public))
    let stack = HostStack(
      loop: world.loop, entropy: SeededEntropy(seed: 1), peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 1))
    ) { () throws(TransportError) in WrappedTransport(controller, isSimulated: false) }
    stack.start()
    let central = TestCentral(stack)
    await world.advance(.seconds(20))
    #expect(!central.states.contains(.poweredOn))
  }
}
