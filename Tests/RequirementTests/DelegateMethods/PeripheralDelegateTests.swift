import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A3: the methods of CBPeripheralDelegate about services and the rest", .keepsCapture)
struct PeripheralDelegateTests {
  @Test("R3.2 peripheralDidUpdateName(_:) reports a name that was read and differs from the known one")
  func name() async throws {
    let stage = Stage()
    await stage.world.settle()
    stage.peripheralManager.startAdvertising([CBAdvertisementDataLocalNameKey: "advertised"])
    stage.central.scanForPeripherals(withServices: nil)
    await stage.world.advance(by: .seconds(2))
    let method = "centralManager(_:didDiscover:advertisementData:rssi:)"
    let peripheral: CBPeripheral = try #require(stage.near.calls(of: method).first).argument(1)
    #expect(peripheral.name == "advertised")
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    await peripheral.discoverServices(in: stage.world)
    let call = try stage.near.only("peripheralDidUpdateName(_:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral)
    #expect(call.arguments[1] as? String == "device" && peripheral.name == "device")
  }

  @Test("R3.2 peripheral(_:didModifyServices:) reports which services are no longer valid")
  func modified() async throws {
    let stage = Stage()
    let service = await stage.publish([Stage.characteristic("FF22", .read)])
    let peripheral = try await stage.connected()
    let known = try #require(peripheral.services?.first)
    stage.peripheralManager.remove(service)
    await stage.world.advance(by: .seconds(1))
    let call = try stage.near.only("peripheral(_:didModifyServices:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral)
    let services: [CBService] = try call.argument(1)
    #expect(services.count == 1 && services[0] === known)
  }

  /// Implements the callback that newer programs lack.
  private final class Older: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    var told: [(peripheral: CBPeripheral, error: (any Error)?)] = []
    @available(*, deprecated)
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { told.append((peripheral, error)) }
  }

  @Test(
    "R3.2 peripheralDidUpdateRSSI(_:error:) is deprecated: it is called only where its successor is missing")
  func oldSignalStrength() async throws {
    let (stage, peripheral) = try await Stage.connected()
    peripheral.readRSSI()
    await stage.world.advance(by: .seconds(2))
    #expect(stage.near.calls.map(\.method) == ["peripheral(_:didReadRSSI:error:)"])
    let older = Older()
    peripheral.delegate = older
    peripheral.readRSSI()
    await stage.world.advance(by: .seconds(2))
    #expect(older.told.count == 1 && older.told[0].peripheral === peripheral && older.told[0].error == nil)
  }

  @Test("R3.2 peripheral(_:didReadRSSI:error:) answers with dBm, or with notConnected")
  func signalStrength() async throws {
    let method = "peripheral(_:didReadRSSI:error:)"
    let (stage, peripheral) = try await Stage.connected()
    peripheral.readRSSI()
    await stage.world.advance(by: .seconds(2))
    let call = try stage.near.only(method)
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect((-127..<20).contains(try call.argument(1, as: NSNumber.self).intValue))
    stage.central.cancelPeripheralConnection(peripheral)
    await stage.world.advance(by: .seconds(1))
    stage.near.forget()
    peripheral.readRSSI()
    await stage.world.settle()
    #expect((try stage.near.only(method).error as? CBError)?.code == .notConnected)
  }

  @Test("R3.2 peripheral(_:didDiscoverServices:) comes once, when the services are known")
  func services() async throws {
    let stage = Stage()
    await stage.publish()
    let peripheral = try await stage.found()
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    #expect(peripheral.services == nil)
    await peripheral.discoverServices([CBUUID(string: "FF11"), CBUUID(string: "FF99")], in: stage.world)
    let call = try stage.near.only("peripheral(_:didDiscoverServices:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["FF11"])
  }

  @Test("R3.2 peripheral(_:didDiscoverIncludedServicesFor:error:) brings the including service")
  func includedServices() async throws {
    let stage = Stage()
    let inner = await stage.publish()
    let outer = CBMutableService("FF20")
    outer.includedServices = [inner]
    stage.peripheralManager.add(outer)
    let peripheral = try await stage.connected()
    let service = try #require(peripheral.services?.first { $0.uuid == outer.uuid })
    #expect(service.includedServices == nil)
    peripheral.discoverIncludedServices(nil, for: service)
    await stage.world.settle()
    let call = try stage.near.only("peripheral(_:didDiscoverIncludedServicesFor:error:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect(call.arguments[1] as? CBService === service)
    #expect(service.includedServices?.map(\.uuid) == [inner.uuid])
  }

  @Test(
    "R3.2 peripheral(_:didDiscoverCharacteristicsFor:error:) brings the service whose characteristics are known")
  func characteristics() async throws {
    let stage = Stage()
    await stage.publish([Stage.characteristic("FF22", .read), Stage.characteristic("FF23", .notify)])
    let peripheral = try await stage.found()
    stage.central.connect(peripheral)
    await stage.world.advance(by: .seconds(2))
    await peripheral.discoverServices(in: stage.world)
    let service = try #require(peripheral.services?.first)
    #expect(service.characteristics == nil)
    peripheral.discoverCharacteristics(nil, for: service)
    await stage.world.settle()
    let call = try stage.near.only("peripheral(_:didDiscoverCharacteristicsFor:error:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect(call.arguments[1] as? CBService === service)
    #expect(service.characteristics?.map(\.uuid.uuidString) == ["FF22", "FF23"])
    #expect(service.characteristics?.map(\.properties) == [.read, .notify])
  }

  @Test("R3.2 peripheral(_:didDiscoverDescriptorsFor:error:) brings the characteristic whose descriptors are known")
  func descriptors() async throws {
    let (stage, peripheral) = try await Stage.connected([Stage.characteristic("FF22", .notify)])
    let characteristic = try peripheral.characteristic("FF22")
    #expect(characteristic.descriptors == nil)
    await peripheral.discoverDescriptors(for: characteristic, in: stage.world)
    let call = try stage.near.only("peripheral(_:didDiscoverDescriptorsFor:error:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral && call.error == nil)
    #expect(call.arguments[1] as? CBCharacteristic === characteristic)
    #expect(characteristic.descriptors?.map(\.uuid.uuidString) == ["2902"])
  }

  @Test("R3.2 peripheral(_:didCompleteChannelSoundingSession:) answers each session: it is not supported")
  func sounding() async throws {
    let (stage, peripheral) = try await Stage.connected()
    peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    await stage.world.settle()
    let call = try stage.near.only("peripheral(_:didCompleteChannelSoundingSession:)")
    #expect(call.arguments[0] as? CBPeripheral === peripheral)
    #expect((call.error as? CBError)?.code == .operationNotSupported)
  }

  @Test("R3.2 peripheral(_:didReceive:error:) is never called: no session has results")
  func soundingResults() async throws {
    let (stage, peripheral) = try await Stage.connected()
    peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    await stage.world.advance(by: .seconds(10))
    peripheral.cancelChannelSoundingSession()
    await stage.world.advance(by: .seconds(10))
    #expect(stage.near.calls(of: "peripheral(_:didReceive:error:)").isEmpty)
  }
}
