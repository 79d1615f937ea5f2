import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("A peripheral as an application of the daemon")
struct PeripheralTests {
  private static let options = BusValue.options([
    "device": .objectPath(TestPeripheral.device), "offset": .uint16(2), "mtu": .uint16(247), "link": .string("LE"),
  ])

  private static func service(_ characteristics: [LocalCharacteristic], place: AttributeHandle? = nil) -> LocalService {
    LocalService(uuid: BLEUUID(0x180D), isPrimary: true, characteristics: characteristics, place: place)
  }

  private static func characteristic(
    _ number: UInt32, _ properties: UInt8, _ permissions: LocalPermissions, value: [UInt8]? = nil,
    descriptors: [LocalDescriptor] = []
  ) -> LocalCharacteristic {
    LocalCharacteristic(
      identifier: LocalCharacteristicIdentifier(rawValue: number), uuid: BLEUUID(0x2A37), properties: properties,
      permissions: permissions, value: value, descriptors: descriptors)
  }

  @Test(
    "I12.2 a service is registered with its characteristics, flags and descriptors, and has the daemon's handle"
  )
  func registration() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    let description = LocalDescriptor(uuid: BLEUUID(0x2901), value: Array("Pulse".utf8))
    let added = await peripheral.add(
      Self.service([
        Self.characteristic(1, 0x12, LocalPermissions(read: SecurityDemand.none), descriptors: [description]),
        Self.characteristic(2, 0x0A, LocalPermissions(read: .encryption, write: .authentication)),
        Self.characteristic(3, 0x04, LocalPermissions(write: .encryption)),
      ]))
    let identifier = try added.get()
    let services = try await daemon.objects(with: "org.bluez.GattService1")
    #expect(services.map { $0.properties["UUID"]?.text } == ["180d"])
    #expect(services.first?.properties["Primary"]?.flag == true)
    let characteristics = try await daemon.objects(with: "org.bluez.GattCharacteristic1")
    #expect(
      characteristics.map { $0.properties["Service"]?.path } == [String?](repeating: services.first?.path, count: 3))
    #expect(
      characteristics.map { $0.properties["Flags"]?.texts } == [
        ["read", "notify"], ["read", "encrypt-read", "write", "encrypt-authenticated-write"],
        ["write-without-response", "encrypt-write"],
      ])
    let descriptors = try await daemon.objects(with: "org.bluez.GattDescriptor1")
    let path = try #require(descriptors.first?.path)
    let value = try await daemon.call("ReadValue", at: path, of: "org.bluez.GattDescriptor1", [Self.options])
    #expect(try value.get() == [.octets(Array("lse".utf8))])
    _ = try await daemon.call("Confirm", at: characteristics[0].path)
    #expect(try await peripheral.look { role, _, _ in role.place(of: identifier) } == AttributeHandle(0x20))

    try await peripheral.look { role, _, _ in role.removeAllServices() }
    _ = try await daemon.call("Confirm", at: characteristics[0].path)
    #expect(try await daemon.look { $0.applications.isEmpty })
  }

  @Test("I12.2 reads and writes reach the program with offset, device and MTU, and its answers reach the daemon")
  func requests() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    _ = try await peripheral.add(
      Self.service([
        Self.characteristic(1, 0x0E, LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none)),
        Self.characteristic(2, 0x0A, LocalPermissions()),
        Self.characteristic(3, 0x02, LocalPermissions(read: SecurityDemand.none), value: [1, 2, 3]),
      ])
    ).get()
    let paths = try await daemon.objects(with: "org.bluez.GattCharacteristic1").map(\.path)

    try await peripheral.answerNext(0, [7, 8])
    #expect(try await daemon.call("ReadValue", at: paths[0], [Self.options]).get() == [.octets([7, 8])])
    try await peripheral.answerNext(0)
    #expect(try await daemon.call("WriteValue", at: paths[0], [.octets([5]), Self.options]).get() == [])
    let command = BusValue.options(["device": .objectPath(TestPeripheral.device), "type": .string("command")])
    #expect(try await daemon.call("WriteValue", at: paths[0], [.octets([6]), command]).get() == [])
    #expect(
      try await peripheral.takeSeen() == [
        "read 1 at 2 by 1:244", "write 1 at 2 [5] by 1:244", "command 1 at 0 [6] by 1:244",
      ])
    #expect(try await daemon.call("ReadValue", at: paths[2], [Self.options]).get() == [.octets([3])])

    for (code, name, text) in [
      (0x03, "NotPermitted", "0x03"), (0x07, "InvalidOffset", "0x07"), (0x08, "NotAuthorized", "0x08"),
      (0x0D, "InvalidValueLength", "0x0D"), (0x06, "NotSupported", "0x06"), (0x80, "Failed", "0x80"),
      (0x11, "Failed", "0x11"),
    ] {
      try await peripheral.answerNext(UInt8(code))
      let answer = try await daemon.call("WriteValue", at: paths[0], [.octets([5]), Self.options])
      #expect(answer == .failure(BusError("org.bluez.Error." + name, text)))
    }
    // Accesses that are not permitted do not reach the program.
    _ = try await peripheral.takeSeen()
    let refused = BusError("org.bluez.Error.NotPermitted", "0x02")
    #expect(try await daemon.call("ReadValue", at: paths[1], [Self.options]) == .failure(refused))
    guard case .failure = try await daemon.call("WriteValue", at: paths[1], [.octets([1]), Self.options]) else {
      return #expect(Bool(false))
    }
    // Nor do invalid ones.
    let unknown = BusValue.options(["device": .objectPath("/org/bluez/hci0/dev_00")])
    for arguments in [[], [.string("x")], [.octets([1]), unknown], [.octets([]), .options(["device": .string("x")])]]
      as [[BusValue]]
    {
      let answer = try await daemon.call("WriteValue", at: paths[0], arguments)
      guard case .failure = answer else { return #expect(Bool(false)) }
    }
    #expect(
      try await daemon.call("ReadValue", at: paths[0], [unknown])
        == .failure(BusError("org.bluez.Error.Failed", "0x0E")))
    #expect(try await peripheral.takeSeen() == [])

    // Calls of another program on the bus are refused.
    let stranger = try BusPeer(on: bus, "stranger")
    try await peripheral.peer.own("org.example.Peripheral")
    let answer = await stranger.call(
      "ReadValue", of: "org.bluez.GattCharacteristic1", at: paths[2], on: "org.example.Peripheral", [Self.options])
    #expect(answer == .failure(BusError(BusError.accessDenied, "This object is for org.bluez only.")))
  }

  @Test("I12.2 a program's answer after the adapter was removed does nothing, and no request is left waiting")
  func lateAnswers() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    _ = try await peripheral.add(
      Self.service([Self.characteristic(1, 0x02, LocalPermissions(read: SecurityDemand.none))])
    ).get()
    let paths = try await daemon.objects(with: "org.bluez.GattCharacteristic1").map(\.path)
    try await peripheral.look { role, _, events in
      events.told = { [weak events] _ in
        role.adapterWasLost()
        if let transaction = events?.lastTransaction { role.respond(to: transaction, result: 0, value: [1]) }
      }
    }
    let answer = try await daemon.call("ReadValue", at: paths[0], [Self.options])
    #expect(answer == .failure(BusError("org.bluez.Error.Failed", "The adapter is gone.")))
    #expect(try await peripheral.look { role, _, _ in role.transactions.isEmpty })
  }

  @Test(
    "I12.2 a subscriber is reported once, 1,000 values are sent in order, each reported as sent when the daemon has read it"
  )
  func updates() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    _ = try await peripheral.add(Self.service([Self.characteristic(1, 0x10, LocalPermissions())])).get()
    let path = try await daemon.objects(with: "org.bluez.GattCharacteristic1")[0].path
    let identifier = LocalCharacteristicIdentifier(rawValue: 1)
    let sender = try await daemon.look { $0.sender }
    let values = LoopBound(Values())
    try await daemon.peer.run { bus in
      values.value.registration = bus.listen(
        to: "PropertiesChanged", of: MessageBus.propertiesInterface, at: path, from: sender
      ) { values.value.received.append($0.arguments[1].properties?["Value"]?.octetsValue ?? []) }
    }
    // Without a subscriber nothing is sent.
    let peer = peripheral.peer
    let role = peripheral.role
    _ = await peer.wait { (_, done: @escaping @Sendable (Bool) -> Void) in
      role.value.update([9], of: identifier, centrals: nil) { done(true) }
    }
    try await peripheral.look { _, environment, _ in environment.connectedDevices = [TestPeripheral.known(1)] }
    _ = try await daemon.call("StartNotify", at: path).get()
    _ = try await daemon.call("StartNotify", at: path).get()
    #expect(try await peripheral.takeSeen() == ["subscribed 1:20 to 1"])
    let sent = await peer.wait { (_, done: @escaping @Sendable (Int) -> Void) in
      final class Count { var sent = 0 }
      let count = Count()
      for number in 0..<1000 {
        role.value.update([UInt8(number & 0xFF), UInt8(number >> 8)], of: identifier, centrals: nil) {
          count.sent += 1
          if count.sent == 1000 { done(count.sent) }
        }
      }
    }
    #expect(sent == 1000)
    let received = try await daemon.peer.run { _ in values.value.received }
    #expect(received == (0..<1000).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })

    // For one central of two: the daemon would send it to both.
    let one = [TestPeripheral.known(1).identifier]
    for connected in [[TestPeripheral.known(1), TestPeripheral.known(2)], [TestPeripheral.known(1)]] {
      try await peripheral.look { _, environment, _ in environment.connectedDevices = connected }
      _ = await peer.wait { (_, done: @escaping @Sendable (Bool) -> Void) in
        role.value.update([UInt8(connected.count)], of: identifier, centrals: one) { done(true) }
      }
    }
    _ = try await daemon.call("StopNotify", at: path).get()
    #expect(try await daemon.peer.run { _ in values.value.received.dropFirst(1000) } == [[1]])
    #expect(try await peripheral.takeSeen() == ["unsubscribed 1:20 from 1"])
    try await daemon.peer.run { _ in values.value.registration = nil }
  }

  /// On the loop of the stand-in.
  private final class Values {
    var received: [[UInt8]] = []
    var registration: BusRegistration?
  }

  @Test(
    "I12.2 an advertisement is registered as requested; a second one, a refusal and the daemon's removal are reported or logged"
  )
  func advertising() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    let content = LocalAdvertisement(localName: "Pulse", serviceUUIDs: [BLEUUID(0x180D)])
    #expect(await peripheral.advertise(content) == nil)
    let (path, properties) = try #require(try await daemon.look { $0.advertisements.first.map { ($0.key, $0.value) } })
    #expect(properties["Type"]?.text == "peripheral")
    #expect(properties["LocalName"]?.text == "Pulse")
    #expect(properties["ServiceUUIDs"]?.texts == ["180d"])
    #expect(await peripheral.advertise(content) == .alreadyAdvertising)
    _ = try await daemon.call("Release", at: path, of: "org.bluez.LEAdvertisement1").get()
    #expect(await peripheral.advertise(content) == nil)
    try await peripheral.look { role, _, _ in role.stopAdvertising() }
    for (name, expected) in [
      ("NotPermitted", PublishError.outOfSpace), ("InvalidLength", .outOfSpace), ("NotReady", .notPoweredOn),
      ("Failed", .refused(code: 0x0C)), ("InvalidArguments", .refused(code: 0x12)),
    ] {
      try await peripheral.look { role, _, _ in role.stopAdvertising() }
      _ = try await daemon.call("Nothing", at: path)
      try await daemon.look { $0.refusal = BusError("org.bluez.Error." + name, "No.") }
      #expect(await peripheral.advertise(content) == expected)
    }
    try await peripheral.look { _, environment, _ in environment.isRunning = false }
    #expect(await peripheral.advertise(content) == .notPoweredOn)
  }

  @Test(
    "I12.2 a refused service is an error; one whose place is taken is published elsewhere; included services come along"
  )
  func places() async throws {
    let bus = try PrivateBus()
    let daemon = try await DaemonStandIn(on: bus)
    let peripheral = try await TestPeripheral(on: bus)
    try await daemon.look { $0.refusal = BusError("org.bluez.Error.Failed", "No.") }
    #expect(await peripheral.add(Self.service([])) == .failure(.refused(code: 0x0C)))
    let reserved = LocalService(uuid: BLEUUID(0x1800), isPrimary: true, characteristics: [])
    #expect(await peripheral.add(reserved) == .failure(.uuidNotAllowed))
    try await daemon.look { $0.refusal = BusError("org.bluez.Error.Failed", "The place is taken.") }
    let inner = try await peripheral.add(
      LocalService(uuid: BLEUUID(0x180F), isPrimary: false, characteristics: [], place: AttributeHandle(0x90))
    ).get()
    _ = try await daemon.call("Nothing", at: "/x")
    #expect(try await peripheral.look { role, _, _ in role.place(of: inner) } == AttributeHandle(0x20))
    let outer = try await peripheral.add(
      LocalService(uuid: BLEUUID(0x180D), isPrimary: true, included: [inner], characteristics: [])
    ).get()
    let services = try await daemon.objects(with: "org.bluez.GattService1")
    #expect(services.count == 2)
    let includes = services.compactMap { $0.properties["Includes"]?.list }
    #expect(includes == [[.objectPath(try #require(services.first { $0.properties["Primary"]?.flag == false }).path)]])
    #expect(services.first { $0.properties["Primary"]?.flag == false }?.properties["Handle"]?.unsigned16 == 0x20)
    try await peripheral.look { role, _, _ in role.remove(outer) }
    _ = try await daemon.call("Nothing", at: "/x")
    let unknown = LocalService(
      uuid: BLEUUID(0x180D), isPrimary: true, included: [LocalServiceIdentifier(rawValue: 999)], characteristics: [])
    #expect(await peripheral.add(unknown) == .failure(.unknownService))
    // The remaining services are registered again, in a few calls.
    var left: [String?] = []
    for _ in 0..<1_000 where left != ["180f"] {
      _ = try await daemon.call("Nothing", at: "/x")
      left = try await daemon.objects(with: "org.bluez.GattService1").map { $0.properties["UUID"]?.text }
    }
    #expect(left == ["180f"])
    try await peripheral.look { role, _, _ in role.close() }
    _ = try await daemon.call("Nothing", at: "/x")
    #expect(try await daemon.look { $0.applications.isEmpty })
  }
}
