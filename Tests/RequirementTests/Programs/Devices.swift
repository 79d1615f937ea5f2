import BLETestKit
import CoreBluetooth

/// The peripherals that the articles use, written against Core Bluetooth.
enum Devices {
  /// R3.12: services FFF0 (FFF1 notify, FFF2 read and write, described as `name`) and FFE0 (FFE1 read), called `Owenli`.
  static func owenli(on device: Device) -> PeripheralProgram {
    let counter = CBMutableCharacteristic(
      type: CBUUID(string: "FFF1"), properties: .notify, value: nil, permissions: .readable)
    let named = CBMutableCharacteristic(
      type: CBUUID(string: "FFF2"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    named.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "name")
    ]
    let first = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    first.characteristics = [counter, named]
    let readOnly = CBMutableCharacteristic(
      type: CBUUID(string: "FFE1"), properties: .read, value: nil, permissions: .readable)
    let second = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
    second.characteristics = [readOnly]
    let program = PeripheralProgram(
      options: device.options, services: [first, second],
      advertisement: [
        CBAdvertisementDataLocalNameKey: "Owenli",
        CBAdvertisementDataServiceUUIDsKey: [first.uuid, second.uuid],
      ])
    program.values = [named.uuid: Data("owenli".utf8), readOnly.uuid: Data("read only".utf8)]
    return program
  }

  /// The same, which sends `send data : N` each second of `clock` while FFF1 is subscribed to.
  static func owenli(on device: Device, counting clock: WorldClock) -> PeripheralProgram {
    let program = owenli(on: device)
    program.onSubscribe = { [weak program] _, _ in program?.count(from: 1, on: "FFF1", each: .seconds(1), of: clock) }
    return program
  }

  /// R1.3: service FF11 with characteristic FF22 (read, write, notify) whose value is answered dynamically, called `My dear`.
  static func chat(on device: Device) -> (program: PeripheralProgram, line: CBMutableCharacteristic) {
    let line = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: [.read, .write, .notify, .writeWithoutResponse], value: nil,
      permissions: [.readable, .writeable])
    let service = CBMutableService(type: CBUUID(string: "FF11"), primary: true)
    service.characteristics = [line]
    let program = PeripheralProgram(
      options: device.options, services: [service],
      advertisement: [
        CBAdvertisementDataLocalNameKey: "My dear", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
      ])
    return (program, line)
  }

  /// Service FF30, called `Safe`: FF31 is read, written and notified only over an encrypted link, FF32 over any.
  static func safe(on device: Device) -> (program: PeripheralProgram, secret: CBMutableCharacteristic) {
    let secret = CBMutableCharacteristic(
      type: CBUUID(string: "FF31"), properties: [.read, .write, .notifyEncryptionRequired], value: nil,
      permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    let open = CBMutableCharacteristic(
      type: CBUUID(string: "FF32"), properties: [.read, .write, .notify], value: nil,
      permissions: [.readable, .writeable])
    let service = CBMutableService(type: CBUUID(string: "FF30"), primary: true)
    service.characteristics = [secret, open]
    let program = PeripheralProgram(
      options: device.options, services: [service],
      advertisement: [
        CBAdvertisementDataLocalNameKey: "Safe", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
      ])
    program.values = [secret.uuid: Data("secret".utf8), open.uuid: Data("open".utf8)]
    return (program, secret)
  }

  /// Battery service 180F with a fixed level.
  static func battery(on device: Device, percent: UInt8) -> PeripheralProgram {
    let level = CBMutableCharacteristic(
      type: CBUUID(string: "2A19"), properties: .read, value: Data([percent]), permissions: .readable)
    let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
    service.characteristics = [level]
    return PeripheralProgram(
      options: device.options, services: [service], advertisement: [CBAdvertisementDataLocalNameKey: "Battery"])
  }
}

extension PeripheralProgram {
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
struct Conversation {
  let world: World
  let phone: Device
  let other: Device
  let central: CentralProgram
  let peripheral: PeripheralProgram
  let found: CBPeripheral

  /// Finds the only advertiser, connects, and discovers everything.
  static func start(
    in world: World, with make: (Device) -> PeripheralProgram, discovering: Bool = true
  ) async throws -> Conversation {
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    let peripheral = make(other)
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    let found = central.sightings[0].peripheral
    central.manager.stopScan()
    central.manager.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    let conversation = Conversation(
      world: world, phone: phone, other: other, central: central, peripheral: peripheral, found: found)
    if discovering { await conversation.discoverEverything() }
    return conversation
  }

  func discoverEverything() async {
    found.discoverServices(nil)
    await world.settle()
    for service in found.services ?? [] {
      found.discoverCharacteristics(nil, for: service)
    }
    await world.settle()
  }

  func characteristic(_ uuid: String) throws -> CBCharacteristic {
    guard let characteristic = central.characteristic(uuid, of: found) else { throw Missing(what: uuid) }
    return characteristic
  }

  struct Missing: Error { let what: String }
}
