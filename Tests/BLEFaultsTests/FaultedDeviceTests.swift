import BLECore
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Faults of devices in a world.
@Suite("Faulty devices", .keepsCapture)
struct FaultedDeviceTests {
  /// A phone that is connected to a lamp, whose FFF1 is "on".
  private struct Meeting: Encounter {
    let world: World
    let lamp: Device
    let central: CentralApp
    let found: CBPeripheral
    let peripheral: PeripheralApp

    init(seed: UInt64) async throws {
      world = World(seed: seed)
      lamp = world.makeDevice("lamp")
      let service = CBMutableService("FFF0", [CBMutableCharacteristic("FFF1", [.read, .notify], [.readable])])
      peripheral = PeripheralApp("lamp", on: lamp, services: [service])
      peripheral.values = [.of("FFF1"): Data("on".utf8)]
      central = CentralApp(world.makeDevice("phone").options)
      found = try await central.meet("lamp", in: world)
    }

    /// Reads FFF1, and returns what the app was called with.
    func told() async throws -> [String] {
      central.forget()
      try await read()
      return central.told
    }
  }

  @Test("I14.2 faults can be set, caused, counted and taken away while a link exists, and each that struck is told")
  func settingAndCausing() async throws {
    let meeting = try await Meeting(seed: 2)
    let (world, lamp) = (meeting.world, meeting.lamp)
    let second = Fault.at(.read(.characteristic(BLEUUID(0xFFF1))), .nth(2), .error(.unlikelyError))
    lamp.faults = [second]
    #expect(lamp.faults == [second])
    #expect(try await meeting.told() == ["value FFF1 6f6e"])
    #expect(try await meeting.told() == ["value FFF1 error 14"])
    #expect(try await meeting.told() == ["value FFF1 6f6e"])
    lamp.cause(.at(.read(.any), .error(.insufficientResources)))
    #expect(try await meeting.told() == ["value FFF1 error 17"])
    #expect(try await meeting.told() == ["value FFF1 6f6e"])
    // Set again, the first read is the first again.
    lamp.setFaults([.at(.read(.any), .error(.valueNotAllowed))])
    #expect(try await meeting.told() == ["value FFF1 error 19"])
    lamp.setFaults([])
    #expect(try await meeting.told() == ["value FFF1 6f6e"])

    let struck = world.faultsStruck
    #expect(
      struck.map(\.fault.action) == [
        .error(.unlikelyError), .error(.insufficientResources), .error(.valueNotAllowed),
      ])
    #expect(struck.allSatisfy { $0.device == "lamp" && $0.time <= world.now && $0.time > .zero })
    #expect(
      struck[0].description.hasSuffix(
        " on the lamp: at the 2nd read of FFF1, the answer is Unlikely Error (0x0E)"))
    let lines = world.logLines.filter { $0.label.hasSuffix("fault") }.map(\.text)
    #expect(lines == struck.map(\.fault.description))
  }

  @Test("I14.2 a device without faults passes packets as if there were none, and the same seed gives the same packets")
  func withoutFaults() async throws {
    var captures: [[UInt8]] = []
    for step in 0..<3 {
      let meeting = try await Meeting(seed: 5)
      let (world, lamp) = (meeting.world, meeting.lamp)
      if step == 1 { lamp.setFaults([.at(.write(.any), .drop)]) }
      if step == 2 {
        lamp.setFaults([.at(.read(.any), .drop)])
        await world.settle()
        lamp.setFaults([])
      }
      #expect(try await meeting.told() == ["value FFF1 6f6e"])
      captures.append(world.capture)
    }
    // A gate that passes everything is not to be seen on the air.
    #expect(captures[0] == captures[1] && captures[0] == captures[2])
  }

  @Test("I14.2 faults with a probability strike the same packets for the same seed")
  func sameSeed() async throws {
    var struck: [[FaultStrike]] = []
    for seed: UInt64 in [8, 8, 9] {
      let meeting = try await Meeting(seed: seed)
      meeting.lamp.setFaults([.at(.read(.any), .chance(perMille: 500), .error(.unlikelyError))])
      for _ in 0..<30 { _ = try await meeting.told() }
      struck.append(meeting.world.faultsStruck)
    }
    #expect(struck[0] == struck[1] && struck[0].map(\.time) != struck[2].map(\.time))
    #expect((5...25).contains(struck[0].count))
  }

  @Test("I14.2 faults belong to the device: the next process on it has them too")
  func nextProcess() async throws {
    let world = World(seed: 3)
    let lamp = world.makeDevice("lamp")
    lamp.setFaults([.at(.phase(.connecting), .disconnect(.remoteUserTerminated)), .at(.time(.seconds(2)), .forgetBond)])
    await world.settle()
    lamp.terminateProcess()
    let peripheral = PeripheralApp("lamp", on: lamp, services: [CBMutableService("FFF0")])
    let app = CentralApp(world.makeDevice("phone").options)
    let found = try await app.find("lamp", in: world)
    app.manager.connect(found)
    await world.advance(by: .seconds(3))
    // That of the ended process did not strike.
    #expect(world.faultsStruck.map(\.fault.action) == [.disconnect(.remoteUserTerminated), .forgetBond])
    withExtendedLifetime(peripheral) {}
  }

  @Test("I14.B a fault that has no sense never strikes, and the log says why")
  func senseless() async throws {
    let meeting = try await Meeting(seed: 4)
    let (world, lamp) = (meeting.world, meeting.lamp)
    lamp.setFaults([.at(.read(.any), .disconnect(.connectionTimeout)), .at(.time(.seconds(1)), .every, .drop)])
    #expect(try await meeting.told() == ["value FFF1 6f6e"])
    await world.advance(by: .seconds(10))
    #expect(world.faultsStruck.isEmpty)
    let lines = world.logLines.filter { $0.label.hasSuffix("fault") }.map(\.text)
    #expect(
      lines == [
        "never strikes: a device cannot end a link with Connection Timeout (0x08)",
        "never strikes: 'drop' needs a packet, and time is none",
      ])
  }

  @Test("I14.2 drawn faults of both devices leave a world that ends, and links that work again", arguments: 0..<60)
  func drawn(seed: Int) async throws {
    let meeting = try await Meeting(seed: UInt64(seed))
    let (world, lamp, app, peripheral) = (meeting.world, meeting.lamp, meeting.central, meeting.peripheral)
    let chance = SeededEntropy(seed: UInt64(seed))
    let kinds = FaultAction.Kind.allCases
    func faults() -> [Fault] {
      (0..<3).map { _ in
        Fault.drawn(kinds[Int(chance.uniform(0..<UInt64(kinds.count)))], by: chance, services: [BLEUUID(0xFFF0)])
      }
    }
    lamp.setFaults(faults())
    let found = meeting.found
    for _ in 0..<4 {
      if found.state != .connected { app.manager.connect(found) }
      await world.advance(by: .seconds(5))
      found.discoverServices(nil)
      await world.advance(by: .seconds(2))
      for service in found.services ?? [] { found.discoverCharacteristics(nil, for: service) }
      await world.advance(by: .seconds(2))
      for characteristic in (found.services ?? []).flatMap({ $0.characteristics ?? [] }) {
        found.readValue(for: characteristic)
        found.setNotifyValue(true, for: characteristic)
      }
      peripheral.push(Data([1]), "FFF1")
      await world.advance(by: .seconds(40))
    }
    lamp.setFaults([])
    lamp.powerOff()
    await world.advance(by: .seconds(30))
    lamp.powerOn()
    await world.advance(by: .seconds(5))
    if found.state != .connected { app.manager.connect(found) }
    await world.advance(by: .seconds(30))
    await found.discoverAll(in: world)
    #expect(try await meeting.told().contains("value FFF1 6f6e"), "\(world.faultsStruck)")
  }

  @Test("I14.2 a scripted device has faults too, on its PDUs and at their handles")
  func scripted() async throws {
    let world = World(seed: 6)
    let device = world.makeScriptedDevice("meter")
    device.advertise([2, 1, 6, 6, 9] + Array("meter".utf8))
    device.answer { request in
      switch request[0] {
      case 0x02: [0x03, 0x17, 0x00]
      case 0x10 where request[1] == 1: [0x11, 6, 1, 0, 3, 0, 0xF0, 0xFF]
      case 0x08 where request[1] == 1 && request[5] == 0x03: [0x09, 7, 2, 0, 0x02, 3, 0, 0xF1, 0xFF]
      case 0x0A: [0x0B, 7]
      default: [0x01, request[0], request.count > 1 ? request[1] : 0, 0, 0x0A]
      }
    }
    device.setFaults([.at(.read(.handle(AttributeHandle(3))), .nth(2), .delay(.seconds(3)))])
    let app = CentralApp(world.makeDevice("phone").options)
    let found = try await app.meet("meter", in: world)
    let value = try found.characteristic("FFF1")
    var times: [Duration] = []
    for _ in 0..<3 {
      let start = world.now
      app.forget()
      await found.read(value, in: world)
      #expect(app.told == ["value FFF1 07"])
      times.append(world.now - start)
    }
    #expect(times[1] >= .seconds(3) && times[0] < .seconds(1) && times[2] < .seconds(1))
    #expect(world.faultsStruck.map(\.device) == ["meter"])
  }
}
