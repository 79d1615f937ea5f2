import BLETestKit
import CoreBluetooth
import Testing

@Suite("A3: each method of CBCentralManagerDelegate", .keepsCapture)
struct CentralManagerDelegateTests {
  @Test("R3.2 centralManagerDidUpdateState(_:) is called once for each state, when the manager already has it")
  func state() async throws {
    let stage = Stage()
    #expect(stage.central.state == .unknown && stage.near.calls.isEmpty)
    await stage.world.settle()
    stage.phone.powerOff()
    await stage.world.advance(by: .seconds(2))
    stage.phone.denyBluetooth()
    await stage.world.advance(by: .seconds(2))
    stage.phone.allowBluetooth()
    stage.phone.powerOn()
    await stage.world.advance(by: .seconds(2))
    stage.phone.resetController()
    await stage.world.advance(by: .seconds(5))
    let calls = stage.near.calls(of: "centralManagerDidUpdateState(_:)")
    #expect(calls.count == stage.near.calls.count)
    #expect(calls.allSatisfy { $0.arguments[0] as? CBCentralManager === stage.central })
    let states = calls.compactMap { $0.arguments[1] as? CBManagerState }
    #expect(states.first == .poweredOn && states.last == .poweredOn)
    #expect(states.contains(.poweredOff) && states.contains(.unauthorized) && states.contains(.resetting))
    #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test(
    "R3.2 centralManager(_:willRestoreState:) comes before the first state, with the operations of the previous process"
  )
  func restored() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let options = phone.options.merging([CBCentralManagerOptionRestoreIdentifierKey: "main"]) { $1 }
    let services = [CBUUID(string: "FF11")]
    let before = Listener()
    let dead = CBCentralManager(delegate: before, queue: before.queue, options: options)
    await world.settle()
    dead.scanForPeripherals(withServices: services)
    await world.settle()
    #expect(before.calls(of: "centralManager(_:willRestoreState:)").isEmpty)
    phone.terminateProcess()
    let after = Listener()
    let next = phone.options.merging([CBCentralManagerOptionRestoreIdentifierKey: "main"]) { $1 }
    let central = CBCentralManager(delegate: after, queue: after.queue, options: next)
    await world.settle()
    #expect(
      after.calls.map(\.method) == ["centralManager(_:willRestoreState:)", "centralManagerDidUpdateState(_:)"])
    let call = try after.only("centralManager(_:willRestoreState:)")
    #expect(call.arguments[0] as? CBCentralManager === central)
    let state: [String: Any] = try call.argument(1)
    #expect(state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == services)
    withExtendedLifetime(dead) {}
  }

  @Test(
    "R3.2 centralManager(_:didDiscover:advertisementData:rssi:) brings the device, its data and the signal strength")
  func discovery() async throws {
    let stage = Stage()
    await stage.world.settle()
    let services = [CBUUID(string: "FF11")]
    stage.peripheralManager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "device", CBAdvertisementDataServiceUUIDsKey: services,
    ])
    stage.central.scanForPeripherals(withServices: services)
    await stage.world.advance(by: .seconds(2))
    let call = try #require(
      stage.near.calls(of: "centralManager(_:didDiscover:advertisementData:rssi:)").first)
    #expect(call.arguments[0] as? CBCentralManager === stage.central)
    let peripheral: CBPeripheral = try call.argument(1)
    #expect(peripheral.name == "device" && peripheral.state == .disconnected)
    let data: [String: Any] = try call.argument(2)
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "device")
    #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == services)
    #expect(data[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect((-127..<20).contains(try call.argument(3, as: NSNumber.self).intValue))
  }

  @Test("R3.2 centralManager(_:didConnect:) brings the requested object, connected")
  func connected() async throws {
    let stage = Stage()
    let peripheral = try await stage.found()
    stage.near.forget()
    stage.central.connect(peripheral)
    #expect(stage.near.calls.isEmpty)
    await stage.world.advance(by: .seconds(2))
    let call = try stage.near.only("centralManager(_:didConnect:)")
    #expect(call.arguments[0] as? CBCentralManager === stage.central)
    #expect(call.arguments[1] as? CBPeripheral === peripheral)
    #expect(call.arguments[2] as? CBPeripheralState == .connected)
    #expect(stage.near.calls.count == 1)
  }

  @Test("R3.2 centralManager(_:didFailToConnect:error:) reports a failed attempt, and why it failed")
  func failed() async throws {
    let stage = Stage()
    let peripheral = try await stage.found()
    stage.near.forget()
    // Two options that contradict each other.
    stage.central.connect(
      peripheral,
      options: [CBConnectPeripheralOptionStartDelayKey: 1, CBConnectPeripheralOptionEnableAutoReconnect: true])
    await stage.world.advance(by: .seconds(30))
    let call = try stage.near.only("centralManager(_:didFailToConnect:error:)")
    #expect(call.arguments[0] as? CBCentralManager === stage.central)
    #expect(call.arguments[1] as? CBPeripheral === peripheral)
    #expect(call.arguments[2] as? CBPeripheralState == .disconnected)
    #expect((call.error as? CBError)?.code == .invalidParameters)
    #expect(stage.near.calls.count == 1)
  }

  @Test(
    "R3.2 centralManager(_:didDisconnectPeripheral:error:) reports an end, with an error where it was not requested here"
  )
  func disconnected() async throws {
    let method = "centralManager(_:didDisconnectPeripheral:error:)"
    let (stage, peripheral) = try await Stage.connected()
    stage.central.cancelPeripheralConnection(peripheral)
    await stage.world.advance(by: .seconds(1))
    let asked = try stage.near.only(method)
    #expect(asked.arguments[0] as? CBCentralManager === stage.central)
    #expect(asked.arguments[1] as? CBPeripheral === peripheral && asked.error == nil)
    #expect(asked.arguments[2] as? CBPeripheralState == .disconnected)
    stage.near.forget()
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    stage.device.powerOff()
    await stage.world.advance(by: .seconds(2))
    let closed = try stage.near.only(method)
    #expect((closed.error as? CBError)?.code == .peripheralDisconnected)
    // The newer method is not called where the older one is implemented.
    #expect(stage.near.calls.map(\.method) == ["centralManager(_:didConnect:)", method])
  }

  /// Implements only the newer of the two disconnect callbacks.
  private final class Newer: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    struct Call {
      let manager: CBCentralManager
      let peripheral: CBPeripheral
      let timestamp: CFAbsoluteTime
      let isReconnecting: Bool
      let error: (any Error)?
    }
    var calls: [Call] = []
    var connections = 0
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connections += 1 }
    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
      isReconnecting: Bool, error: (any Error)?
    ) {
      calls.append(
        Call(
          manager: central, peripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting, error: error))
    }
  }

  @Test(
    "R3.2 centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:) has the time, and whether it reconnects"
  )
  func disconnectedWithTimestamp() async throws {
    let stage = Stage()
    let peripheral = try await stage.found()
    let newer = Newer()
    stage.central.delegate = newer
    stage.central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
    await stage.world.advance(by: .seconds(2))
    let before = CFAbsoluteTimeGetCurrent()
    stage.device.cutPower()
    await stage.world.advance(by: .seconds(10))
    stage.device.restorePower()
    await stage.world.advance(by: .seconds(5))
    #expect(newer.connections == 2 && peripheral.state == .connected)
    stage.central.cancelPeripheralConnection(peripheral)
    await stage.world.advance(by: .seconds(1))
    try #require(newer.calls.count == 2)
    #expect(newer.calls.map(\.isReconnecting) == [true, false])
    #expect((newer.calls[0].error as? CBError)?.code == .connectionTimeout && newer.calls[1].error == nil)
    for call in newer.calls {
      #expect(call.manager === stage.central && call.peripheral === peripheral)
      // A few seconds in the past at most.
      #expect((before - 10...CFAbsoluteTimeGetCurrent()).contains(call.timestamp))
    }
  }

  @Test("R3.2 centralManager(_:connectionEventDidOccur:for:) reports connections of any program, after registration")
  func connectionEvents() async throws {
    let stage = Stage()
    let peripheral = try await stage.found()
    let other = Listener()
    let watching = CBCentralManager(delegate: other, queue: other.queue, options: stage.phone.options)
    await stage.world.settle()
    watching.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
    await stage.world.settle()
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    stage.central.cancelPeripheralConnection(peripheral)
    await stage.world.advance(by: .seconds(2))
    let calls = other.calls(of: "centralManager(_:connectionEventDidOccur:for:)")
    #expect(calls.map { $0.arguments[1] as? CBConnectionEvent } == [.peerConnected, .peerDisconnected])
    for call in calls {
      #expect(call.arguments[0] as? CBCentralManager === watching)
      #expect((call.arguments[2] as? CBPeripheral)?.identifier == peripheral.identifier)
    }
    #expect(stage.near.calls(of: "centralManager(_:connectionEventDidOccur:for:)").isEmpty)
    watching.registerForConnectionEvents(options: nil)
    await stage.world.settle()
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    #expect(other.calls(of: "centralManager(_:connectionEventDidOccur:for:)").count == 2)
  }

  @Test("R3.2 centralManager(_:didUpdateANCSAuthorizationFor:) is never called: no peer is authorized")
  func notificationCentre() async throws {
    let stage = Stage()
    let peripheral = try await stage.found()
    stage.central.connect(peripheral, options: [CBConnectPeripheralOptionRequiresANCS: true])
    await stage.world.advance(by: .seconds(5))
    #expect(peripheral.state == .connected && !peripheral.ancsAuthorized)
    #expect(stage.near.calls(of: "centralManager(_:didUpdateANCSAuthorizationFor:)").isEmpty)
  }
}
