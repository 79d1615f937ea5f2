import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// What a session does with attributes other than values of characteristics, and its answers to subscriptions.
@Suite("The attributes of a session", .keepsCapture)
struct SessionAttributesTests {
  private func connected(
    in world: World, _ configuration: SessionConfiguration = SessionConfiguration()
  ) async throws -> (session: DeviceSession, program: PeripheralApp) {
    let program = Devices.owenli(on: world.makeDevice("other"))
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    await world.settle()
    let session = central.session(with: .first(.names(["Owenli"])), configuration: configuration)
    try await world.perform { try await session.connect() }
    return (session, program)
  }

  @Test(
    "I13.4 services, included services and descriptors are discovered, and a descriptor has the type that Apple gives it"
  )
  func attributes() async throws {
    let world = World()
    let (session, program) = try await connected(in: world)
    // Without it the device would withdraw its services.
    defer { withExtendedLifetime(program) {} }
    let services = try await world.perform { await session.services() }
    #expect(
      services.map(\.uuid.uuidString) == ["FFF0", "FFE0"] && services.allSatisfy { $0.isPrimary && $0.instance == 0 })
    let first = try #require(services.first)
    #expect(try await world.perform { try await session.includedServices(of: first) } == [])
    let named = CharacteristicPath("FFF2", in: "FFF0")
    let descriptors = try await world.perform { try await session.descriptors(of: named) }
    let description = try #require(descriptors.first { $0.uuid.uuidString == "2901" })
    #expect(try await world.perform { try await session.read(description) } == .text("name"))
    let missing = CharacteristicPath("FFF9")
    await #expect(throws: SessionError(.notFound, "the device has no characteristic FFF9")) {
      try await world.perform { _ = try await session.descriptors(of: missing) }
    }
  }

  @Test("I12.2 a session without services to discover is ready, and reads nothing of the device's database")
  func noServices() async throws {
    let world = World()
    let (session, program) = try await connected(in: world, SessionConfiguration(services: []))
    defer { withExtendedLifetime(program) {} }
    #expect(await session.state == .ready)
    #expect(try await world.perform { await session.services() }.isEmpty)
    await #expect(throws: SessionError(.notFound, "the device has no characteristic FFF1")) {
      try await world.perform { _ = try await session.read(CharacteristicPath("FFF1")) }
    }
    #expect(world.attributeRequests <= 1, "only the MTU is exchanged")
  }

  @Test("I13.4 a subscription returns when the device has agreed, and one that it refuses is not kept")
  func subscriptions() async throws {
    let world = World()
    let (session, program) = try await connected(in: world)
    let observation = try await world.perform {
      try await session.subscribe(to: CharacteristicPath("FFF1", in: "FFF0")) { _ in }
    }
    #expect(program.events.contains(.subscribed("FFF1")))
    observation.cancel()
    await world.settle()
    #expect(program.events.contains(.unsubscribed("FFF1")))
    await #expect {
      try await world.perform { _ = try await session.subscribe(to: CharacteristicPath("FFE1")) { _ in } }
    } throws: {
      ($0 as? SessionError)?.attError == .requestNotSupported
    }
  }

  @Test("I13.4 a write with response to a characteristic that cannot be written fails as the device answers")
  func refusedWrite() async throws {
    let world = World()
    let (session, program) = try await connected(in: world)
    // Without it the device would withdraw its services.
    defer { withExtendedLifetime(program) {} }
    await #expect {
      try await world.perform { try await session.write(Data([1]), to: CharacteristicPath("FFE1")) }
    } throws: {
      ($0 as? SessionError)?.attError == .writeNotPermitted
    }
  }
}
