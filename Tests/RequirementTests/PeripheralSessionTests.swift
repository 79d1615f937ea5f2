import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@Suite("A1: the peripheral's session", .keepsCapture)
struct PeripheralSessionTests {
  private static let line = CharacteristicPath("FF22", in: "FF11")

  /// A peripheral with one line that keeps what is written, and a session with it.
  private static func make(
    in world: World, kept: Locked<Data>
  ) async throws -> (peripheral: PeripheralSession, session: DeviceSession) {
    let peripheral = PeripheralSession(
      services: [
        ServiceDeclaration(
          CBUUID(string: "FF11"),
          [
            .dynamic(
              line.characteristic, read: { _ in .value(kept.value) },
              write: { access, value in
                guard access.offset == 0, value != Data("no".utf8) else { return .unlikelyError }
                kept.value = value
                return .success
              }, push: .notify)
          ])
      ], options: world.makeDevice("other").options, clock: world.clock)
    try await world.perform {
      try await peripheral.start(
        advertising: AdvertisingPlan(localName: "My dear", services: [CBUUID(string: "FF11")]))
    }
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    await world.settle()
    let session = central.session(with: .first(.names(["My dear"])))
    try await world.perform { try await session.connect() }
    return (peripheral, session)
  }

  @Test("R1.7 R1.8 handlers answer reads of any length, take long writes whole, and refuse with their own error")
  func values() async throws {
    let world = World()
    let kept = Locked(Data())
    let (peripheral, session) = try await Self.make(in: world, kept: kept)
    let long = Data((0..<400).map { UInt8(truncatingIfNeeded: $0) })
    try await world.perform { try await session.write(long, to: Self.line) }
    #expect(kept.value == long)
    #expect(try await world.perform { try await session.read(Self.line) } == long)
    let refused = world.start { try await session.write(Data("no".utf8), to: Self.line) }
    try await world.wait(within: .seconds(5)) { refused.isOver }
    #expect(refused.error(as: SessionError.self)?.attError == .unlikelyError)
    #expect(kept.value == long)
    withExtendedLifetime(peripheral) {}
  }

  @Test("R1.9 a thousand updates wait for room: none lost, none doubled, in order")
  func pushes() async throws {
    let world = World()
    let (peripheral, session) = try await Self.make(in: world, kept: Locked(Data()))
    let heard = Locked<[Int]>([])
    let listening = world.start {
      for await value in session.notifications(from: Self.line, buffering: .all) {
        heard.change { $0.append(Int(UInt32(octets: value, order: .bigEndian) ?? 0)) }
      }
    }
    defer { listening.cancel() }
    await world.advance(by: .seconds(1))
    try await world.perform {
      for number in UInt32(0)..<1_000 { try await peripheral.push(number.octets(order: .bigEndian), to: Self.line) }
    }
    try await world.wait(within: .seconds(60)) { heard.value.count == 1_000 }
    #expect(heard.value == Array(0..<1_000))
    let long = world.start { try await peripheral.push(Data(count: 600), to: Self.line) }
    try await world.wait(within: .seconds(5)) { long.isOver }
    #expect(long.error(as: SessionError.self)?.code == .invalid)
  }

  @Test("I13.1 channels that are published at the same time each have their PSM, and their own handler")
  func channels() async throws {
    let world = World()
    let (peripheral, session) = try await Self.make(in: world, kept: Locked(Data()))
    let opened = Locked<[Int]>([])
    let published = (0..<3).map { number in
      world.start {
        try await peripheral.publishChannel(requiresEncryption: false) { _ in opened.change { $0.append(number) } }
      }
    }
    try await world.wait(within: .seconds(5)) { published.allSatisfy(\.isOver) }
    for number in [2, 0, 1] {
      let multiplexer = try await published[number].value
      let channel = try await world.perform { try await session.openedChannel(multiplexer) }
      try await world.wait(within: .seconds(5)) { opened.value.last == number }
      withExtendedLifetime(channel) {}
    }
    #expect(opened.value == [2, 0, 1])
    withExtendedLifetime(peripheral) {}
  }

  @Test("R1.5 data that will not fit into an advertisement is reported beforehand")
  func plans() {
    #expect(AdvertisingPlan(localName: "My dear", services: [CBUUID(string: "FF11")]).problems.isEmpty)
    #expect(AdvertisingPlan(localName: String(repeating: "n", count: 40)).problems.count == 1)
    let many = (0..<3).map { _ in CBUUID(nsuuid: UUID()) }
    #expect(AdvertisingPlan(services: many).problems.count == 1)
    #expect(AdvertisingPlan(services: many).serviceOctets == 50)
  }
}
