import BLESession
import BLESessionCryptography
import Foundation
import Testing

@testable import BLEChat

@Suite("The chat's encryption")
struct ChatEncryptionTests {
  @Test("R1.12 both sides show the same code, also after the link was lost, and nothing is readable on the air")
  func codes() throws {
    var pair = ChatPair(encrypted: true)
    _ = pair.ends[0].talk.outbox.append(Data("a secret for you".utf8))
    try pair.connect()
    var air = Data()
    var isBusy = true
    while isBusy {
      isBusy = false
      for index in [0, 1] {
        while try pair.speak(index) { isBusy = true }
        air += pair.ends[index].air.reduce(Data(), +)
        while try pair.carry(from: index) { isBusy = true }
      }
    }
    #expect(pair.ends[1].heard == [Data("a secret for you".utf8)])
    #expect(air.range(of: Data("secret".utf8)) == nil)
    pair.disconnect()
    try pair.meet(central: 1)
    let codes = Set(pair.ends.flatMap(\.codes).compactMap(\.self))
    #expect(codes.count == 1 && codes.first?.count == 6 && pair.ends.allSatisfy { $0.codes.count == 2 })
  }

  @Test("An agreement that is interrupted anywhere is completed on the next link, without an alarm")
  func anAgreementThatIsInterruptedAnywhereIsCompleted() throws {
    for cut in 0..<24 {
      var pair = ChatPair(encrypted: true)
      pair.length = 40
      _ = pair.ends[0].talk.outbox.append(Data("hello".utf8))
      try pair.connect()
      for step in 0..<cut {
        _ = try pair.speak(step % 2)
        _ = try pair.carry(from: step % 2)
      }
      pair.disconnect()
      try pair.meet(central: cut % 2)
      #expect(pair.ends[1].heard == [Data("hello".utf8)], "cut after \(cut)")
      #expect(pair.ends.allSatisfy { $0.changes == 0 && $0.givenUp.isEmpty }, "cut after \(cut)")
      #expect(pair.ends[0].codes.last == pair.ends[1].codes.last, "cut after \(cut)")
    }
  }

  @Test("A man in the middle shows as two different codes")
  func aManInTheMiddleShowsAsTwoDifferentCodes() throws {
    var (left, right) = (ChatPair(encrypted: true), ChatPair(encrypted: true))
    try left.meet()
    try right.meet()
    #expect(left.ends[0].codes != right.ends[1].codes)
  }

  @Test("A key that does not match its commitment is refused")
  func aKeyThatDoesNotMatchItsCommitmentIsRefused() throws {
    let cryptography = SystemCryptography()
    var talk = ChatConversation(identifier: 2, name: "2", cryptography: cryptography, wantsEncryption: true)
    try talk.begin(.peripheral, with: ChatHello(flags: .canEncrypt, identifier: 1, name: "1"))
    #expect(throws: CryptographyError.outOfTurn) {
      try talk.receive(ChatFrame.key(Data(repeating: 9, count: 32)).octets)
    }
    _ = try talk.receive(ChatFrame.commitment(Data(repeating: 1, count: 32)).octets)
    let own = try cryptography.makeAgreementKey()
    #expect(throws: CryptographyError.notAsAnnounced) { try talk.receive(ChatFrame.key(own.publicKey).octets) }
    #expect(throws: CryptographyError.outOfTurn) { try talk.receive(ChatFrame.commitment(Data(count: 32)).octets) }
  }

  @Test("A peer with other keys gets nothing that was meant for the previous one, and an alarm is raised")
  func aPeerWithOtherKeysGetsNothingThatWasMeant() throws {
    var pair = ChatPair(encrypted: true)
    try pair.meet()
    pair.disconnect()
    _ = pair.ends[0].talk.outbox.append(Data("for you alone".utf8))
    // The same name and number, other keys.
    pair.ends[1].talk = ChatConversation(
      identifier: 2, name: "2", cryptography: SystemCryptography(), wantsEncryption: false)
    try pair.meet()
    #expect(pair.ends[1].heard.isEmpty && pair.ends[0].givenUp == [1] && pair.ends[0].changes == 1)
    _ = pair.ends[0].talk.outbox.append(Data("hello, stranger".utf8))
    try pair.settle()
    #expect(pair.ends[1].heard == [Data("hello, stranger".utf8)])
  }

  @Test("R1.12 I11.5 a stranger that repeats a partner's number with its own keys does not keep the real two apart")
  func stranger() throws {
    for isCentral in [0, 1] {
      var pair = ChatPair(encrypted: true)
      try pair.meet()
      pair.disconnect()
      let real = pair.ends[1].talk
      pair.ends[1].talk = ChatConversation(
        identifier: 2, name: "2", cryptography: SystemCryptography(), wantsEncryption: false)
      try pair.meet(central: isCentral)
      #expect(pair.ends[0].changes == 1)
      pair.disconnect()
      let before = pair.ends[0].codes
      pair.ends[1].talk = real
      _ = pair.ends[1].talk.outbox.append(Data("it is me".utf8))
      try pair.meet(central: isCentral)
      #expect(pair.ends[1].heard.isEmpty && pair.ends[0].heard == [Data("it is me".utf8)])
      // The two use their existing keys. The side that sees changed keys gets an event.
      #expect(pair.ends[0].changes == 2 && pair.ends[0].codes.last == before.first)
    }
  }

  @Test("A peer that only claims to have the keys changes nothing")
  func aPeerThatOnlyClaimsToHaveTheKeysChanges() throws {
    var pair = ChatPair(encrypted: true)
    try pair.meet()
    pair.disconnect()
    _ = pair.ends[0].talk.outbox.append(Data("for you alone".utf8))
    var talk = pair.ends[0].talk
    let keys = talk.hello().keys
    #expect(keys != 0)
    try talk.begin(.central, with: ChatHello(flags: .canEncrypt, identifier: 2, keys: keys, name: "2"))
    #expect(throws: CryptographyError.notAuthentic) {
      try talk.receive(ChatFrame.sealed(Data(repeating: 9, count: 60)).octets)
    }
    #expect(throws: ChatViolation("a frame that is not encrypted")) {
      try talk.receive(
        ChatFrame.resume(ChatResume(expected: ChatPlace(number: 0, offset: 0), first: 1, next: 1)).octets)
    }
    pair.ends[0].talk = talk
    try pair.meet()
    #expect(pair.ends[1].heard == [Data("for you alone".utf8)] && pair.ends[0].changes == 0)
  }

  @Test("No unencrypted talk takes place where encryption is required")
  func noUnencryptedTalkTakesPlaceWhereEncryptionIsRequired() {
    let strict = ChatConversation(identifier: 1, name: "", cryptography: SystemCryptography(), wantsEncryption: true)
    let plain = ChatConversation(identifier: 2, name: "", cryptography: nil, wantsEncryption: false)
    #expect(!strict.canTalk(to: plain.hello()) && !plain.canTalk(to: strict.hello()))
    #expect(strict.canTalk(to: ChatHello(flags: .canEncrypt, identifier: 2, name: "")))
  }
}
