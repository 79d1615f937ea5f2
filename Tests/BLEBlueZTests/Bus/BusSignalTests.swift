import BLECore
import Testing

@testable import BLEBlueZ

@Suite("Signals, names and objects on the message bus")
struct BusSignalTests {
  @Test("I12.2 10,000 signals arrive in the order in which they were sent")
  func order() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    final class Seen {
      var numbers: [UInt32] = []
      var registration: BusRegistration?
    }
    let seen = LoopBound(Seen())
    let numbers = await client.wait { (bus: MessageBus, done: @escaping @Sendable ([UInt32]) -> Void) in
      seen.value.registration = bus.listen(
        to: "Count", of: TestObject.interface, at: TestObject.path, from: TestService.name
      ) { signal in
        seen.value.numbers.append(signal.arguments.first?.unsigned32 ?? .max)
        if seen.value.numbers.count == 10_000 { done(seen.value.numbers) }
      }
      let peer = service.peer
      bus.call("Echo", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) { _ in
        Task {
          try await peer.run { bus in
            for number in 0..<10_000 {
              bus.emit("Count", of: TestObject.interface, at: TestObject.path, [.uint32(UInt32(number))])
              bus.emit("Other", of: TestObject.interface, at: TestObject.path, [])
            }
          }
        }
      }
    }
    #expect(numbers == [UInt32](0..<10_000))
    try await client.run { _ in seen.value.registration = nil }
  }

  @Test("I12.2 the end of one registration leaves the signals of other objects to those that listen to them")
  func ends() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let (stream, paths) = AsyncStream<String>.makeStream()
    var seen = stream.makeAsyncIterator()
    let registrations = try await client.run { bus in
      LoopBound(
        (0..<4).map { number in
          bus.listen(to: "Count", of: TestObject.interface, at: "/object\(number)", from: TestService.name) {
            paths.yield($0.path)
          }
        })
    }
    for ended in [1, 0, 3] {
      try await client.run { _ in registrations.value[ended].end() }
      _ = await client.call("Echo", on: TestService.name)
      try await service.peer.run { bus in
        for number in 0..<4 { bus.emit("Count", of: TestObject.interface, at: "/object\(number)", []) }
      }
      let expected = [1: ["/object0", "/object2", "/object3"], 0: ["/object2", "/object3"], 3: ["/object2"]][ended]
      // Behind the signals.
      _ = await client.call("Echo", on: TestService.name)
      paths.yield("end")
      var received: [String] = []
      while let path = await seen.next(), path != "end" { received.append(path) }
      #expect(received == expected)
    }
    _ = service
  }

  @Test("I12.2 an observer of a name is notified of its owner, of the owner's end, and of the next owner")
  func owners() async throws {
    let bus = try PrivateBus()
    let client = try BusPeer(on: bus)
    let (stream, owners) = AsyncStream<String?>.makeStream()
    let watch = try await client.run { LoopBound($0.watchOwner(of: TestService.name) { owners.yield($0) }) }
    var seen = stream.makeAsyncIterator()
    #expect(await seen.next() == .some(nil))
    var service: TestService? = try await TestService(on: bus)
    let first = try #require(await seen.next() ?? nil)
    try await service?.peer.run { $0.close() }
    #expect(await seen.next() == .some(nil))
    service = try await TestService(on: bus)
    let second = try #require(await seen.next() ?? nil)
    #expect(first != second)
    // A later observer is notified as well.
    let late = await client.wait { (bus: MessageBus, done: @escaping @Sendable (String?) -> Void) in
      final class Box { var registration: BusRegistration? }
      let box = Box()
      box.registration = bus.watchOwner(of: TestService.name) {
        box.registration = nil
        done($0)
      }
    }
    #expect(late == second)
    try await client.run { _ in watch.value.end() }
    _ = service
  }

  @Test("I12.2 objects below an exported root are listed, announced and removed, with their properties")
  func objects() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let root = try await service.peer.run { LoopBound(try $0.exportRoot(at: "/app")) }
    let (stream, signals) = AsyncStream<BusSignal>.makeStream()
    let listening = try await client.run {
      LoopBound([
        $0.listen(to: nil, of: MessageBus.managerInterface, at: nil, from: TestService.name) { signals.yield($0) },
        $0.listen(to: nil, of: MessageBus.propertiesInterface, at: nil, from: TestService.name) {
          signals.yield($0)
        },
      ])
    }
    _ = await client.call("Echo", on: TestService.name)
    let object = LoopBound(TestObject())
    var exported: LoopBound<BusRegistration>? = try await service.peer.run {
      LoopBound(try $0.export(object.value, at: "/app/one"))
    }
    var seen = stream.makeAsyncIterator()
    let added = try #require(await seen.next())
    #expect(added.member == "InterfacesAdded" && added.path == "/app")
    #expect(added.arguments.first == .objectPath("/app/one"))
    let properties = added.arguments.last?.properties?[TestObject.interface]?.properties
    #expect(properties?["Number"]?.unsigned16 == 7)

    let all = try await client.call(
      "GetManagedObjects", of: MessageBus.managerInterface, at: "/app", on: TestService.name
    ).get()
    #expect(all.first?.objects?.keys.sorted() == ["/app/one"])
    #expect(all.first?.objects?["/app/one"] == added.arguments.last)
    let one = await client.call(
      "Get", of: MessageBus.propertiesInterface, at: "/app/one", on: TestService.name,
      [.string(TestObject.interface), .string("Name")])
    #expect(try one.get() == [.variant(.string("test"))])
    let whole = await client.call(
      "GetAll", of: MessageBus.propertiesInterface, at: "/app/one", on: TestService.name,
      [.string(TestObject.interface)])
    #expect(try whole.get().first?.properties == properties)

    try await service.peer.run { $0.emitChanges(of: TestObject.interface, at: "/app/one", ["Number": .uint16(8)]) }
    let change = try #require(await seen.next())
    #expect(change.arguments == [.string(TestObject.interface), .options(["Number": .uint16(8)]), .texts([])])

    // Released from another thread than the loop's.
    exported = nil
    let removed = try #require(await seen.next())
    #expect(
      removed.member == "InterfacesRemoved"
        && removed.arguments == [.objectPath("/app/one"), .texts([TestObject.interface])])
    _ = (root, listening, exported)
  }
}
