import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Publishing services", .keepsCapture)
struct PeripheralPublishingTests {
  private static let dynamic: CBCharacteristicProperties = [.read, .write]
  private static let open: CBAttributePermissions = [.readable, .writeable]

  @Test("B7.1 every command needs the powered on state: otherwise one line in the log, and nothing happens")
  func poweredOff() async throws {
    let characteristic = CBMutableCharacteristic("FF22", [.read, .notify])
    let pair = try await Pair.start([CBMutableService("FF11", [characteristic])])
    pair.peripheral.setNotifyValue(true, for: try pair.characteristic("FF22"))
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    pair.publisher.onRead = { [publisher = pair.publisher] _, request in publisher.batches.append([request]) }
    await pair.world.settle()
    let request = try #require(pair.publisher.batches.first?.first)
    let central = try #require(pair.publisher.subscribers.first)
    pair.device.powerOff()
    await pair.world.advance(by: .seconds(2))
    pair.publisher.told = []
    let lines = pair.world.logLines.count
    let manager: CBPeripheralManager = pair.publisher.manager
    let service = CBMutableService("FF12")
    manager.add(service)
    manager.remove(service)
    manager.removeAllServices()
    manager.startAdvertising(nil)
    manager.stopAdvertising()
    manager.respond(to: request, withResult: .success)
    #expect(!manager.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: nil))
    manager.setDesiredConnectionLatency(.low, for: central)
    manager.publishL2CAPChannel(withEncryption: false)
    manager.unpublishL2CAPChannel(0x80)
    await pair.world.advance(by: .seconds(1))
    let misuse = pair.world.logLines.dropFirst(lines)
    #expect(misuse.count == 10)
    #expect(
      misuse.allSatisfy {
        $0.text.hasPrefix("API MISUSE: <CBPeripheralManager: 0x")
          && $0.text.hasSuffix("> can only accept this command while in the powered on state")
      })
    #expect(pair.publisher.told.isEmpty && !manager.isAdvertising)
  }

  @Test("B7.2 a service is answered by didAdd, and one that it includes has to be published before")
  func included() async throws {
    let (world, publisher) = await World.withPublisher()
    let inner = CBMutableService("FF10", primary: false)
    let outer = CBMutableService("FF20")
    outer.includedServices = [inner]
    publisher.manager.add(outer)
    await world.settle()
    #expect(publisher.told.last == "added FF20 error 1")
    #expect((publisher.errors.last as? CBError)?.code == .invalidParameters)
    publisher.manager.add(inner)
    // A failed service is not published: it may be added again.
    publisher.manager.add(outer)
    await world.settle()
    #expect(publisher.told.suffix(2) == ["added FF10", "added FF20"])
  }

  @Test("B7.2 published services are frozen: later changes of the objects have no effect")
  func frozen() async throws {
    let fixed = CBMutableCharacteristic("FF22", .read, value: Data("as added".utf8))
    let asked = CBMutableCharacteristic("FF23", .read)
    let service = CBMutableService("FF11", [fixed, asked])
    let pair = try await Pair.start([service])
    fixed.value = Data("changed".utf8)
    fixed.properties = [.read, .write]
    asked.value = Data("changed".utf8)
    asked.permissions = []
    service.characteristics = [CBMutableCharacteristic("FF24", .read)]
    pair.publisher.value = Data("asked".utf8)
    await pair.discoverAll()
    #expect(pair.peripheral.services?.first?.characteristics?.map(\.uuid.uuidString) == ["FF22", "FF23"])
    #expect(try pair.characteristic("FF22").properties == .read)
    pair.peripheral.readValue(for: try pair.characteristic("FF22"))
    try await pair.read("FF23")
    #expect(pair.central.values == [Data("as added".utf8), Data("asked".utf8)])
  }

  @Test("B7.2 the same object added twice is an exception, but not after it was removed")
  func twice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (world, publisher) = await World.withPublisher()
      let service = CBMutableService("FF11")
      publisher.manager.add(service)
      await world.settle()
      publisher.manager.remove(service)
      publisher.manager.add(service)
      await world.settle()
      standardError("added again: \(publisher.told.last ?? "")\n")
      publisher.manager.add(service)
    }
    #expect(result.text.contains("added again: added FF11\n"))
    #expect(result.text.contains("Services cannot be added more than once"))
  }

  @Test("B7.3 services of the system are refused", arguments: ["1800", "1801", "1812"])
  func reserved(_ uuid: String) async throws {
    let (world, publisher) = await World.withPublisher()
    for spelling in [uuid, "0000\(uuid)-0000-1000-8000-00805F9B34FB"] {
      publisher.manager.add(CBMutableService(spelling))
      await world.settle()
      #expect(publisher.told.last == "added \(uuid) error 8")
      let error = try #require(publisher.errors.last as? CBError)
      #expect(error.code == .uuidNotAllowed)
      #expect(error.localizedDescription == "The specified UUID is not allowed for this operation.")
    }
  }

  @Test("B7.4 two services of one UUID are two services; each manager removes its own only")
  func duplicates() async throws {
    let first = CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: Data([1]))])
    let second = CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: Data([2]))])
    let pair = try await Pair.start([first, second])
    let other = PeripheralApp(pair.device.options)
    await pair.world.settle()
    let foreign = CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: Data([3]))])
    other.manager.add(foreign)
    await pair.world.settle()
    func read() async -> [Data] {
      pair.central.values = []
      await pair.discoverAll()
      for service in pair.peripheral.services ?? [] {
        for characteristic in service.characteristics ?? [] { pair.peripheral.readValue(for: characteristic) }
      }
      await pair.world.settle()
      return pair.central.values.sorted { $0[0] < $1[0] }
    }
    #expect(await read() == [Data([1]), Data([2]), Data([3])])
    other.manager.remove(first)
    #expect(await read() == [Data([1]), Data([2]), Data([3])])
    pair.publisher.manager.remove(first)
    #expect(await read() == [Data([2]), Data([3])])
    pair.publisher.manager.removeAllServices()
    #expect(await read() == [Data([3])])
    other.manager.removeAllServices()
    #expect(await read().isEmpty)
  }

  @Test("B7.4 each add is answered once, in order, also where the service is removed before it is published")
  func takenBackAtOnce() async throws {
    let pair = try await Pair.start([])
    let services = (0..<100).map { CBMutableService(String(format: "FE%02X", $0)) }
    services.forEach(pair.publisher.manager.add)
    for service in services.prefix(10) { pair.publisher.manager.remove(service) }
    // Once removed, it may be added again immediately.
    pair.publisher.manager.add(services[0])
    await pair.world.settle()
    let added = services.map { "added \($0.uuid.uuidString)" }
    #expect(pair.publisher.told == added + [added[0]])
    await pair.discoverAll()
    let found = Set((pair.peripheral.services ?? []).map(\.uuid))
    #expect(found == Set(services.dropFirst(10).map(\.uuid) + [services[0].uuid]))
    pair.publisher.manager.removeAllServices()
    services.forEach(pair.publisher.manager.add)
    pair.publisher.manager.removeAllServices()
    await pair.world.settle()
    await pair.discoverAll()
    #expect(pair.peripheral.services?.isEmpty == true)
  }

  @Test("B7.5 a power-off removes the services: they are added again, also the same objects")
  func powerCycle() async throws {
    let service = CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: Data([1]))])
    let pair = try await Pair.start([service])
    pair.device.powerOff()
    await pair.world.advance(by: .seconds(2))
    pair.device.powerOn()
    await pair.world.advance(by: .seconds(2))
    #expect(pair.publisher.told == ["state 4", "state 5"])
    #expect(!pair.publisher.manager.isAdvertising)
    pair.publisher.manager.startAdvertising(nil)
    let empty = try await pair.central.meet(in: pair.world)
    #expect(empty.services?.isEmpty == true)
    pair.publisher.manager.add(service)
    await pair.world.advance(by: .seconds(1))
    #expect(pair.publisher.told.last == "added FF11")
    await empty.discoverAll(in: pair.world)
    #expect(empty.services?.map(\.uuid.uuidString) == ["FF11"])
  }
}
