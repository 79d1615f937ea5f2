import BLEAdapter
import CoreBluetooth
import Testing

@testable import BLESession

/// A peripheral session where events come in an order, or at a moment, that a radio does not produce reliably.
@Suite("A peripheral session on a scripted adapter")
struct ScriptedSessionTests {
  private let adapter = ScriptedAdapter()
  private let queue = DispatchQueue(label: "session")
  /// What happened, in order.
  private let lines = Guarded<[String]>([])

  /// A session that has published two characteristics. They refuse values that begin with 0.
  private func start() async -> PeripheralCore {
    let characteristics = ["FF22", "FF23"].map { uuid in
      CharacteristicDeclaration.dynamic(
        CBUUID(string: uuid),
        write: { [lines] access, value in
          lines.with { $0.append("\(uuid) asked for \(Array(value)) at \(access.offset)") }
          return value.first == 0 ? .unlikelyError : .success
        })
    }
    let core = queue.sync {
      PeripheralCore(
        queue: queue, services: [ServiceDeclaration(CBUUID(string: "FF11"), characteristics)], options: adapter.options,
        clock: SystemSessionClock())
    }
    await adapter.settle()
    queue.sync {
      core.observers.append { [lines] event in
        guard case .wrote(_, let path, let value) = event else { return }
        lines.with { $0.append("\(path.characteristic.uuidString) wrote \(Array(value))") }
      }
      core.start(nil, Reply())
    }
    await adapter.settle()
    return core
  }

  @Test("R1.7 I13.1 prepared writes are reported once all of them are accepted, and none if one is refused")
  func preparedWrites() async throws {
    let core = await start()
    let services = adapter.peripheral.services.values
    let identifiers = try #require(services.first).characteristics.map(\.identifier)
    func write(_ number: UInt64, _ last: [UInt8]) async {
      let parts: [(index: Int, offset: Int, value: [UInt8])] = [(0, 0, [1, 2]), (0, 2, [3]), (1, 0, last)]
      let writes = parts.map {
        LocalWrite(characteristic: identifiers[$0.index], offset: $0.offset, value: $0.value[...])
      }
      await adapter.peripheral.tell {
        $0.peripheral(
          didReceiveWrites: TransactionIdentifier(rawValue: number), writes, needsResponse: true, from: .first)
      }
      await adapter.settle()
    }
    let asked = "FF22 asked for [1, 2, 3] at 0"
    await write(1, [0])
    #expect(lines.with { $0 } == [asked, "FF23 asked for [0] at 0"])
    lines.with { $0 = [] }
    await write(2, [4])
    #expect(lines.with { $0 } == [asked, "FF23 asked for [4] at 0", "FF22 wrote [1, 2, 3]", "FF23 wrote [4]"])
    #expect(adapter.peripheral.responses.map(\.transaction.rawValue) == [1, 2])
    #expect(adapter.peripheral.responses.map(\.result) == [0x0E, 0])
    withExtendedLifetime(core) {}
  }

  @Test(
    "I13.1 all publications of channels that are unanswered fail when Bluetooth is lost, and later ones succeed",
    arguments: [AdapterState.resetting, .poweredOff, .unsupported, .unauthorized])
  func lostPublications(state: AdapterState) async {
    let core = await start()
    adapter.peripheral.answersChannels = false
    publish(3, on: core)
    await adapter.settle()
    #expect(lines.with { $0 } == [])
    await adapter.setState(state)
    #expect(lines.with { $0 } == Array(repeating: "unavailable", count: 3))
    // Answers that come too late are ignored.
    adapter.peripheral.answerChannels()
    await adapter.setState(.poweredOn)
    adapter.peripheral.answersChannels = true
    publish(2, on: core)
    await adapter.settle()
    #expect(lines.with { Array($0.dropFirst(3)) } == ["published 128", "published 128"])
  }

  @Test("I13.1 all publications of channels that are unanswered are cancelled when the session ends")
  func endedPublications() async {
    let core = await start()
    adapter.peripheral.answersChannels = false
    publish(2, on: core)
    await adapter.settle()
    queue.sync { core.close() }
    #expect(lines.with { $0 } == Array(repeating: "cancelled", count: 2))
  }

  private func publish(_ count: Int, on core: PeripheralCore) {
    queue.sync {
      for _ in 0..<count {
        let reply = Reply<CBL2CAPPSM>()
        reply.whenSucceeded = { [lines] multiplexer in lines.with { $0.append("published \(multiplexer)") } }
        reply.whenFailed = { [lines] error in lines.with { $0.append(error.code.rawValue) } }
        core.publishChannel(requiresEncryption: false, reply) { _ in }
      }
    }
  }
}
