import BLESession
import BLESessionCryptography
import Foundation
import Testing

@testable import BLEChat

@Suite("The chat's conversation")
struct ChatConversationTests {
  private static func message(_ number: Int, _ chance: inout SeededChance) -> Data {
    let count = [1, 15, 500, 5_000, 20_000][Int.random(in: 0..<5, using: &chance)]
    var content = Data("\(number):".utf8)
    content += Data(
      (0..<Int.random(in: 0..<count, using: &chance)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
    return content
  }

  @Test("R1.12 whatever is lost with a link, all messages arrive whole, in order and once", arguments: 1...12)
  func random(seed: Int) throws {
    var pair = ChatPair(seed: UInt64(seed), encrypted: seed.isMultiple(of: 2))
    var said: [[Data]] = [[], []]
    var breaks = 0
    var steps = 0
    while said.map(\.count).min() ?? 0 < 60 || pair.ends.contains(where: { !$0.talk.outbox.isEmpty }) {
      steps += 1
      try #require(steps < 400_000)
      let index = Int.random(in: 0...1, using: &pair.chance)
      switch Int.random(in: 0..<1_000, using: &pair.chance) {
      case 0..<20 where said[index].count < 60:
        let content = Self.message(said[index].count, &pair.chance)
        said[index].append(content)
        #expect(pair.ends[index].talk.outbox.append(content) == UInt32(said[index].count))
      case 20..<22 where pair.isUp:
        pair.disconnect()
        breaks += 1
      case 22..<60 where !pair.isUp:
        pair.length = [20, 61, 182, 512][Int.random(in: 0..<4, using: &pair.chance)]
        try pair.connect(central: Int.random(in: 0...1, using: &pair.chance))
      case 60..<63: pair.ends[index].talk.isInboxFull.toggle()
      case 63..<500 where pair.isUp: _ = try pair.speak(index)
      default: if pair.isUp { _ = try pair.carry(from: index) }
      }
    }
    for index in [0, 1] {
      #expect(pair.ends[1 - index].heard == said[index])
      #expect(pair.ends[index].delivered == (1...UInt32(said[index].count)).map { $0 })
    }
    #expect(breaks > 5)
    let codes = Set(pair.ends.flatMap(\.codes))
    #expect(codes.count == 1 && (codes.first == .some(nil)) == !seed.isMultiple(of: 2))
    #expect(pair.ends.allSatisfy { $0.changes == 0 && $0.givenUp.isEmpty })
  }

  @Test("A side that does not read stops the other at its window")
  func aSideThatDoesNotReadStops() throws {
    var pair = ChatPair()
    try pair.meet()
    pair.ends[1].talk.isInboxFull = true
    for _ in 0..<200 { _ = pair.ends[0].talk.outbox.append(Data(count: 1_000)) }
    try pair.settle()
    let octets = pair.ends[1].heard.reduce(0) { $0 + $1.count }
    #expect(octets <= ChatProtocol.window && octets > ChatProtocol.window - 2_100)
    #expect(pair.ends[0].delivered.isEmpty)
    pair.ends[1].talk.isInboxFull = false
    try pair.settle()
    #expect(pair.ends[1].heard.count == 200 && pair.ends[0].delivered.count == 200)
  }

  @Test("A long message continues where it was interrupted")
  func aLongMessageContinuesWhereItWasInterrupted() throws {
    var pair = ChatPair()
    pair.length = 512
    _ = pair.ends[0].talk.outbox.append(Data(repeating: 7, count: 200_000))
    var values = 0
    for _ in 0..<12 {
      try pair.connect()
      for _ in 0..<60 where try pair.speak(0) {
        values += 1
        _ = try pair.carry(from: 0)
        _ = try pair.speak(1)
        _ = try pair.carry(from: 1)
      }
      pair.disconnect()
    }
    #expect(pair.ends[1].heard == [Data(repeating: 7, count: 200_000)])
    // Restarted from the beginning each time it would never have arrived.
    #expect(values < 12 * 60)
  }

  @Test("The end of one side's messages comes after all of them")
  func theEndOfOneSidesMessagesComesAfterAll() throws {
    var pair = ChatPair()
    _ = pair.ends[0].talk.outbox.append(Data("last".utf8))
    _ = pair.ends[0].talk.outbox.append(Data())
    try pair.meet()
    #expect(pair.ends[1].heard == [Data("last".utf8)] && pair.ends[1].hasEnded && !pair.ends[0].hasEnded)
    #expect(pair.ends[0].delivered == [1, 2])
  }

  @Test("A restarted side gets the messages that it has not acknowledged, and its own are received from the beginning")
  func aRestartedSideGetsTheMessages() throws {
    var pair = ChatPair()
    _ = pair.ends[0].talk.outbox.append(Data("one".utf8))
    try pair.meet()
    pair.disconnect()
    _ = pair.ends[0].talk.outbox.append(Data("two".utf8))
    pair.ends[1].talk = ChatConversation(identifier: 77, name: "2", cryptography: nil, wantsEncryption: false)
    _ = pair.ends[1].talk.outbox.append(Data("anew".utf8))
    try pair.meet()
    #expect(pair.ends[1].heard.map { String(decoding: $0, as: UTF8.self) } == ["one", "two"])
    #expect(pair.ends[0].heard == [Data("anew".utf8)])
  }

  // MARK: Peers that violate the protocol

  private static func opened() throws -> ChatPair {
    var pair = ChatPair()
    for _ in 0..<3 { _ = pair.ends[0].talk.outbox.append(Data("abc".utf8)) }
    try pair.meet()
    return pair
  }

  private static func piece(_ number: UInt32, _ offset: UInt32, _ total: UInt32, _ octets: String) -> ChatFrame {
    .piece(ChatPiece(place: ChatPlace(number: number, offset: offset), total: total, octets: Data(octets.utf8)))
  }

  private static let tooLong = "octets: 1048576 are the most"
  private static let notSent = "the other side acknowledges what was not sent"
  private static let outOfPlace = "a frame that does not belong here"

  @Test(
    "I13.1 unexpected frames are violations, each with its own reason",
    arguments: [
      (piece(5, 0, 3, "abc"), "a piece is missing before that of message 5"),
      (piece(4, 1, 3, "bc"), "a piece is missing before that of message 4"),
      (piece(4, 0, 2, "abc"), "a piece that does not fit into its message"),
      (piece(4, 0, 3, ""), "a piece that does not fit into its message"),
      (piece(4, 0, .max, "abc"), "a message of 4294967295 \(tooLong)"),
      (piece(4, 0, 1 << 21, "abc"), "a message of 2097152 \(tooLong)"),
      (piece(4, .max, .max, "abc"), "a message of 4294967295 \(tooLong)"),
      (.acknowledgement(ChatPlace(number: 5, offset: 0)), notSent),
      (.acknowledgement(ChatPlace(number: 1, offset: 9)), notSent),
      (.hello(ChatHello(identifier: 2, name: "")), outOfPlace), (.commitment(Data(count: 32)), outOfPlace),
      (.key(Data(count: 32)), outOfPlace), (.sealed(Data(count: 60)), outOfPlace),
      (.resume(ChatResume(expected: ChatPlace(number: 1, offset: 0), first: 1, next: 4)), outOfPlace),
    ])
  func violations(frame: ChatFrame, reason: String) throws {
    var pair = try Self.opened()
    #expect(throws: ChatViolation(reason)) { try pair.ends[1].talk.receive(frame.octets) }
  }

  @Test("Acknowledged messages are dropped, frames of a later version are ignored")
  func acknowledgedMessagesAreDropped() throws {
    var pair = try Self.opened()
    for frame in [
      Self.piece(1, 0, 3, "abc"), Self.piece(3, 1, 3, "b"), .unknown(0x90),
      .acknowledgement(ChatPlace(number: 0, offset: 0)),
    ] {
      #expect(try pair.ends[1].talk.receive(frame.octets).isEmpty)
    }
    #expect(pair.ends[1].talk.inbox.duplicates == 2)
  }

  @Test("A message whose length changes during transfer is a violation")
  func aMessageWhoseLengthChangesDuringTransferIsAViolation() throws {
    var pair = try Self.opened()
    #expect(try pair.ends[1].talk.receive(Self.piece(4, 0, 10, "abc").octets).isEmpty)
    #expect(throws: ChatViolation("a message changes its length")) {
      try pair.ends[1].talk.receive(Self.piece(4, 3, 11, "d").octets)
    }
  }

  @Test("Random frames in any phase end in events or a violation, and store no more than one message")
  func randomFramesInAnyPhaseEndInEvents() throws {
    var chance = SeededChance(state: 99)
    for round in 0..<300 {
      var pair = ChatPair(seed: 5, encrypted: round.isMultiple(of: 3))
      try pair.connect()
      if round.isMultiple(of: 2) { try pair.settle() }
      for _ in 0..<20 {
        var octets = ChatFrameTests.frames.randomElement(using: &chance)?.octets ?? Data()
        if !octets.isEmpty, Bool.random(using: &chance) {
          octets[Int.random(in: 0..<octets.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
        }
        _ = try? pair.ends[1].talk.receive(octets)
        #expect(pair.ends[1].talk.inbox.place.offset <= ChatProtocol.longestMessage)
        while try pair.ends[1].talk.nextOctets() != nil {}
      }
    }
  }
}
