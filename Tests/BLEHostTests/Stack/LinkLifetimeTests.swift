import BLEAdapter
import BLECore
import BLEVirtualRadio
import Testing

@testable import BLEHost

/// The objects of a link are released with it.
@Suite struct LinkLifetimeTests {
  /// How a link ends.
  enum Ending: CaseIterable {
    case disconnection
    /// The controller does not answer a command.
    case reset
    /// The last reference to the stack is released while the link is being ended.
    case release
  }

  private final class Parts {
    private weak var channels: L2CAPLink?
    private weak var bearer: ATTBearer?
    private weak var serverLink: GATTServerLink?
    private weak var database: RemoteDatabase?
    private weak var security: SecurityManager?

    init(_ connection: HostConnection) {
      channels = connection.channels
      bearer = connection.bearer
      serverLink = connection.serverLink
      database = connection.database
      security = connection.security
    }

    /// The objects that are not released.
    var left: [String] {
      let parts: [(any AnyObject)?] = [channels, bearer, serverLink, database, security]
      return parts.compactMap { $0.map { "\(type(of: $0))" } }
    }
  }

  @Test("I13.3 no object of a link is left, however the link ends", arguments: Ending.allCases)
  func noObjectIsLeft(ending: Ending) async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    weak let stack = phone.stack
    let parts: Parts
    do {
      let central = try await world.connectChat(from: phone)
      parts = Parts(try #require(stack?.connections.all.first))
      #expect(parts.left.count == 5)
      await world.perform {
        // A request that is not answered any more.
        central.link.read(AttributeHandle(3)) { _ in }
        if ending == .reset { phone.controller?.inject(.ignoreCommands(count: 1)) }
        if ending == .reset { central.role.startScan(ScanParameters()) } else { central.role.close() }
      }
      if ending == .release {
        central.drop()
        phone.releaseStack()
      }
    }
    await world.advance(.seconds(60))
    #expect(parts.left == [])
    #expect((stack == nil) == (ending == .release))
  }

  @Test("I13.1 the completion of each frame is called once, whether the frame was sent, queued or too late")
  func completionsOfFrames() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let channels = try #require(phone.stack.connections.all.first?.channels)
    var calls = Array(repeating: 0, count: 200)
    func send(_ numbers: Range<Int>) {
      for number in numbers {
        var payload = ByteWriter(headroom: L2CAPLink.payloadHeadroom, capacity: 203)
        // A write command to an attribute that does not exist.
        payload.append(contentsOf: [0x52, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 200))
        channels.send(payload, on: .attributeProtocol) { calls[number] += 1 }
        #expect(calls[number] == 0, "not inside the call")
      }
    }
    await world.perform {
      send(0..<150)
      #expect(channels.queuedFrames > 100)
      phone.controller?.failHardware(code: 1)
    }
    try await world.wait { phone.stack.connections.all.isEmpty }
    #expect(calls[..<150].allSatisfy { $0 == 1 })
    await world.perform { send(150..<200) }
    await world.advance(.seconds(10))
    #expect(calls == Array(repeating: 1, count: 200))
    withExtendedLifetime(central) {}
  }
}
