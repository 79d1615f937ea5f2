import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("The two apps that record", .keepsCapture)
struct AppTests {
  private let world = World()
  private let line = CBMutableCharacteristic("FF22", [.read, .write, .notify], [.readable, .writeable])
  private let lamp: PeripheralApp
  private let phone: CentralApp

  init() {
    lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), services: [CBMutableService("FF11", [line])])
    phone = CentralApp(world.makeDevice("phone").options)
  }

  /// The lamp's one characteristic, once the phone is connected.
  private func connect() async throws -> (CBPeripheral, CBCharacteristic) {
    let found = try await phone.meet("lamp", in: world)
    return (found, try found.characteristic("FF22"))
  }

  @Test("each call is an event and a line, in order")
  func records() async throws {
    let (found, remote) = try await connect()
    let told = phone.told.filter { !$0.hasPrefix("name") }
    #expect(told == ["state 5", "connected lamp", "services", "characteristics FF11"])
    #expect(phone.events.contains(.services(1, nil)) && phone.standings == [.connected])
    #expect(lamp.told == ["state 5", "added FF11", "advertising"])
    #expect(lamp.events == [.state(.poweredOn), .added("FF11", nil), .advertising(nil)])
    #expect(lamp.advertisement?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [.of("FF11")])
    phone.forget()
    lamp.told = []
    found.setNotifyValue(true, for: remote)
    found.writeValue(Data("on".utf8), for: remote, type: .withResponse)
    found.readValue(for: remote)
    await world.settle()
    #expect(phone.told == ["notifying FF22 true", "wrote FF22", "value FF22 6f6e"])
    #expect(phone.events == [.notifying("FF22", true, 0), .written("FF22", 0), .value("FF22", "on")])
    #expect(lamp.told == ["subscribed FF22", "wrote 1 to FF22", "read FF22 at 0"])
    #expect(lamp.values == [.of("FF22"): Data("on".utf8)] && lamp.batches[0][0].value == Data("on".utf8))
    #expect(lamp.push(Data([7]), "FF22") && !lamp.push(Data(), "FF23"))
    await world.settle()
    #expect(phone.values == [Data("on".utf8), Data([7])])
    phone.manager.cancelPeripheralConnection(found)
    await world.advance(by: .seconds(1))
    #expect(phone.told.last == "disconnected lamp" && lamp.told.last == "unsubscribed FF22")
    #expect(lamp.subscribers.count == 1 && lamp.centrals.isEmpty)
    #expect(phone.errors.isEmpty && lamp.errors.isEmpty)
  }

  @Test("a request is answered as the test says, and the error is in both records")
  func answers() async throws {
    let (found, remote) = try await connect()
    phone.forget()
    lamp.values[.of("FF22")] = Data([1])
    lamp.value = Data([2])
    found.readValue(for: remote)
    await world.settle()
    lamp.judge = { _ in .insufficientResources }
    found.readValue(for: remote)
    found.writeValue(Data([3]), for: remote, type: .withResponse)
    await world.settle()
    #expect(phone.told == ["value FF22 02", "value FF22 error 17", "wrote FF22 error 17"])
    #expect(phone.events.suffix(2) == [.valueError("FF22", 17), .written("FF22", 17)])
    #expect(phone.errors.count == 2 && lamp.values == [.of("FF22"): Data([1])])
    lamp.onRead = { manager, request in manager.respond(to: request, withResult: .readNotPermitted) }
    found.readValue(for: remote)
    await world.settle()
    #expect(phone.told.last == "value FF22 error 2")
    lamp.onRead = nil
    lamp.answersRequests = false
    found.readValue(for: remote)
    await world.advance(by: .seconds(1))
    #expect(lamp.told.last == "read FF22 at 0" && phone.told.count == 4)
  }

  @Test("reactions follow the record of their call; a scan is begun again when Bluetooth is switched on again")
  func reactions() async throws {
    let device = world.makeDevice("watch")
    let watch = CentralApp(device.options)
    var states: [String?] = []
    watch.reactions["state"] = { [unowned watch] in states.append(watch.told.last) }
    var sighted: [String?] = []
    watch.onSighting = { sighted.append($0.name) }
    watch.scanWhenPoweredOn()
    try await world.wait(within: .seconds(5)) { sighted.contains("lamp") }
    device.powerOff()
    await world.settle()
    watch.forget()
    device.powerOn()
    try await world.wait(within: .seconds(5)) { watch.names.contains("lamp") }
    #expect(states == ["state 5", "state 4", "state 5"])
    withExtendedLifetime(lamp) {}
  }
}
