import BLECore
import Glibc
import Testing

@testable import BLEBlueZ

@Suite("Hostile programs on the message bus")
struct BusHostilityTests {
  private static func nested(_ depth: Int) -> BusValue {
    var value = BusValue.octet(1)
    for _ in 0..<depth { value = .variant(value) }
    return value
  }

  @Test(
    "I12.2 an answer that is nested too deep, has too many values, or is too long, fails its own call and no other")
  func shapes() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let object = service.object
    let hostile: [[BusValue]] = [
      [Self.nested(60)],
      [.array(of: "n", [BusValue](repeating: .int16(1), count: 1_000_000))],
      [
        .dictionary(
          Dictionary(uniqueKeysWithValues: (0..<100_000).map { (.uint32($0), .octet(1)) }), key: "u", value: "y")
      ],
      [.octets([UInt8](repeating: 1, count: 5_000_000))],
      [.string(String(repeating: "x", count: 5_000_000))],
    ]
    for values in hostile {
      try await service.peer.run { _ in object.value.made = values }
      let answer = await client.call("Make", on: TestService.name)
      guard case .failure(let error) = answer else {
        Issue.record("It was read.")
        continue
      }
      #expect(error.name == BusError.inconsistent)
    }
    try await service.peer.run { _ in object.value.made = [Self.nested(20)] }
    #expect(try await client.call("Make", on: TestService.name).get() == [Self.nested(20)])
    // Values deeper than the bus accepts are not sent: the daemon would close the connection for them.
    let deep = await client.call("Echo", on: TestService.name, [Self.nested(100)])
    #expect(deep == .failure(BusError(BusError.invalidArguments, "The value is nested more than 64 deep.")))
    #expect(try await client.call("Echo", on: TestService.name, [.octet(1)]).get() == [.octet(1)])
  }

  @Test("I12.2 a program's unreadable request is refused, and its signals are ignored")
  func requests() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let answer = await client.call("Echo", on: TestService.name, [Self.nested(60)])
    guard case .failure(let error) = answer else { return #expect(Bool(false)) }
    #expect(error.name == BusError.inconsistent)

    let unreadable = await client.wait { (bus: MessageBus, done: @escaping @Sendable (Int) -> Void) in
      final class Box { var registration: BusRegistration? }
      let box = Box()
      box.registration = bus.listen(to: nil, of: TestObject.interface, at: nil, from: TestService.name) { signal in
        #expect(signal.member == "Good")
        box.registration = nil
        done(bus.unreadableSignals)
      }
      bus.call("Echo", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) { _ in
        let peer = service.peer
        Task {
          try await peer.run { bus in
            bus.emit("Bad", of: TestObject.interface, at: TestObject.path, [Self.nested(60)])
            bus.emit("Good", of: TestObject.interface, at: TestObject.path, [])
          }
        }
      }
    }
    #expect(unreadable == 1)
  }

  private static func set(_ values: [String: BusValue]) -> Set<ReportedProperties.Property> {
    Set(values.map { ReportedProperties.Property(name: $0.key, value: $0.value) })
  }

  @Test("I12 changes of properties are read as they are, and hostile ones are ignored or reported as invalid")
  func properties() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    final class Seen {
      var changes: [PropertyChanges?] = []
      var registration: BusRegistration?
    }
    let seen = LoopBound(Seen())
    let values: [String: BusValue] = [
      "RSSI": .int16(-60), "Name": .string("Thing"),
      "ManufacturerData": .dictionary(
        [.uint16(0x4C): .variant(.octets([2, 21]))], key: "q", value: "v"),
    ]
    let many = Dictionary(uniqueKeysWithValues: (0..<34_000).map { ("\($0)", BusValue.octet(1)) })
    let signals: [[BusValue]] = [
      [.string("a"), .options(values), .texts(["TxPower", "ServiceData"])],
      [.string("b"), .options(["Deep": Self.nested(60)]), .texts([])],
      [.string("c"), .options(many), .texts([])],
      [.string("d"), .options([:]), .texts([String](repeating: "x", count: 100_001))],
      [.string("e"), .options([:]), .texts([String](repeating: String(repeating: "x", count: 1 << 16), count: 65))],
      [.string("f"), .texts([]), .options([:])],
      [],
      [.string("g"), .options(["Last": .variant(.boolean(true))]), .texts([])],
    ]
    let unreadable = await client.wait { (bus: MessageBus, done: @escaping @Sendable (Int) -> Void) in
      seen.value.registration = bus.listenToProperties(from: TestService.name) { _, changes in
        seen.value.changes.append(changes)
        if changes?.interface == "g" { done(bus.unreadableSignals) }
      }
      bus.call("Echo", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) { _ in
        let peer = service.peer
        Task {
          try await peer.run { bus in
            for arguments in signals {
              bus.emit("PropertiesChanged", of: MessageBus.propertiesInterface, at: TestObject.path, arguments)
            }
          }
        }
      }
    }
    #expect(unreadable == 4)
    let changes = try await client.run { _ in seen.value.changes }
    #expect(changes.map(\.?.interface) == ["a", nil, nil, "g"])
    #expect(
      changes.map { $0.map { Set($0.values.list) } } == [
        Self.set(values), nil, nil, Self.set(["Last": .boolean(true)]),
      ])
    #expect(changes.map(\.?.invalidated) == [["TxPower", "ServiceData"], nil, nil, []])
    try await client.run { _ in seen.value.registration = nil }
  }

  @Test("I12.2 a signal counts only from the owner of the name, also where another program addresses it to this one")
  func forged() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let forger = try BusPeer(on: bus, "forger")
    try await client.own("org.example.Client")
    final class Seen {
      var signals: [String] = []
      var owners: [String?] = []
      var registrations: [BusRegistration] = []
    }
    let seen = LoopBound(Seen())
    try await client.run { bus in
      seen.value.registrations = [
        bus.listen(to: nil, of: TestObject.interface, at: nil, from: TestService.name) {
          seen.value.signals.append($0.member)
        },
        bus.watchOwner(of: TestService.name) { seen.value.owners.append($0) },
      ]
    }
    _ = await client.call("Echo", on: TestService.name)
    for (peer, member) in [(forger, "Forged"), (service.peer, "Real")] {
      try await peer.run { bus in
        bus.emit(member, of: TestObject.interface, at: TestObject.path, [])
        bus.emit(member, of: TestObject.interface, at: TestObject.path, [], to: "org.example.Client")
        bus.emit(
          "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
          [.string(TestService.name), .string(":1.1"), .string("")], to: "org.example.Client")
      }
      // The daemon has delivered them before it answers this.
      _ = await peer.call(
        "GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: "org.freedesktop.DBus")
    }
    _ = await client.call("Echo", on: TestService.name)
    let (signals, owners) = try await client.run { _ in (seen.value.signals, seen.value.owners.count) }
    #expect(signals == ["Real", "Real"])
    #expect(owners == 1)
    try await client.run { _ in seen.value.registrations = [] }
  }

  @Test("I12.2 objects exported for one name are refused to all others")
  func strangers() async throws {
    let place = try PrivateBus()
    let service = try await TestService(on: place)
    let client = try BusPeer(on: place)
    let friend = try BusPeer(on: place, "friend")
    try await friend.own("org.example.Friend")
    let object = LoopBound(TestObject())
    let registration = try await service.peer.run {
      LoopBound(try $0.export(object.value, at: "/private", for: "org.example.Friend"))
    }
    // The bus answers in order: once it has answered this, the service knows which program owns the name.
    let bus = "org.freedesktop.DBus"
    _ = await service.peer.call("GetId", of: bus, at: "/org/freedesktop/DBus", on: bus)
    #expect(try await friend.call("Echo", at: "/private", on: TestService.name, [.octet(1)]).get() == [.octet(1)])
    let refused = await client.call("Echo", at: "/private", on: TestService.name, [.octet(1)])
    #expect(refused == .failure(BusError(BusError.accessDenied, "This object is for org.example.Friend only.")))
    try await service.peer.run { _ in registration.value.end() }
    guard case .failure(let error) = await friend.call("Echo", at: "/private", on: TestService.name) else {
      return #expect(Bool(false))
    }
    #expect(error.name == BusError.unknownObject)
  }

  @Test("I12.2 descriptors arrive, are closed once, and none stay open where they were not expected")
  func descriptors() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let sent = BusValue.fileDescriptor(BusDescriptor(taking: ends[1]))
    let answer = try await client.call("Echo", on: TestService.name, [sent]).get()
    let received = try #require(answer.first?.descriptor?.take())
    #expect(answer.first?.descriptor?.take() == nil)
    #expect(try #require(sent.descriptor).take() == ends[1])
    close(ends[1])
    #expect(write(received, "x", 1) == 1)
    close(received)
    var octets = [UInt8](repeating: 0, count: 8)
    #expect(read(ends[0], &octets, 8) == 1)
    // The end of the file: no writer is left, neither here nor in the service, which shares this process.
    for _ in 0..<20 {
      let copy = BusValue.fileDescriptor(BusDescriptor(taking: dup(ends[0])))
      _ = await client.call("Echo", on: TestService.name, [.variant(copy), .texts(["unexpected"])])
    }
    _ = await client.call("Echo", on: TestService.name)
    _ = try await service.peer.run { _ in }
    #expect(read(ends[0], &octets, 8) == 0)
    close(ends[0])
  }
}
