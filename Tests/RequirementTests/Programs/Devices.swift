import BLETestKit
import CoreBluetooth
import TestSupport

/// The peripherals that the articles use, written against Core Bluetooth.
enum Devices {
  /// R3.12: services FFF0 (FFF1 notify, FFF2 read and write, described as `name`) and FFE0 (FFE1 read), called `Owenli`.
  static func owenli(on device: Device) -> PeripheralApp {
    let counter = CBMutableCharacteristic("FFF1", .notify)
    let named = CBMutableCharacteristic("FFF2", [.read, .write], [.readable, .writeable])
    named.descriptors = [.userDescription("name")]
    let first = CBMutableService("FFF0", [counter, named])
    let readOnly = CBMutableCharacteristic("FFE1", .read)
    let second = CBMutableService("FFE0", [readOnly])
    let program = PeripheralApp("Owenli", on: device, services: [first, second])
    program.values = [named.uuid: Data("owenli".utf8), readOnly.uuid: Data("read only".utf8)]
    return program
  }

  /// The same, which sends `send data : N` each second of `clock` while FFF1 is subscribed to.
  static func owenli(on device: Device, counting clock: WorldClock) -> PeripheralApp {
    let program = owenli(on: device)
    program.reactions["subscribed"] = { [weak program] in
      program?.count(from: 1, on: "FFF1", each: .seconds(1), of: clock)
    }
    return program
  }

  /// R1.3: service FF11 with characteristic FF22 (read, write, notify) whose value is answered dynamically, called `My dear`.
  static func chat(on device: Device) -> (program: PeripheralApp, line: CBMutableCharacteristic) {
    let line = CBMutableCharacteristic(
      "FF22", [.read, .write, .notify, .writeWithoutResponse], [.readable, .writeable])
    let service = CBMutableService("FF11", [line])
    let program = PeripheralApp("My dear", on: device, services: [service])
    return (program, line)
  }

  /// Service FF30, called `Safe`: FF31 is read, written and notified only over an encrypted link, FF32 over any.
  static func safe(on device: Device) -> (program: PeripheralApp, secret: CBMutableCharacteristic) {
    let secret = CBMutableCharacteristic(
      "FF31", [.read, .write, .notifyEncryptionRequired], [.readEncryptionRequired, .writeEncryptionRequired])
    let open = CBMutableCharacteristic("FF32", [.read, .write, .notify], [.readable, .writeable])
    let service = CBMutableService("FF30", [secret, open])
    let program = PeripheralApp("Safe", on: device, services: [service])
    program.values = [secret.uuid: Data("secret".utf8), open.uuid: Data("open".utf8)]
    return (program, secret)
  }

  /// Battery service 180F with a fixed level.
  static func battery(on device: Device, percent: UInt8) -> PeripheralApp {
    let level = CBMutableCharacteristic("2A19", .read, value: Data([percent]))
    let service = CBMutableService("180F", [level])
    return PeripheralApp("Battery", on: device, services: [service], advertises: [])
  }
}

extension PeripheralApp {
  /// Sends numbers until there is no subscriber.
  fileprivate func count(
    from number: Int, on uuid: String, each interval: Duration, of clock: WorldClock
  ) {
    _ = clock.schedule(after: interval, on: queue) { [weak self] in
      guard let self, let counter = published(uuid), counter.subscribedCentrals?.isEmpty == false else { return }
      manager.updateValue(Data("send data : \(number)".utf8), for: counter, onSubscribedCentrals: nil)
      count(from: number + 1, on: uuid, each: interval, of: clock)
    }
  }
}

/// A phone with a central program and one other device, connected, with everything discovered.
struct Conversation: Encounter {
  let world: World
  let phone: Device
  let other: Device
  let central: CentralApp
  let peripheral: PeripheralApp
  let found: CBPeripheral

  /// Finds the only advertiser, connects, and discovers everything.
  /// - Parameter mtu: the longest ATT PDU that the other device takes.
  static func start(
    in world: World = World(), mtu: Int? = nil, with make: (Device) -> PeripheralApp, discovering: Bool = true
  ) async throws -> Conversation {
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    if let mtu { other.setMaximumTransmissionUnit(mtu) }
    let peripheral = make(other)
    let central = CentralApp(phone.options)
    let found = try await central.reach(in: world)
    let talk = Conversation(
      world: world, phone: phone, other: other, central: central, peripheral: peripheral, found: found)
    if discovering { await talk.discoverAll() }
    return talk
  }
}
