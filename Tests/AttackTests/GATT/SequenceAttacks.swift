import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Peers that send requests without waiting for the answers, in both roles.
@Suite("A7 the sequential protocol", .keepsCapture)
struct SequenceAttacks {
  @Test(
    "A7 requests before the answer to the previous one are ignored; that one is answered, and the next one works")
  func overlappingRequests() async throws {
    let scene = try await AttackedShelf.start()
    scene.program.answersRequests = false
    #expect(await scene.attacker.ask("0a\(Shelf.own)") == [])
    let requests = [
      "0a1200", "0a1400", "0c14000000", "020001", "0401001000", "10010010000028", "12140061", "1801", "3f",
    ]
    let answers = await scene.flood(requests.compactMap { [UInt8](hexadecimal: $0) }, from: scene.attacker)
    // A PDU that is no request of the protocol is refused immediately: it starts no transaction.
    #expect(answers == [[0x01, 0x3F, 0, 0, 0x06]])
    #expect(scene.program.waiting.count == 1 && scene.program.writes.isEmpty)
    scene.attacker.forgetWhatCame()
    scene.program.answerWaiting()
    await scene.world.advance(by: .milliseconds(200))
    #expect(scene.attacker.attributePDUs == [[0x0B] + Array("own".utf8)])
    // Commands and confirmations may come at any time.
    scene.program.answersRequests = true
    #expect(await scene.serves(scene.attacker))
  }

  @Test("A7 a program that never answers delays its own client only; another is served, and both after that")
  func otherClients() async throws {
    let scene = try await AttackedShelf.start(attackers: 2)
    scene.program.answersRequests = false
    #expect(await scene.attackers[0].ask("0a\(Shelf.own)") == [])
    await scene.world.advance(by: .seconds(60))
    #expect(await scene.serves(scene.attackers[1]))
    #expect(scene.attackers.allSatisfy { $0.isConnected })
    scene.program.answersRequests = true
    scene.program.answerWaiting()
    await scene.world.advance(by: .milliseconds(200))
    #expect(await scene.serves(scene.attackers[0]))
  }

  @Test("A7 responses without a request, and of the wrong type, are dropped; the right one still counts")
  func wrongResponses() async throws {
    let scene = try await AttackedExplorer.start()
    let responses: [[UInt8]] = [
      [0x01, 0x0A, 0x16, 0x00, 0x0E], [0x03, 0x17, 0x00], [0x05, 0x01, 0x16, 0x00, 0x31, 0xFF], [0x07, 1, 0, 2, 0],
      [0x09, 0x03, 0x16, 0x00, 0x61], [0x0B, 0x62, 0x61, 0x64], [0x0D, 0x62, 0x61, 0x64], [0x0F, 0x61],
      [0x11, 4, 1, 0, 2, 0],
      [0x13], [0x17, 0x16, 0x00, 0x00, 0x00], [0x19], [0x21, 1, 0, 0x61],
    ]
    scene.program.forget()
    for response in responses { scene.attacker.sendAttributePDU(response) }
    await scene.world.advance(by: .milliseconds(500))
    #expect(scene.program.told.isEmpty)
    // Before the answer all responses except those of the right type, and errors about other requests.
    scene.attacker.forgeAttribute = { request, answer in
      guard request.first == 0x0A else { return [answer] }
      return responses.filter { $0[0] != 0x0B && $0[0] != 0x01 } + [[0x01, 0x0C, 0x16, 0x00, 0x0E]] + [answer, answer]
    }
    scene.program.read("FF31")
    scene.program.read("FF41")
    await scene.world.advance(by: .seconds(1))
    // The first answer came twice: the second one is taken for an answer to the following request, as it must be.
    #expect(scene.program.told.first == "value FF31 " + Array("honest".utf8).hexadecimal)
    #expect(scene.program.told.count == 2)
    scene.attacker.forgeAttribute = { [$1] }
    scene.program.forget()
    scene.program.read("FF41")
    await scene.world.advance(by: .seconds(1))
    #expect(scene.program.told.count == 1)
    #expect(scene.attacker.isConnected)
  }

  @Test("A7 a request without an answer ends the link after 30 s, and later answers are dropped")
  func timeOut() async throws {
    let scene = try await AttackedExplorer.start()
    scene.attacker.forgeAttribute = { $0.first == 0x0A ? [] : [$1] }
    scene.attacker.forgetWhatCame()
    scene.program.forget()
    scene.program.read("FF31")
    scene.program.read("FF41")
    await scene.world.advance(by: .seconds(29))
    // Unsolicited PDUs do not extend the transaction, nor do answers to other requests.
    for _ in 0..<10 { scene.attacker.sendAttributePDU([0x0D, 0x61]) }
    await scene.world.advance(by: .milliseconds(800))
    #expect(scene.program.told.isEmpty && scene.attacker.isConnected)
    await scene.world.advance(by: .seconds(2))
    #expect(!scene.attacker.isConnected)
    // The unanswered request, the one after it, which was never sent, and the link: each ends once.
    let (timedOut, notConnected) = (CBError.connectionTimeout.rawValue, CBError.notConnected.rawValue)
    #expect(
      scene.program.told == [
        "value FF31 error \(timedOut)", "value FF41 error \(notConnected)", "disconnected Hostile error \(timedOut)",
      ])
    #expect(scene.attacker.attributePDUs.count { $0.first == 0x0A } == 1)
    // A new link is a new bearer.
    scene.attacker.forgeAttribute = { [$1] }
    scene.program.forget()
    scene.program.connect()
    try await scene.world.wait(within: .seconds(20)) {
      scene.program.told.first == "connected Hostile" && scene.program.isDone
    }
    scene.program.read("FF31")
    await scene.world.advance(by: .seconds(1))
    #expect(scene.program.told.last == "value FF31 " + Array("honest".utf8).hexadecimal)
  }

  @Test("A7 a peer that answers each request only after 29 s is slow, not dead")
  func slow() async throws {
    let scene = try await AttackedExplorer.start()
    var held: [[UInt8]] = []
    scene.attacker.forgeAttribute = { request, answer in
      if request.first == 0x0A { held.append(answer) }
      return request.first == 0x0A ? [] : [answer]
    }
    scene.program.forget()
    for round in 1...4 {
      scene.program.read("FF31")
      await scene.world.advance(by: .seconds(29))
      #expect(held.count == round)
      scene.attacker.sendAttributePDU(held[round - 1])
      await scene.world.advance(by: .milliseconds(100))
      #expect(scene.program.told.count == round)
    }
    #expect(scene.attacker.isConnected)
  }
}
