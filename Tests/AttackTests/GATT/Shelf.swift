import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A program in the peripheral role, called `Shelf`: FF31 has a fixed value, FF32 a dynamic value that can be read, written,
/// notified and indicated.
enum Shelf {
  /// The handles of the two values, and of the second one's client configuration, as octets.
  static let fixed = "1200"
  static let own = "1400"
  static let configuration = "1500"
  /// The answer to a Read Request for the fixed value.
  static let fixedAnswer = ["0b" + Array("shelf".utf8).hexadecimal]

  static func start(_ options: [String: Any]) -> PeripheralApp {
    let app = PeripheralApp(
      options,
      services: [
        CBMutableService(
          "FF30",
          [
            CBMutableCharacteristic("FF31", .read, value: Data("shelf".utf8)),
            CBMutableCharacteristic(
              "FF32", [.read, .write, .writeWithoutResponse, .notify, .indicate], [.readable, .writeable]),
          ])
      ], advertisement: [CBAdvertisementDataLocalNameKey: "Shelf"])
    app.value = Data("own".utf8)
    return app
  }
}

extension CentralApp {
  /// Waits until all of the shelf is discovered, and reads its fixed value.
  func explore(in world: World, within limit: Duration) async throws {
    try await world.wait(within: limit) { self.isDone }
    #expect(isWalkSound)
    forget()
    read("FF31")
    await world.advance(by: .milliseconds(300))
    #expect(told == ["value FF31 " + Array("shelf".utf8).hexadecimal])
  }
}

extension PeripheralApp {
  /// Sends a text to the subscribers of FF32.
  @discardableResult
  func update(_ text: String) -> Bool { push(Data(text.utf8), "FF32") }

  /// Each write, its parts one after the other: offset and octets.
  var writes: [[(offset: Int, value: [UInt8])]] {
    batches.map { $0.map { ($0.offset, [UInt8]($0.value ?? Data())) } }
  }
}

/// A world with the shelf in it, and hostile centrals that are connected to it.
struct AttackedShelf {
  let world: World
  let device: Device
  let program: PeripheralApp
  let attackers: [HostileDevice]
  var attacker: HostileDevice { attackers[0] }

  static func start(attackers count: Int = 1) async throws -> AttackedShelf {
    let world = World()
    let device = world.makeDevice("victim")
    let program = Shelf.start(device.options)
    let attackers = (1...count).map { HostileDevice(world, address: HostileDevice.address(UInt64($0))) }
    try await world.wait(within: .seconds(5)) { program.manager.isAdvertising }
    let scene = AttackedShelf(world: world, device: device, program: program, attackers: attackers)
    for attacker in attackers { try await scene.connect(attacker) }
    return scene
  }

  func connect(_ attacker: HostileDevice) async throws {
    try await attacker.link(to: device.address)
  }

  func disconnect(_ attacker: HostileDevice) async throws {
    attacker.disconnect()
    try await world.wait(within: .seconds(5)) { !attacker.isConnected }
    await world.advance(by: .seconds(1))
  }

  /// Whether the attacker's link is still served.
  func serves(_ attacker: HostileDevice) async -> Bool { await attacker.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer }

  /// Sends PDUs one right after the other. Returns the answers until the link is quiet again.
  func flood(_ pdus: [[UInt8]], from attacker: HostileDevice) async -> [[UInt8]] {
    attacker.forgetWhatCame()
    for pdu in pdus { attacker.sendAttributePDU(pdu) }
    await world.advance(by: .milliseconds(200 + 15 * pdus.count / 2))
    return attacker.attributePDUs
  }
}
