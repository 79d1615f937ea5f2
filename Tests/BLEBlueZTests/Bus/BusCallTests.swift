import BLECore
import BLEHCI
import Dispatch
import Testing

@testable import BLEBlueZ

@Suite("Calls over the message bus")
struct BusCallTests {
  @Test("I12.2 every type of value comes back as it was sent")
  func roundTrip() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    let values: [BusValue] = [
      .boolean(true), .boolean(false), .octet(255), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
      .int64(.min), .uint64(.max), .double(-0.5), .string("Grüße, 世界"), .string(""),
      .objectPath("/org/bluez/hci0"), .signature("a{sv}"), .octets([]), .octets([UInt8](0...255)),
      .texts(["a", "b"]), .texts([]), .array(of: "o", [.objectPath("/a")]),
      .array(of: "ay", [.octets([1]), .octets([])]),
      .array(of: "(yv)", [.structure([.octet(1), .variant(.string("x"))])]),
      .options(["Address": .string("00:11"), "RSSI": .int16(-40), "Data": .octets([1, 2])]), .options([:]),
      .dictionary([.uint16(0x004c): .variant(.octets([2, 21]))], key: "q", value: "v"),
      .dictionary(
        [.objectPath("/a"): .dictionary([.string("org.i"): .options(["x": .boolean(true)])], key: "s", value: "a{sv}")],
        key: "o", value: "a{sa{sv}}"),
      .structure([.int32(1), .structure([.string("inner")])]), .variant(.variant(.variant(.octet(3)))),
    ]
    let answer = await client.call("Echo", on: TestService.name, values)
    #expect(try answer.get() == values)
    _ = service
  }

  @Test("I12.2 a call that the other side refuses, does not know or drops is an error of that call")
  func errors() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    func error(_ answer: Result<[BusValue], BusError>) -> String? {
      if case .failure(let error) = answer { error.name } else { nil }
    }
    let refused = await client.call("Fail", on: TestService.name)
    #expect(refused == .failure(BusError("org.example.Error.Sour", "The milk is.")))
    #expect(error(await client.call("Nothing", on: TestService.name)) == BusError.unknownMethod)
    #expect(error(await client.call("Drop", on: TestService.name)) == BusError.failed)
    #expect(error(await client.call("Echo", of: "org.example.Other", on: TestService.name)) == BusError.unknownMethod)
    #expect(error(await client.call("Echo", at: "/else", on: TestService.name)) == BusError.unknownObject)
    #expect(error(await client.call("Echo", on: "org.example.Nobody")) == BusError.serviceUnknown)
    #expect(error(await client.call("Echo", at: "no path", on: TestService.name)) == BusError.invalidArguments)
    let zero = await client.call("Echo", on: TestService.name, [.string("a\0b")])
    #expect(error(zero) == BusError.invalidArguments)
    let mixed = await client.call("Echo", on: TestService.name, [.array(of: "s", [.uint16(1)])])
    #expect(error(mixed) == BusError.invalidArguments)
    #expect(error(await client.call("Hold", on: TestService.name, timeout: .milliseconds(20))) == BusError.noReply)
    #expect(try await client.call("Echo", on: TestService.name, [.octet(1)]).get() == [.octet(1)])
    _ = service
  }

  @Test(
    "I12.2 a call that was cancelled has no completion, and a later answer does no harm"
  )
  func cancelled() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    try await client.run { bus in
      for count in 0..<100 {
        let call = bus.call("Hold", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) {
          _ in
          Issue.record("A cancelled call was completed.")
        }
        if count % 2 == 0 { call.cancel() }
      }
    }
    // The calls of one program arrive in order: with this one, all of them have.
    _ = await client.call("Echo", on: TestService.name)
    try await client.run { bus in
      for call in bus.calls.values { call.cancel() }
      #expect(bus.calls.isEmpty)
    }
    let object = service.object
    let held = try await service.peer.run { _ in
      let held = object.value.held.count
      for request in object.value.held { request.answer([.octet(1)]) }
      object.value.held = []
      return held
    }
    #expect(held == 100)
    #expect(try await client.call("Echo", on: TestService.name, [.octet(1)]).get() == [.octet(1)])
  }

  @Test("I12.2 calls are cancelled, and everything is released, inside the callbacks that this causes")
  func releaseInside() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    /// Owns all that it waits for, and releases it in the first callback.
    final class Owner {
      var calls: [BusCall] = []
      var registrations: [BusRegistration] = []
      var others: MessageBus?
    }
    let address = bus.address
    let loop = client.loop
    _ = await client.wait { (bus: MessageBus, done: @escaping @Sendable (Bool) -> Void) in
      let owner = Owner()
      for _ in 0..<3 {
        owner.calls.append(
          bus.call("Echo", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) {
            [weak owner] _ in
            guard let owner else {
              Issue.record("Its owner had let go of this call.")
              return
            }
            for call in owner.calls { call.cancel() }
            owner.calls = []
            owner.registrations = []
            owner.others = nil
            done(true)
          })
      }
      owner.registrations.append(
        bus.listen(to: nil, of: TestObject.interface, at: nil, from: TestService.name) { _ in })
      owner.others = try? MessageBus(address, loop: loop)
      owner.others?.call("Hold", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) {
        [owner] _ in
        owner.calls = []
      }
    }
    // A registration that ends itself in its own handler, and a bus that is closed in an answer.
    let other = try BusPeer(on: bus, "other")
    _ = await other.wait { (bus: MessageBus, done: @escaping @Sendable (Bool) -> Void) in
      final class Box { var registration: BusRegistration? }
      let box = Box()
      box.registration = bus.watchOwner(of: TestService.name) { _ in
        box.registration = nil
        bus.call("Echo", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) { _ in
          bus.close()
          done(true)
        }
      }
    }
    #expect(try await client.call("Echo", on: TestService.name, [.octet(1)]).get() == [.octet(1)])
    _ = service
  }

  @Test("I12.2 the bus is killed: every call fails, names lose their owners, and the end is reported once")
  func killed() async throws {
    let bus = try PrivateBus()
    let service = try await TestService(on: bus)
    let client = try BusPeer(on: bus)
    final class Seen {
      var events: [String] = []
      var watch: BusRegistration?
    }
    let seen = LoopBound(Seen())
    _ = await client.wait { (bus: MessageBus, done: @escaping @Sendable (Bool) -> Void) in
      seen.value.watch = bus.watchOwner(of: TestService.name) { owner in
        seen.value.events.append(owner == nil ? "no owner" : "owner")
        if owner != nil { done(true) }
      }
    }
    let pending = await client.wait { (client: MessageBus, done: @escaping @Sendable ([String]) -> Void) in
      client.ended = { done(seen.value.events + ["ended"]) }
      client.call("Hold", of: TestObject.interface, at: TestObject.path, on: TestService.name, timeout: nil) { answer in
        if case .failure = answer { seen.value.events.append("failed") }
      }
      Task.detached { bus.kill() }
    }
    #expect(pending == ["owner", "failed", "no owner", "ended"])
    let after = await client.call("Echo", on: TestService.name)
    #expect(after == .failure(BusError(BusError.disconnected, "The message bus is disconnected.")))
    _ = service
  }

  @Test("I12.2 a missing bus is an error that names it")
  func missing() async throws {
    let loop = DispatchStackLoop()
    let error = loop.queue.sync {
      do throws(BusError) {
        _ = try MessageBus(.address("unix:path=/nonexistent/bus"), loop: loop)
        return BusError?.none
      } catch {
        return error
      }
    }
    #expect(error?.name == BusError.noServer)
    #expect(error?.message == "Connecting to the message bus at unix:path=/nonexistent/bus: No such file or directory")
  }
}
