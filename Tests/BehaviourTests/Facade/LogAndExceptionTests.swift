import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Log lines and exceptions", .keepsCapture)
struct LogAndExceptionTests {
  @Test("B9.1 a command to a manager that is not powered on is a line with its class and address")
  func managers() async throws {
    let world = World()
    let device = world.makeDevice("device")
    device.powerOff()
    let central = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "central"), options: device.options)
    let peripheral = CBPeripheralManager(
      delegate: nil, queue: DispatchQueue(label: "peripheral"), options: device.options)
    await world.settle()
    central.scanForPeripherals(withServices: nil)
    peripheral.startAdvertising(nil)
    let lines = world.logLines.map(\.text).suffix(2)
    for (line, name) in zip(lines, ["CBCentralManager", "CBPeripheralManager"]) {
      let pattern = "API MISUSE: <\(name): 0x[0-9a-f]+> can only accept this command while in the powered on state"
      #expect(line.wholeMatch(of: try Regex(pattern)) != nil, "\(line)")
    }
    #expect(world.logLines.suffix(2).allSatisfy { $0.level == .error })
  }

  @Test("B9.2 a command to a peripheral that is not connected is a line with its identity and state")
  func peripherals() async throws {
    let pair = try await Pair.start([CBMutableService("FF11")])
    await pair.disconnect()
    pair.peripheral.discoverServices(nil)
    let line = try #require(pair.world.logLines.last?.text)
    let pattern =
      "API MISUSE: <CBPeripheral: 0x[0-9a-f]+, identifier = \(pair.peripheral.identifier.uuidString), "
      + "name = device, mtu = [0-9]+, state = disconnected> can only accept commands while in the connected state"
    #expect(line.wholeMatch(of: try Regex(pattern)) != nil, "\(line)")
  }

  @Test("B9.3 an attempt whose peripheral is not retained is cancelled, with a line that says why")
  func unused() async throws {
    let (world, publisher, central) = await World.withPublisherAndCentral()
    publisher.manager.startAdvertising(nil)
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    central.manager.stopScan()
    central.manager.connect(central.sightings[0].peripheral)
    central.sightings = []
    await world.advance(by: .seconds(5))
    let line = try #require(world.logLines.last { $0.text.contains("unused") }?.text)
    #expect(line.hasPrefix("API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: 0x"))
    #expect(line.hasSuffix(">, Did you forget to keep a reference to it?"))
    #expect(!central.told.contains { $0.hasPrefix("connected") })
  }

  @Test("B9.5 a restore identifier is no exception, whatever methods the delegate has")
  func restoreIdentifiers() async throws {
    final class Plain: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
      func centralManagerDidUpdateState(_ central: CBCentralManager) {}
      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }
    let world = World()
    let options = world.makeDevice("device").options
    let plain = Plain()
    let queue = DispatchQueue(label: "plain")
    let central = CBCentralManager(
      delegate: plain, queue: queue,
      options: options.merging([CBCentralManagerOptionRestoreIdentifierKey: "central"]) { $1 })
    let peripheral = CBPeripheralManager(
      delegate: plain, queue: queue,
      options: options.merging([CBPeripheralManagerOptionRestoreIdentifierKey: "peripheral"]) { $1 })
    await world.settle()
    #expect(central.state == .poweredOn && peripheral.state == .poweredOn)
  }

  @Test(
    "B9.6 B10.1 an invalid UUID text is an exception that contains it",
    arguments: [
      "", "1", "123", "12345", "xyz!", "6E400001B5A3F393E0A9E50E24DCCA9E", "6E400001-B5A3-F393-E0A9-E50E24DCCA9",
    ])
  func texts(_ text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [text] in
      _ = CBUUID(string: text)
    }
    #expect(result.text.contains("String \(text) does not represent a valid UUID"))
  }

  @Test(
    "B9.6 B10.1 I11.18 the prefix of a hexadecimal number does not make an invalid UUID valid",
    arguments: [
      "0x", "0X", "0x18", "0x180", "0x180G", "0x0x180D", "x180D", "00x180D", "0x6E400001B5A3F393E0A9E50E24DCCA9E",
    ])
  func prefixedTexts(_ text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [text] in
      _ = CBUUID(string: text)
    }
    #expect(result.text.contains("String \(text) does not represent a valid UUID"))
  }

  @Test("B9.6 B10.1 data of a count other than 2, 4 or 16 octets are an exception", arguments: [0, 1, 3, 5, 15, 17])
  func data(_ count: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [count] in
      _ = CBUUID(data: Data(count: count))
    }
    #expect(result.text.contains("Data <"))
    #expect(result.text.contains("does not represent a valid UUID"))
  }

  @Test("B9.7 lines of the log go to standard error, and nothing is printed on standard output")
  func standardErrorOnly() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      // No controller is there: the state stays below powered on.
      setenv("BLE_ADAPTER", "tcp-client:127.0.0.1:1", 1)
      unsetenv("BLE_LOG")
      let manager = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "central"))
      manager.scanForPeripherals(withServices: nil)
      exit(manager.isScanning ? 1 : 0)
    }
    #expect(result.text.contains("API MISUSE: <CBCentralManager: 0x"))
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(!output.contains("MISUSE"))
  }
}
