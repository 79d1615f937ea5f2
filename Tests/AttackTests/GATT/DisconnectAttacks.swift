import BLECore
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Links that end during operations of several steps. Each operation ends at most once, and no callback comes after the end
/// of its link.
@Suite("A6 disconnections during operations", .keepsCapture)
struct DisconnectAttacks {
  enum Operation: CaseIterable {
    case longWrite, longRead, reads, subscription, walk, commands

    func start(_ program: CentralApp) {
      switch self {
      case .longWrite: program.write(Data(count: 200), to: "FF32")
      case .longRead: program.read("FF32")
      case .reads: for _ in 0..<5 { program.read("FF31") }
      case .subscription:
        for isOn in [true, false, true] { program.notify(isOn, "FF32") }
      case .walk: program.walk()
      case .commands:
        for number in UInt8(0)..<30 { program.write(Data([number]), to: "FF32", type: .withoutResponse) }
        program.write(Data([99]), to: "FF32")
      }
    }

    /// The largest number of answers.
    var answerLimit: Int {
      switch self {
      case .longWrite, .longRead, .commands: 1
      case .reads: 5
      case .subscription: 3
      case .walk: 0
      }
    }
  }

  enum End: CaseIterable { case instead, before, after, silence }

  @Test("A6 a peer that disconnects at any request of an operation", arguments: Operation.allCases, End.allCases)
  func clientOperations(_ operation: Operation, _ end: End) async throws {
    let server = OpenServer(length: 200)
    let scene = try await AttackedExplorer.start(server) { $0.receiveMTU = ATTLimits.defaultMTU }
    for step in 1...12 {
      let attacker = scene.attacker
      var requests = 0
      attacker.forgeAttribute = { _, answer in
        requests += 1
        guard requests == step else { return [answer] }
        switch end {
        case .silence: attacker.cutPower()
        default: attacker.disconnect()
        }
        return end == .instead || end == .silence ? [] : end == .before ? [answer] : [answer, answer]
      }
      scene.program.forget()
      operation.start(scene.program)
      await scene.world.advance(by: .seconds(end == .silence ? 8 : 2))
      let told = scene.program.told
      guard requests >= step else {
        // All requests were answered before: there is no such request.
        #expect(attacker.isConnected && told.count == operation.answerLimit, "step \(step): \(told)")
        break
      }
      #expect(told.count { $0.hasPrefix("disconnected") } == 1, "step \(step): \(told)")
      #expect(told.last?.hasPrefix("disconnected") == true, "step \(step): \(told)")
      #expect(told.count - 1 <= operation.answerLimit, "step \(step): \(told)")
      #expect(scene.program.peripheral?.state == .disconnected)
      // The next link works like the first.
      attacker.forgeAttribute = { [$1] }
      attacker.restorePower()
      scene.program.forget()
      scene.program.connect()
      try await scene.world.wait(within: .seconds(20)) {
        scene.program.told.first == "connected Hostile" && scene.program.isDone
      }
      #expect(scene.program.isWalkSound, "step \(step)")
    }
  }

  @Test(
    "A6 a central that disconnects while values wait for it, confirmed or not: the program is ready exactly once",
    arguments: ["0100", "0200"])
  func pendingUpdates(_ configuration: String) async throws {
    let scene = try await AttackedShelf.start(attackers: 2)
    let (leaving, staying) = (scene.attackers[0], scene.attackers[1])
    for step in 0..<10 {
      #expect(await leaving.ask("12\(Shelf.configuration)\(configuration)") == ["13"])
      let before = scene.program.told.count { $0 == "ready" }
      // As many as the program may have pending, and one that is refused.
      var count = 0
      while count < 1_000, scene.program.update("value \(count)") { count += 1 }
      #expect(count < 1_000)
      await scene.world.advance(by: .milliseconds(7 * step))
      leaving.disconnect()
      try await scene.world.wait(within: .seconds(5)) { !leaving.isConnected }
      await scene.world.advance(by: .seconds(1))
      #expect(scene.program.told.count { $0 == "ready" } == before + 1, "step \(step)")
      #expect(scene.program.centrals.isEmpty)
      #expect(await scene.serves(staying))
      try await scene.connect(leaving)
    }
  }

  @Test(
    "A6 a central that disconnects with prepared writes, or with an unanswered request, leaves nothing behind"
  )
  func pendingRequests() async throws {
    let scene = try await AttackedShelf.start()
    for requests in [
      ["16\(Shelf.own)000061"], ["16\(Shelf.own)000061", "1801"], ["0a\(Shelf.own)"], ["0c\(Shelf.own)0100"],
      ["12\(Shelf.own)61"], ["0e\(Shelf.own)\(Shelf.own)"], ["20\(Shelf.own)\(Shelf.own)"], ["080100ffff32ff"],
    ] {
      scene.program.answersRequests = false
      for request in requests { _ = await scene.attacker.ask(request) }
      try await scene.disconnect(scene.attacker)
      try await scene.connect(scene.attacker)
      scene.attacker.forgetWhatCame()
      // The program answers the request of a link that has ended: the answer is dropped.
      scene.program.answersRequests = true
      scene.program.answerWaiting()
      await scene.world.advance(by: .milliseconds(300))
      #expect(scene.attacker.attributePDUs.isEmpty, "\(requests)")
      let writes = scene.program.writes.count
      #expect(await scene.attacker.ask("1801") == ["19"])
      #expect(scene.program.writes.count == writes, "\(requests)")
    }
  }
}
