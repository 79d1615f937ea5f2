import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 1, central: states", .keepsCapture)
struct CentralStateTests {
  @Test(
    "B1.4 the state is unknown right after init, and one call reports it",
    arguments: [CBManagerState.poweredOn, .poweredOff, .unauthorized, .unsupported])
  func firstState(_ expected: CBManagerState) async {
    let world = World()
    let phone = world.makeDevice("phone")
    switch expected {
    case .poweredOff: phone.powerOff()
    case .unauthorized: phone.denyBluetooth()
    case .unsupported: phone.removeController()
    default: break
    }
    await world.advance(by: .seconds(120))
    let central = CentralApp(phone.options)
    #expect(central.manager.state == .unknown && central.told.isEmpty)
    await world.advance(by: .seconds(120))
    #expect(central.told == ["state \(expected.rawValue)"])
    #expect(central.manager.state == expected)
  }

  enum Interruption: CaseIterable {
    case powerOff, refusal, reset

    func begin(_ phone: Device) {
      switch self {
      case .powerOff: phone.powerOff()
      case .refusal: phone.denyBluetooth()
      case .reset: phone.resetController()
      }
    }

    func end(_ phone: Device) {
      switch self {
      case .powerOff: phone.powerOn()
      case .refusal: phone.allowBluetooth()
      case .reset: break
      }
    }

    var makesInvalid: Bool { self != .powerOff }
  }

  @Test(
    "B1.6 below powered on scans and connections have ended, below powered off the peripherals are invalid",
    arguments: Interruption.allCases)
  func interruption(_ interruption: Interruption) async throws {
    let meeting = try await Meeting.withAccessory().connected()
    let (world, central) = (meeting.world, meeting.central)
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(1))
    interruption.begin(meeting.phone)
    try await world.wait(within: .seconds(30)) { central.manager.state != .poweredOn }
    #expect(!central.manager.isScanning && meeting.found.state == .disconnected)
    interruption.end(meeting.phone)
    try await world.wait(within: .seconds(30)) { central.manager.state == .poweredOn }
    #expect(!central.manager.isScanning)
    central.forget()
    central.manager.connect(meeting.found)
    await world.advance(by: .seconds(5))
    #expect((meeting.found.state == .connected) == !interruption.makesInvalid)
    let again = try await Meeting.find("lamp", by: central, in: world)
    #expect((again !== meeting.found) == interruption.makesInvalid)
    #expect(again.identifier == meeting.found.identifier)
    central.manager.connect(again)
    await world.advance(by: .seconds(5))
    #expect(again.state == .connected)
  }

  @Test("B1.7 switching Bluetooth off reports the state and no disconnection")
  func powerCycle() async throws {
    let meeting = try await Meeting.talking()
    meeting.found.readValue(for: try meeting.characteristic())
    meeting.phone.powerOff()
    await meeting.world.advance(by: .seconds(30))
    #expect(meeting.central.told == ["state 4"])
    #expect(meeting.found.state == .disconnected)
    meeting.phone.powerOn()
    await meeting.world.advance(by: .seconds(30))
    #expect(meeting.central.told == ["state 4", "state 5"])
  }

  @Test("B1.8 a stack that fails shows as resetting, then powered on; delegates of old peripherals get no more calls")
  func reset() async throws {
    let meeting = try await Meeting.talking()
    let (world, central) = (meeting.world, meeting.central)
    let characteristic = try meeting.characteristic()
    await meeting.found.notify(true, characteristic, in: world)
    central.forget()
    let old = CentralApp(meeting.phone.options)
    meeting.found.delegate = old
    meeting.phone.resetController()
    await world.advance(by: .seconds(60))
    #expect(central.told == ["state 1", "state 5"])
    let again = try await Meeting.find("lamp", by: central, in: world)
    central.manager.connect(again)
    await world.advance(by: .seconds(5))
    again.discoverServices(nil)
    meeting.found.readRSSI()
    meeting.found.discoverServices(nil)
    meeting.found.readValue(for: characteristic)
    await world.advance(by: .seconds(5))
    #expect(central.told.contains("services") && !central.told.contains { $0.hasPrefix("rssi") })
    #expect(old.told.filter { !$0.hasPrefix("state") } == [])
  }

  @Test("B1.9 authorization is read without a manager; a refusal shows as the state unauthorized")
  func authorization() async {
    // In a process of its own: other tests refuse permissions too, and the property is shared.
    await #expect(processExitsWith: .success) {
      precondition(CBManager.authorization == .allowedAlways)
      let world = World()
      let phone = world.makeDevice("phone")
      let central = CentralApp(phone.options)
      phone.denyBluetooth()
      await world.settle()
      precondition(central.manager.state == .unauthorized)
      precondition(CBManager.authorization == .denied && CBCentralManager.authorization == .denied)
      phone.allowBluetooth()
      await world.settle()
      precondition(central.manager.state == .poweredOn && CBManager.authorization == .allowedAlways)
    }
  }
}
