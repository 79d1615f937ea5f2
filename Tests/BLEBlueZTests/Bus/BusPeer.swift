import BLECore
import BLEHCI
import Dispatch
import Testing

@testable import BLEBlueZ

/// One program on a bus, with a loop of its own.
final class BusPeer: Sendable {
  let loop: DispatchStackLoop
  private let bus: LoopBound<MessageBus>

  init(on bus: PrivateBus, _ label: String = "peer") throws {
    let loop = DispatchStackLoop(label: label)
    let address = bus.address
    self.loop = loop
    self.bus = try loop.queue.sync { LoopBound(try MessageBus(address, loop: loop)) }
  }

  deinit { loop.queue.async { [bus] in bus.value.close() } }

  /// Runs `body` on the loop.
  func run<Result: Sendable>(_ body: @escaping @Sendable (MessageBus) throws -> Result) async throws -> Result {
    let bus = bus
    return try await withCheckedThrowingContinuation { continuation in
      loop.queue.async { continuation.resume(with: Swift.Result { try body(bus.value) }) }
    }
  }

  /// Runs `body` on the loop and waits until its completion was called.
  func wait<Result: Sendable>(
    _ body: @escaping @Sendable (MessageBus, @escaping @Sendable (Result) -> Void) -> Void
  ) async -> Result {
    let bus = bus
    return await withCheckedContinuation { continuation in
      loop.queue.async { body(bus.value) { continuation.resume(returning: $0) } }
    }
  }

  func call(
    _ member: String, of interface: String = TestObject.interface, at path: String = TestObject.path,
    on destination: String, _ arguments: [BusValue] = [], timeout: StackDuration? = nil
  ) async -> Result<[BusValue], BusError> {
    await wait { bus, done in
      bus.call(member, of: interface, at: path, on: destination, arguments, timeout: timeout) { done($0) }
    }
  }

  /// Owns a name, so that others find it.
  func own(_ name: String) async throws {
    let answer = await call(
      "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: "org.freedesktop.DBus",
      [.string(name), .uint32(4)])
    #expect(try answer.get() == [.uint32(1)])
  }
}

/// An object with the methods that the tests call. On the loop of its peer.
final class TestObject: ExportedObject {
  static let interface = "org.example.Test1"
  static let path = "/org/example/test"

  var interfaces: [String] { [Self.interface] }
  var held: [BusRequest] = []
  /// The answer of `Make`.
  var made: [BusValue] = []

  func properties(of interface: String) -> [String: BusValue] { ["Number": .uint16(7), "Name": .string("test")] }

  func handle(_ request: BusRequest) {
    switch request.member {
    case "Echo": request.answer(request.arguments)
    case "Fail": request.refuse(BusError("org.example.Error.Sour", "The milk is."))
    case "Hold": held.append(request)
    case "Drop": break
    case "Make": request.answer(made)
    default: request.refuse(BusError(BusError.unknownMethod, "What?"))
    }
  }
}

/// A peer that exports a `TestObject` under a name.
struct TestService {
  static let name = "org.example.Service"
  let peer: BusPeer
  let object = LoopBound(TestObject())
  let registration: LoopBound<BusRegistration>

  init(on bus: PrivateBus, name: String = Self.name) async throws {
    peer = try BusPeer(on: bus, "service")
    let object = object
    registration = try await peer.run { LoopBound(try $0.export(object.value, at: TestObject.path)) }
    try await peer.own(name)
  }
}
