import BLESession
import BLESessionCryptography
import Foundation
import Testing

@testable import BLEChat

/// What a stranger can do to two conversations by using the number of one.
@Suite("The chat's conversation and a stranger")
struct ChatStrangerTests {
  private static func stranger(encrypted: Bool) -> ChatConversation {
    ChatConversation(
      identifier: 2, name: "2", cryptography: encrypted ? SystemCryptography() : nil, wantsEncryption: false)
  }

  @Test(
    "R1.12 I11.5 an unencrypted stranger that sends and receives under a partner's number does not keep the real two apart",
    arguments: [0, 1, 3, 40], [false, true])
  func openNumber(messages: Int, isCutOff: Bool) throws {
    var pair = ChatPair()
    pair.length = 100
    for index in [0, 1] { _ = pair.ends[index].talk.outbox.append(Data("before".utf8)) }
    try pair.meet()
    pair.disconnect()
    let real = pair.ends[1].talk
    pair.ends[1].talk = Self.stranger(encrypted: false)
    for _ in 0..<messages { _ = pair.ends[1].talk.outbox.append(Data(repeating: 1, count: 600)) }
    _ = pair.ends[0].talk.outbox.append(Data(repeating: 2, count: 5_000))
    try pair.connect()
    if isCutOff {
      for _ in 0..<9 {
        for index in [1, 0] {
          _ = try pair.speak(index)
          _ = try pair.carry(from: index)
        }
      }
    } else {
      try pair.settle()
    }
    pair.disconnect()
    pair.ends[1].talk = real
    pair.ends[1].heard = []
    for number in 0..<3 {
      _ = pair.ends[1].talk.outbox.append(Data("it is me, \(number)".utf8))
      _ = pair.ends[0].talk.outbox.append(Data("is it you, \(number)".utf8))
    }
    // A mismatch may cost a link, but only one.
    for _ in 0..<3 {
      try pair.connect()
      do { try pair.settle() } catch is ChatViolation {}
      pair.disconnect()
    }
    #expect(pair.ends.allSatisfy { $0.talk.outbox.isEmpty })
    let texts = pair.ends.map { $0.heard.map { String(decoding: $0, as: UTF8.self) } }
    #expect(texts[0].last == "it is me, 2" && texts[1].last == "is it you, 2")
  }

  @Test(
    "R1.12 I11.5 a stranger that leaves at any step of a greeting under a partner's number changes nothing for the two",
    arguments: 0..<14, [0, 1])
  func everyStep(steps: Int, central: Int) throws {
    var pair = ChatPair(encrypted: true)
    pair.length = 40
    try pair.meet()
    pair.disconnect()
    let code = pair.ends[0].codes.last
    let real = pair.ends[1].talk
    pair.ends[1].talk = Self.stranger(encrypted: true)
    try pair.connect(central: central)
    for step in 0..<steps {
      _ = try pair.speak((central + step) % 2)
      _ = try pair.carry(from: (central + step) % 2)
    }
    let wasTaken = pair.ends[0].changes == 1
    pair.disconnect()
    pair.ends[1].talk = real
    (pair.ends[1].heard, pair.ends[0].heard) = ([], [])
    _ = pair.ends[1].talk.outbox.append(Data("it is me".utf8))
    _ = pair.ends[0].talk.outbox.append(Data("welcome".utf8))
    try pair.meet(central: central)
    #expect(pair.ends[0].heard == [Data("it is me".utf8)])
    #expect(pair.ends[0].codes.last == code && pair.ends[1].codes.last == code && pair.ends[1].changes == 0)
    // Once the stranger has confirmed its own keys, messages from then on are meant for these.
    #expect(pair.ends[1].heard == (wasTaken ? [] : [Data("welcome".utf8)]))
    #expect(pair.ends[0].changes == (wasTaken ? 2 : 0))
  }

  @Test("R1.12 I11.14 codes cannot be tried at speed, and partners with keys do not wait for that")
  func tries() throws {
    var pair = ChatPair(encrypted: true)
    try pair.meet()
    pair.disconnect()
    let real = pair.ends[1].talk
    var refusals = 0
    for number in 0..<20 {
      pair.ends[1].talk = Self.stranger(encrypted: true)
      let other = ChatHello(flags: .canEncrypt, identifier: 9, name: "")
      #expect(pair.ends[0].talk.hasToWait(.peripheral, for: other) == (number >= 5))
      #expect(pair.ends[0].talk.limit.unconfirmed == min(number, 5))
      try pair.connect(central: 1)
      // The stranger's commitment, and the key that it wants to see.
      _ = try pair.speak(1)
      while try pair.speak(1) {}
      do { while try pair.carry(from: 1) {} } catch CryptographyError.tooManyAttempts { refusals += 100 }
      pair.disconnect()
    }
    // That the central lacks the keys that belong to its number shows when it starts an agreement.
    #expect(refusals == 15 * 100)
    pair.ends[1].talk = real
    _ = pair.ends[1].talk.outbox.append(Data("it is me".utf8))
    #expect(!pair.ends[0].talk.hasToWait(.peripheral, for: real.hello()))
    try pair.meet()
    #expect(pair.ends[0].heard == [Data("it is me".utf8)] && pair.ends[0].changes == 0)
  }

  @Test("R1.12 I11.14 keys that are replaced repeatedly count as well, though each is confirmed")
  func replacedKeys() throws {
    var pair = ChatPair(encrypted: true)
    var opened = 0
    for _ in 0..<20 {
      pair.ends[1].talk = Self.stranger(encrypted: true)
      do {
        try pair.meet()
        opened += 1
      } catch CryptographyError.tooManyAttempts {}
      pair.disconnect()
    }
    // The first keys replace none.
    #expect(opened == 6 && pair.ends[0].changes == 5)
  }

  @Test("R1.12 I11.5 messages meant for keys are never sent unencrypted, whatever name and number the peer has")
  func downgrade() throws {
    var pair = ChatPair()
    pair.ends[0].talk = ChatConversation(
      identifier: 1, name: "1", cryptography: SystemCryptography(), wantsEncryption: false)
    pair.ends[1].talk = ChatConversation(
      identifier: 2, name: "2", cryptography: SystemCryptography(), wantsEncryption: true)
    try pair.meet()
    #expect(pair.ends[0].codes.last != .some(nil))
    pair.disconnect()
    _ = pair.ends[0].talk.outbox.append(Data("for you alone".utf8))
    let plain = Self.stranger(encrypted: false)
    #expect(!pair.ends[0].talk.canTalk(to: plain.hello()) && !pair.ends[0].talk.canTalkUnencrypted)
    // Sending it was requested in spite of that, as when the message came during the greeting.
    let real = pair.ends[1].talk
    pair.ends[1].talk = plain
    var talk = pair.ends[0].talk
    try talk.begin(.central, with: plain.hello())
    #expect(talk.takesNoMessages)
    let news = try talk.receive(
      ChatFrame.resume(ChatResume(expected: ChatPlace(number: 0, offset: 0), first: 1, next: 1)).octets)
    #expect(news == [.givenUp([1]), .open(code: nil, isChanged: true)])
    pair.ends[1].talk = real
    try pair.meet()
    #expect(pair.ends[1].heard == [Data("for you alone".utf8)] && pair.ends[0].changes == 0)
  }

  @Test("R1.12 I11.5 an encrypted talk without required encryption is not replaced by one that does not give its keys")
  func replacing() throws {
    var pair = ChatPair(encrypted: true)
    try pair.connect()
    #expect(pair.ends[0].talk.canReplace(by: Self.stranger(encrypted: true).hello()))
    try pair.settle()
    #expect(!pair.ends[0].talk.canReplace(by: Self.stranger(encrypted: true).hello()))
    #expect(!pair.ends[0].talk.canReplace(by: Self.stranger(encrypted: false).hello()))
    #expect(pair.ends[0].talk.canReplace(by: pair.ends[1].talk.hello()))
  }
}
