import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A3: each method of CBPeripheralManagerDelegate", .keepsCapture)
struct PeripheralManagerDelegateTests {
  @Test("R3.2 peripheralManagerDidUpdateState(_:) is called once for each state, when the manager already has it")
  func state() async throws {
    let stage = Stage()
    #expect(stage.peripheralManager.state == .unknown && stage.far.calls.isEmpty)
    await stage.world.settle()
    stage.device.powerOff()
    await stage.world.advance(by: .seconds(2))
    stage.device.powerOn()
    await stage.world.advance(by: .seconds(2))
    let calls = stage.far.calls(of: "peripheralManagerDidUpdateState(_:)")
    #expect(calls.compactMap { $0.arguments[1] as? CBManagerState } == [.poweredOn, .poweredOff, .poweredOn])
    #expect(calls.allSatisfy { $0.arguments[0] as? CBPeripheralManager === stage.peripheralManager })
    #expect(stage.far.calls.count == 3)
  }

  @Test(
    "R3.2 peripheralManager(_:willRestoreState:) comes before the first state, with the operations of the previous process"
  )
  func restored() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let more = [CBPeripheralManagerOptionRestoreIdentifierKey: "main"]
    let before = Listener()
    let dead = CBPeripheralManager(
      delegate: before, queue: before.queue, options: device.options.merging(more) { $1 })
    await world.settle()
    dead.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    await world.settle()
    #expect(before.calls(of: "peripheralManager(_:willRestoreState:)").isEmpty)
    device.terminateProcess()
    let after = Listener()
    let manager = CBPeripheralManager(
      delegate: after, queue: after.queue, options: device.options.merging(more) { $1 })
    await world.settle()
    #expect(
      after.calls.map(\.method) == ["peripheralManager(_:willRestoreState:)", "peripheralManagerDidUpdateState(_:)"])
    let call = try after.only("peripheralManager(_:willRestoreState:)")
    #expect(call.arguments[0] as? CBPeripheralManager === manager)
    let state: [String: Any] = try call.argument(1)
    let data = try #require(state[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any])
    #expect(data[CBAdvertisementDataLocalNameKey] as? String == "device" && manager.isAdvertising)
    withExtendedLifetime(dead) {}
  }

  @Test(
    "R3.2 peripheralManagerDidStartAdvertising(_:error:) is called once for each start, with an error where it failed")
  func advertising() async throws {
    let stage = Stage()
    await stage.world.settle()
    stage.far.forget()
    stage.peripheralManager.startAdvertising(nil)
    await stage.world.settle()
    stage.peripheralManager.startAdvertising(nil)
    await stage.world.settle()
    let calls = stage.far.calls(of: "peripheralManagerDidStartAdvertising(_:error:)")
    try #require(calls.count == 2)
    #expect(calls.allSatisfy { $0.arguments[0] as? CBPeripheralManager === stage.peripheralManager })
    // Advertising is on by the time of the call.
    #expect(calls[0].arguments[1] as? Bool == true && calls[0].error == nil)
    #expect((calls[1].error as? CBError)?.code == .alreadyAdvertising)
    #expect(stage.far.calls.count == 2)
  }

  @Test("R3.2 peripheralManager(_:didAdd:error:) brings the service, with an error where it failed")
  func added() async throws {
    let method = "peripheralManager(_:didAdd:error:)"
    let stage = Stage()
    let service = await stage.publish()
    let call = try stage.far.only(method)
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager)
    #expect(call.arguments[1] as? CBService === service && call.error == nil)
    stage.far.forget()
    let reserved = CBMutableService("1801")
    stage.peripheralManager.add(reserved)
    await stage.world.settle()
    let refused = try stage.far.only(method)
    #expect(refused.arguments[1] as? CBService === reserved)
    #expect((refused.error as? CBError)?.code == .uuidNotAllowed)
  }

  @Test("R3.2 peripheralManager(_:central:didSubscribeTo:) reports who subscribed to what, once")
  func subscribed() async throws {
    let line = Stage.characteristic("FF22", .notify)
    let (stage, peripheral) = try await Stage.connected([line])
    peripheral.setNotifyValue(true, for: try peripheral.characteristic("FF22"))
    await peripheral.notify(true, try peripheral.characteristic("FF22"), in: stage.world)
    let call = try stage.far.only("peripheralManager(_:central:didSubscribeTo:)")
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager)
    let central: CBCentral = try call.argument(1)
    #expect(central.maximumUpdateValueLength >= 20)
    #expect(call.arguments[2] as? CBCharacteristic === line)
    #expect(call.arguments[3] as? [CBCentral] == [central])
  }

  @Test(
    "R3.2 peripheralManager(_:central:didUnsubscribeFrom:) reports the end of a subscription, by request or disconnection"
  )
  func unsubscribed() async throws {
    let method = "peripheralManager(_:central:didUnsubscribeFrom:)"
    let line = Stage.characteristic("FF22", .notify)
    let (stage, peripheral) = try await Stage.connected([line])
    await peripheral.notify(true, try peripheral.characteristic("FF22"), in: stage.world)
    let central: CBCentral = try stage.far.only("peripheralManager(_:central:didSubscribeTo:)").argument(1)
    await peripheral.notify(false, try peripheral.characteristic("FF22"), in: stage.world)
    let call = try stage.far.only(method)
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager)
    #expect(call.arguments[1] as? CBCentral === central)
    #expect(call.arguments[2] as? CBCharacteristic === line)
    #expect((call.arguments[3] as? [CBCentral])?.isEmpty == true)
    await peripheral.notify(true, try peripheral.characteristic("FF22"), in: stage.world)
    stage.far.forget()
    stage.central.cancelPeripheralConnection(peripheral)
    await stage.world.advance(by: .seconds(1))
    #expect(try stage.far.only(method).arguments[1] as? CBCentral === central)
  }

  @Test("R3.2 peripheralManager(_:didReceiveRead:) asks for the value of a characteristic, from an offset")
  func read() async throws {
    let line = Stage.characteristic("FF22", .read)
    let (stage, peripheral) = try await Stage.connected([line], mtu: 23)
    let value = Data((0..<30).map { UInt8($0) })
    stage.far.reactions["peripheralManager(_:didReceiveRead:)"] = { call in
      guard let request = call.arguments[1] as? CBATTRequest else { return }
      #expect(request.value == nil)
      request.value = value.dropFirst(request.offset)
      stage.peripheralManager.respond(to: request, withResult: .success)
    }
    await peripheral.read(try peripheral.characteristic("FF22"), in: stage.world)
    let calls = stage.far.calls(of: "peripheralManager(_:didReceiveRead:)")
    #expect(calls.allSatisfy { $0.arguments[0] as? CBPeripheralManager === stage.peripheralManager })
    let requests = calls.compactMap { $0.arguments[1] as? CBATTRequest }
    #expect(requests.map(\.offset) == [0, 22])
    #expect(requests.allSatisfy { $0.characteristic === line && $0.central === requests[0].central })
    #expect(try peripheral.characteristic("FF22").value == value)
  }

  @Test("R3.2 peripheralManager(_:didReceiveWrite:) brings a batch, with values and offsets")
  func write() async throws {
    let line = Stage.characteristic("FF22", [.write, .writeWithoutResponse])
    let (stage, peripheral) = try await Stage.connected([line], mtu: 23)
    let method = "peripheralManager(_:didReceiveWrite:)"
    stage.far.reactions[method] = { call in
      guard let requests = call.arguments[1] as? [CBATTRequest] else { return }
      stage.peripheralManager.respond(to: requests[0], withResult: .success)
    }
    let value = Data((0..<30).map { UInt8($0) })
    peripheral.writeValue(value, for: try peripheral.characteristic("FF22"), type: .withResponse)
    await stage.world.settle()
    let call = try stage.far.only(method)
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager)
    let requests: [CBATTRequest] = try call.argument(1)
    #expect(requests.allSatisfy { $0.characteristic === line && $0.central === requests[0].central })
    #expect(requests.reduce(Data()) { $0.prefix($1.offset) + ($1.value ?? Data()) } == value)
    stage.far.forget()
    peripheral.writeValue(Data([1]), for: try peripheral.characteristic("FF22"), type: .withoutResponse)
    await stage.world.settle()
    let command: [CBATTRequest] = try stage.far.only(method).argument(1)
    #expect(command.map(\.value) == [Data([1])])
  }

  @Test("R3.2 peripheralManagerIsReady(toUpdateSubscribers:) is called once after a refused update")
  func ready() async throws {
    let line = Stage.characteristic("FF22", .notify)
    let (stage, peripheral) = try await Stage.connected([line])
    await peripheral.notify(true, try peripheral.characteristic("FF22"), in: stage.world)
    while stage.peripheralManager.updateValue(Data(count: 20), for: line, onSubscribedCentrals: nil) {}
    stage.far.forget()
    await stage.world.settle()
    let call = try stage.far.only("peripheralManagerIsReady(toUpdateSubscribers:)")
    #expect(call.arguments[0] as? CBPeripheralManager === stage.peripheralManager)
    #expect(stage.peripheralManager.updateValue(Data([1]), for: line, onSubscribedCentrals: nil))
    await stage.world.settle()
    #expect(stage.far.calls.count == 1)
  }
}
