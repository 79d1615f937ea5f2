import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 3: connecting", .keepsCapture)
struct CentralConnectingTests {
  @Test(
    "B3.1 I11.34 connect returns immediately with the peripheral connecting; a link that is never established is retried",
    arguments: [true, false])
  func outcome(succeeds: Bool) async throws {
    let meeting = try await Meeting.withAccessory()
    if !succeeds { meeting.device?.cutPowerWhenConnected() }
    meeting.central.manager.connect(meeting.found)
    #expect(meeting.found.state == .connecting && meeting.central.told.isEmpty)
    await meeting.world.advance(by: .seconds(30))
    if succeeds {
      #expect(meeting.central.told == ["connected lamp"])
      #expect(meeting.central.standings == [.connected])
    } else {
      #expect(meeting.central.told.isEmpty && meeting.found.state == .connecting)
      meeting.device?.restorePower()
      await meeting.world.advance(by: .seconds(30))
      #expect(meeting.central.told == ["connected lamp"])
    }
  }

  @Test("B3.2 an attempt never ends by itself: an hour later the device may appear")
  func patience() async throws {
    let meeting = try await Meeting.withAccessory()
    meeting.device?.moveAway()
    await meeting.world.advance(by: .seconds(1))
    meeting.central.manager.connect(meeting.found)
    await meeting.world.advance(by: .seconds(3_600))
    #expect(meeting.found.state == .connecting && meeting.central.told.isEmpty)
    meeting.device?.comeBack()
    await meeting.world.advance(by: .seconds(5))
    #expect(meeting.central.told == ["connected lamp"])
  }

  @Test("B3.2 switching Bluetooth off ends an attempt, without a call")
  func powerOffWhilePending() async throws {
    let meeting = try await Meeting.withAccessory()
    meeting.device?.moveAway()
    await meeting.world.advance(by: .seconds(1))
    meeting.central.manager.connect(meeting.found)
    await meeting.world.advance(by: .seconds(1))
    meeting.phone.powerOff()
    await meeting.world.advance(by: .seconds(1))
    meeting.phone.powerOn()
    meeting.device?.comeBack()
    await meeting.world.advance(by: .seconds(10))
    #expect(meeting.central.told == ["state 4", "state 5"])
    #expect(meeting.found.state == .disconnected)
  }

  @Test("B3.3 releasing a peripheral cancels its attempt, with Apple's line in the log")
  func unused() async throws {
    let world = World()
    let tag = world.makeScriptedDevice("tag")
    tag.advertise(Advertisement.named("tag"))
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    tag.cutPower()
    await world.advance(by: .seconds(1))
    central.queue.sync {
      central.manager.connect(central.sightings[0].peripheral)
      central.sightings = []
    }
    central.manager.stopScan()
    await world.advance(by: .seconds(1))
    let line = try #require(world.logLines.first { $0.text.hasPrefix("API MISUSE") }).text
    #expect(line.hasPrefix("API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: 0x"))
    #expect(line.contains("name = tag, mtu = 0, state = connecting>"))
    #expect(line.hasSuffix(", Did you forget to keep a reference to it?"))
    tag.restorePower()
    await world.advance(by: .seconds(10))
    #expect(tag.connectionCount == 0 && central.told == ["state 5"])
  }

  @Test("B3.4 another manager's connected peripheral has to be connected here too, and makes no second link")
  func sharedLink() async throws {
    let meeting = try await Meeting.withTag().connected()
    let second = CentralApp(meeting.phone.options)
    await meeting.world.settle()
    let theirs = try #require(
      second.manager.retrievePeripherals(withIdentifiers: [meeting.found.identifier]).first)
    #expect(theirs.state == .disconnected)
    second.manager.connect(theirs)
    await meeting.world.advance(by: .seconds(1))
    #expect(second.told == ["state 5", "connected tag"] && theirs.state == .connected)
    #expect(meeting.tag?.connectionCount == 1)
  }

  @Test("B3.5 connect on a connected peripheral is reported as connected once more")
  func again() async throws {
    let meeting = try await Meeting.withTag().connected()
    meeting.central.manager.connect(meeting.found)
    #expect(meeting.found.state == .connected)
    await meeting.world.advance(by: .seconds(1))
    #expect(meeting.central.told == ["connected tag"] && meeting.tag?.connectionCount == 1)
  }

  @Test("B3.9 cancelling a disconnected peripheral makes no callback")
  func cancelNothing() async throws {
    let meeting = try await Meeting.withTag()
    meeting.central.manager.cancelPeripheralConnection(meeting.found)
    #expect(meeting.found.state == .disconnected)
    await meeting.world.advance(by: .seconds(5))
    #expect(meeting.central.told.isEmpty)
  }

  /// When an app cancels.
  enum Moment: CaseIterable { case pending, comingUp, connected, shared }

  @Test(
    "B3.8 a cancelled attempt or connection is reported as disconnected, without an error", arguments: Moment.allCases)
  func cancel(_ moment: Moment) async throws {
    let meeting = try await Meeting.withTag()
    let (world, central, found, tag) = (meeting.world, meeting.central, meeting.found, try #require(meeting.tag))
    var other: CentralApp?
    var theirs: CBPeripheral?
    switch moment {
    case .pending:
      tag.stopAdvertising()
      central.manager.connect(found)
      await world.advance(by: .seconds(3))
    case .comingUp:
      central.manager.connect(found)
      try await world.wait(within: .seconds(5)) { tag.connectionCount == 1 }
    case .connected: _ = try await meeting.connected()
    case .shared:
      _ = try await meeting.connected()
      let app = CentralApp(meeting.phone.options)
      await world.settle()
      theirs = app.manager.retrievePeripherals(withIdentifiers: [found.identifier]).first
      app.manager.connect(try #require(theirs))
      await world.settle()
      other = app
    }
    #expect(
      central.told.isEmpty && found.state == (moment == .pending || moment == .comingUp ? .connecting : .connected))
    central.manager.cancelPeripheralConnection(found)
    #expect(found.state == .disconnecting)
    await world.advance(by: .seconds(10))
    #expect(central.told == ["disconnected tag"])
    #expect(central.standings == [.disconnected] && found.state == .disconnected)
    if let other {
      #expect(theirs?.state == .connected && other.told == ["state 5", "connected tag"])
    }
    // Nothing is left that would obstruct the next attempt.
    tag.advertise(Advertisement.named("tag"))
    central.manager.connect(found)
    await world.advance(by: .seconds(5))
    #expect(found.state == .connected)
  }

  @Test(
    "B3.8 commands pending when a connection is cancelled may or may not complete, and none is reported afterwards")
  func cancelWithCommands() async throws {
    let meeting = try await Meeting.talking()
    for _ in 0..<20 { meeting.found.readValue(for: try meeting.characteristic()) }
    meeting.central.manager.cancelPeripheralConnection(meeting.found)
    await meeting.world.advance(by: .seconds(5))
    #expect(meeting.central.told.last == "disconnected lamp")
    #expect(meeting.central.told.count { $0.hasPrefix("disconnected") } == 1)
  }
}
