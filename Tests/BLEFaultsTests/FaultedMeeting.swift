import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport

/// A phone and a lamp of which one has faults, and an app on the phone that does what the steps of a row say.
///
/// The lamp has a service FFF0: FFF1 ("on") can be read and written and has a description, FFF2 notifies, FFF3 indicates, FFF4 can be
/// written without response, FFF5 needs an encrypted link, and FFF6 is 300 octets long.
final class FaultedMeeting {
  let world: World
  let lamp: Device
  let phone: Device
  private let peripheral: PeripheralApp
  private let central: CentralApp
  private var found: CBPeripheral?
  private var notified: UInt8 = 0

  init(seed: UInt64 = 14) {
    world = World(seed: seed)
    lamp = world.makeDevice("lamp")
    phone = world.makeDevice("phone")
    let switched = CBMutableCharacteristic("FFF1", [.read, .write], [.readable, .writeable])
    switched.descriptors = [CBDescriptor.userDescription("switch")]
    peripheral = PeripheralApp(
      "lamp", on: lamp,
      services: [
        CBMutableService(
          "FFF0",
          [
            switched, CBMutableCharacteristic("FFF2", [.notify]), CBMutableCharacteristic("FFF3", [.indicate]),
            CBMutableCharacteristic("FFF4", [.write, .writeWithoutResponse], [.writeable]),
            CBMutableCharacteristic("FFF5", [.read], [.readEncryptionRequired]),
            CBMutableCharacteristic("FFF6", [.read], [.readable]),
          ])
      ])
    peripheral.values = [
      .of("FFF1"): Data("on".utf8), .of("FFF5"): Data("key".utf8), .of("FFF6"): Data(repeating: 0x41, count: 300),
    ]
    central = CentralApp(phone.options)
  }

  /// Does the steps, and tells what was seen.
  func run(_ steps: String) async throws -> String {
    found = try await central.find("lamp", in: world)
    central.forget()
    for step in steps.components(separatedBy: ", ") { await take(step) }
    let seen = central.told.map(Self.short)
    return seen.isEmpty ? "nothing" : seen.joined(separator: ", ")
  }

  /// What has to happen, after the faults have been taken away, for the app to work with the lamp.
  func recovery() async -> String {
    lamp.setFaults([])
    phone.setFaults([])
    await world.advance(by: .seconds(60))
    if await works() { return "works again" }
    phone.forgetBonds()
    await world.advance(by: .seconds(1))
    if await works() { return "works again when the phone has forgotten the lamp" }
    lamp.powerOff()
    await world.advance(by: .seconds(5))
    lamp.powerOn()
    await world.advance(by: .seconds(5))
    return await works() ? "works again when the lamp was restarted" : "does not work again"
  }

  private func works() async -> Bool {
    if found?.state != .connected { await take("connect") }
    central.forget()
    await take("discover")
    await take("read FFF1")
    return central.told.contains("value FFF1 \(Data("on".utf8).hexadecimal)")
  }

  private func take(_ step: String) async {
    guard let found else { return }
    let words = step.components(separatedBy: " ")
    let characteristics = words.dropFirst().filter { $0.hasPrefix("FF") }.compactMap {
      central.characteristic($0, of: found)
    }
    switch words[0] {
    case "connect":
      for _ in 0..<(words.last.flatMap { Int($0) } ?? 1) { central.manager.connect(found) }
      await world.advance(by: .seconds(5))
    case "reconnect":
      central.manager.connect(found)
    case "disconnect":
      central.manager.cancelPeripheralConnection(found)
      await world.advance(by: .seconds(1))
    case "discover": await found.discoverAll(in: world)
    case "describe":
      for characteristic in characteristics { found.discoverDescriptors(for: characteristic) }
      await world.settle()
    case "read":
      for characteristic in characteristics { found.readValue(for: characteristic) }
      await world.settle()
    case "begin-read":
      for characteristic in characteristics { found.readValue(for: characteristic) }
      await world.advance(by: .milliseconds(500))
    case "write":
      for characteristic in characteristics {
        found.writeValue(Data("on".utf8), for: characteristic, type: .withResponse)
      }
      await world.settle()
    case "write-long":
      for characteristic in characteristics {
        found.writeValue(Data(repeating: 0x42, count: 600).prefix(512), for: characteristic, type: .withResponse)
      }
      await world.settle()
    case "begin-write":
      for characteristic in characteristics {
        found.writeValue(Data("on".utf8), for: characteristic, type: .withResponse)
      }
    case "command":
      for characteristic in characteristics {
        found.writeValue(Data("on".utf8), for: characteristic, type: .withoutResponse)
      }
      await world.settle()
    case "read-description", "write-description":
      for descriptor in characteristics.flatMap({ $0.descriptors ?? [] }) where descriptor.uuid == .of("2901") {
        if words[0] == "read-description" {
          found.readValue(for: descriptor)
        } else {
          found.writeValue(Data("light".utf8), for: descriptor)
        }
      }
      await world.settle()
    case "subscribe", "unsubscribe":
      for characteristic in characteristics { found.setNotifyValue(words[0] == "subscribe", for: characteristic) }
      await world.settle()
    case "notify", "indicate":
      for _ in 0..<(words.last.flatMap { Int($0) } ?? 1) {
        peripheral.push(Data([notified]), words[0] == "notify" ? "FFF2" : "FFF3")
        notified += 1
        if words.count < 3 { await world.advance(by: .milliseconds(100)) }
      }
      await world.advance(by: .milliseconds(500))
    case "wait": await world.advance(by: .seconds(words.last.flatMap { Double($0) } ?? 1))
    default: central.told.append("unknown step '\(step)'")
    }
  }

  /// A call in the words of the page.
  private static func short(_ line: String) -> String {
    if line.hasSuffix(" ") { return line + "(empty)" }
    return line.count > 60 ? "\(line.prefix(24))… (\(line.count) characters)" : line
  }
}
