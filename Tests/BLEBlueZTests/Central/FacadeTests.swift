import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@testable import BLEBlueZ

@Suite("Core Bluetooth on BlueZ's daemon")
struct FacadeTests {
  /// A program that scans, reads, writes and subscribes as the articles do. On its queue.
  ///
  /// `@unchecked Sendable`: it is called on one queue; the recorder is behind a mutex.
  private final class Program: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let told = CentralRecorder()
    private var peripheral: CBPeripheral?
    private let service = CBUUID(string: "180D")

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      told.note("state \(central.state.rawValue)")
      if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi: NSNumber
    ) {
      let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
      told.note("discovered \(name ?? "-") \(rssi)")
      self.peripheral = peripheral
      peripheral.delegate = self
      central.stopScan()
      central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      told.note("connected")
      peripheral.discoverServices([service])
    }

    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
      told.note("disconnected \((error as? CBError).map { "\($0.code.rawValue)" } ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
      for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
      _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
      for characteristic in service.characteristics ?? [] {
        told.note("found \(characteristic.uuid) \(characteristic.properties.rawValue)")
        peripheral.readValue(for: characteristic)
        peripheral.writeValue(Data([9]), for: characteristic, type: .withResponse)
        peripheral.setNotifyValue(true, for: characteristic)
        peripheral.readRSSI()
      }
    }

    func peripheral(
      _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
      told.note("value \(characteristic.value.map { [UInt8]($0).hexadecimal } ?? "-")")
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
      told.note("wrote \((error as? CBATTError).map { "\($0.code.rawValue)" } ?? "well")")
    }

    func peripheral(
      _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
      told.note("notifying \(characteristic.isNotifying)")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
      told.note("RSSI \(rssi) \((error as? CBError).map { "\($0.code.rawValue)" } ?? "-")")
    }
  }

  @Test("I12.2 a Core Bluetooth program finds, reads, writes and subscribes, through a restart of the daemon")
  func program() async throws {
    let bus = try PrivateBus()
    var daemon = try await ScriptedDaemon(on: bus, Self.furnish)
    let fixture = await BlueZFixture(on: bus)
    let program = Program()
    let manager = CBCentralManager(
      delegate: program, queue: DispatchQueue(label: "program"),
      options: [CBManagerOptionAdapterKey: fixture.stack as any Adapter])
    for round in 1...2 {
      await program.told.wait(for: "state 5", count: round)
      await daemon.wait(for: "StartDiscovery", at: ScriptedDaemon.adapter)
      try await daemon.run { $0.change(["RSSI": .int16(-55)]) }
      await program.told.wait(for: "notifying true", count: round)
      try await daemon.run { world in
        world.set(
          ScriptedDaemon.device + "/service000a/char000b", BlueZName.gattCharacteristic, ["Value": .octets([7, 7])])
      }
      await program.told.wait(for: "value 0707", count: round)
      if round == 1 {
        try await daemon.die()
        await program.told.wait(for: "state 1")
        daemon = try await ScriptedDaemon(on: bus, Self.furnish)
      }
    }
    try await daemon.run { $0.change(["Connected": .boolean(false)]) }
    await program.told.wait(for: "disconnected 7")
    let once = [
      "state 5", "discovered Heart -55", "connected", "found Heart Rate Measurement 26", "value 01", "wrote 3",
    ]
    let inOrder = program.told.lines.filter { !$0.hasPrefix("RSSI") }
    #expect(Array(inOrder.prefix(once.count)) == once)
    // The device's advertisements are still received.
    #expect(program.told.lines.contains("RSSI -55 -"))
    _ = manager
  }

  private static func furnish(_ world: DaemonWorld) {
    world.addAdapter()
    world.addDevice(["Name": .string("Heart"), "UUIDs": .texts(["0000180d-0000-1000-8000-00805f9b34fb"])])
    world.addService("000a", uuid: "0000180d-0000-1000-8000-00805f9b34fb")
    world.addCharacteristic(
      "000a", "000b", uuid: "00002a37-0000-1000-8000-00805f9b34fb", flags: ["read", "write", "notify"], value: [1])
    world.script("WriteValue", at: ScriptedDaemon.device + "/service000a/char000b") { request, _ in
      request.refuse(BusError("org.bluez.Error.NotPermitted", "Write not permitted"))
    }
  }
}
