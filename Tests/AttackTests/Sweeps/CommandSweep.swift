import BLETestKit
import Testing

/// Every command of the Security Manager in every state of a pairing, against a whole stack in either role, over the radio.
@Suite("Command sweep")
struct CommandSweep {
  /// Where the extra command is inserted.
  private struct Place {
    let index: Int
    /// What the victim waits for.
    let next: UInt8?
    let isLast: Bool
    /// After the command with this index and not before it: the victim waits for the link to be encrypted.
    var isBehind = false
  }

  /// The hostile device's commands in an undisturbed pairing, and the places in it. Of the twenty rounds of Passkey Entry,
  /// the first and the last.
  private func places(_ victim: CommandSweepScene.Victim, _ kind: CommandSweepKind) async throws -> [Place] {
    let scene = try await CommandSweepScene(victim, kind)
    let sent = Sent()
    scene.attacker.forge = { command in
      sent.codes.append(command[0])
      return [command]
    }
    await scene.pair()
    #expect(await scene.isOpenedUp())
    #expect(scene.isPaired)
    let codes = sent.codes
    let proof = codes.lastIndex(of: kind.isSecureConnections ? 0x0D : 0x04)
    var places = codes.indices.map { Place(index: $0, next: codes[$0], isLast: $0 == codes.count - 1) }
    if codes.count > 12 { places = places.filter { $0.index < 6 || $0.index >= codes.count - 6 } }
    // Between the proof and encryption neither side sends a command.
    if let proof { places.append(Place(index: proof, next: nil, isLast: false, isBehind: true)) }
    return places
  }

  private final class Sent: @unchecked Sendable {
    var codes: [UInt8] = []
  }

  @Test(
    "S8 every command in every state of every pairing, from both roles: only the right one advances, and the next works",
    arguments: CommandSweepScene.Victim.allCases, CommandSweepKind.allCases)
  func duringPairing(_ victim: CommandSweepScene.Victim, _ kind: CommandSweepKind) async throws {
    let places = try await places(victim, kind)
    var count = 0
    for place in places {
      for command in SecurityManagerCommands.all {
        try await put(command, into: place, victim, kind)
        count += 1
      }
    }
    #expect(count >= 6 * SecurityManagerCommands.all.count)
    print("commands against a \(victim.rawValue), \(kind.rawValue): \(places.count) states, \(count) runs")
  }

  private func put(
    _ command: [UInt8], into place: Place, _ victim: CommandSweepScene.Victim, _ kind: CommandSweepKind
  ) async throws {
    let note = Comment(rawValue: "\(kind) against a \(victim): code \(command[0]) at \(place)")
    let scene = try await CommandSweepScene(victim, kind)
    let sent = Sent()
    scene.attacker.forge = { own in
      defer { sent.codes.append(own[0]) }
      if sent.codes.count != place.index { return [own] }
      return place.isBehind ? [own, command] : [command, own]
    }
    await scene.pair()
    let reasons = scene.attacker.commands.filter { $0.first == 0x05 }
    switch Self.expected(command, place, victim) {
    case .ignored:
      #expect(scene.isPaired, note)
      #expect(await scene.isOpenedUp(), note)
    // The last command of all is accepted as it is.
    case .taken where place.isLast: #expect(scene.isPaired, note)
    case .taken: #expect(!reasons.isEmpty && !scene.isPaired, note)
    case .refused(let reason): #expect(reasons == [[0x05, reason]] && !scene.isPaired, note)
    case .over: #expect(reasons.isEmpty && !scene.isPaired, note)
    }
    if scene.isPaired { return }
    #expect(await !scene.isOpenedUp(), note)
    scene.attacker.forge = { [$0] }
    try await scene.reconnect()
    await scene.pair()
    #expect(scene.isPaired, note)
    #expect(await scene.isOpenedUp(), note)
  }

  private static func expected(
    _ command: [UInt8], _ place: Place, _ victim: CommandSweepScene.Victim
  ) -> SecurityManagerCommands.Outcome {
    // Before the Pairing Request there is no pairing that could be ended. An answer in spite of that ends it at the side that
    // has just requested one.
    if place.next == 0x01, command[0] != 0x01 {
      let answer = SecurityManagerCommands.answerOutsidePairing(to: command, victim: victim, isPaired: false)
      return answer.count == 2 ? .refused(answer[1]) : .ignored
    }
    return SecurityManagerCommands.outcome(of: command, expecting: place.next, victim: victim)
  }

  @Test(
    "S8 every command while the victim's user is asked: only the right one is kept, and a late answer changes nothing",
    arguments: CommandSweepScene.Victim.allCases, CommandSweepKind.allCases)
  func whileUserIsAsked(_ victim: CommandSweepScene.Victim, _ kind: CommandSweepKind) async throws {
    for command in SecurityManagerCommands.all {
      let note = Comment(rawValue: "\(kind) against a \(victim): code \(command[0])")
      let scene = try await CommandSweepScene(victim, kind, answers: false)
      let sent = Sent()
      scene.attacker.forge = { own in
        sent.codes.append(own[0])
        return [own]
      }
      await scene.pair()
      let request = try #require(scene.agent.asked.last, note)
      let before = scene.attacker.commands.count
      scene.attacker.sendCommand(command)
      await scene.world.advance(by: .milliseconds(200))
      CommandSweepScene.answer(request)
      await scene.world.advance(by: .seconds(4))
      let answers = scene.attacker.commands.dropFirst(before).filter { $0.first == 0x05 }
      // What the peer has already sent has its place: a repetition is refused.
      let next = Self.nextWhileAsked(victim, kind, sent: sent.codes.last)
      switch SecurityManagerCommands.outcome(of: command, expecting: next, victim: victim) {
      case .ignored: #expect(scene.isPaired, note)
      case .taken: #expect(!answers.isEmpty && !scene.isPaired, note)
      case .refused(let reason): #expect(Array(answers) == [[0x05, reason]] && !scene.isPaired, note)
      case .over: #expect(answers.isEmpty && !scene.isPaired, note)
      }
    }
  }

  /// A responder that asks its user can receive one command ahead, which it keeps; an initiator has to send first, and one
  /// that already has the command accepts no other.
  private static func nextWhileAsked(
    _ victim: CommandSweepScene.Victim, _ kind: CommandSweepKind, sent last: UInt8?
  ) -> UInt8? {
    guard victim == .peripheral else { return nil }
    let kept: UInt8 = kind == .justWorks || kind == .comparison ? 0x0D : 0x03
    return last == kept ? nil : kept
  }

  @Test(
    "S8 every command outside of a pairing, before one and after one: what begins nothing is not answered",
    arguments: CommandSweepScene.Victim.allCases, [false, true])
  func outsidePairing(_ victim: CommandSweepScene.Victim, afterPairing: Bool) async throws {
    for command in SecurityManagerCommands.all {
      let note = Comment(rawValue: "against a \(victim), after pairing \(afterPairing): code \(command[0])")
      let scene = try await CommandSweepScene(victim, .justWorks)
      if afterPairing { await scene.pair() }
      scene.attacker.forgetWhatCame()
      scene.attacker.forge = { _ in [] }
      scene.attacker.sendCommand(command)
      await scene.world.advance(by: .seconds(1))
      let expected = SecurityManagerCommands.answerOutsidePairing(
        to: command, victim: victim, isPaired: afterPairing)
      #expect(
        scene.attacker.commands.map { Array($0.prefix(expected.count)) } == (expected.isEmpty ? [] : [expected]), note)
      #expect(scene.isPaired == afterPairing, note)
      if afterPairing {
        #expect(await scene.isOpenedUp(), note)
        continue
      }
      scene.attacker.forge = { [$0] }
      try await scene.reconnect()
      await scene.pair()
      #expect(scene.isPaired, note)
      #expect(await scene.isOpenedUp(), note)
    }
  }
}
