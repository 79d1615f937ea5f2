import BLESessionCryptography
import Foundation
import Synchronization
import Testing

@testable import BLESession

/// A clock that advances only when it is moved.
private final class StandingClock: SessionClock {
  private let time = Mutex(Duration.zero)
  var now: Duration { time.withLock { $0 } }
  func move(by step: Duration) { time.withLock { $0 += step } }
  func schedule(
    after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
  ) -> SystemSessionClock.Timer {
    SystemSessionClock().schedule(after: delay, on: queue, action)
  }
}

/// A man in the middle that tries to make both sides show the same six digits.
@Suite("Attacks on key agreements") struct AgreementTests {
  private let system = SystemCryptography()

  /// What the man in the middle sends to a side that answers, up to the moment at which both sides' code is determined.
  private struct Attempt {
    var agreement: KeyAgreement
    let code: String
    let key: Data
  }

  private func attempt(on answerer: SecureChannelAgreement) throws -> Attempt {
    var agreement = try KeyAgreement(.beginner, with: system, limit: AgreementLimit())
    let answer = try answerer.answer(Data([2]) + agreement.commitment())
    let (channel, key) = try agreement.take(key: Data(answer.dropFirst()))
    return Attempt(agreement: agreement, code: channel.verificationCode, key: try #require(key))
  }

  @Test(
    "R4.11 I11.2 the code cannot be brute-forced: each side gives one try, and its first message reveals nothing of the code"
  )
  func grinding() throws {
    let beginner = SecureChannelAgreement(cryptography: system, limit: AgreementLimit())
    let first = try beginner.begin()
    // In the first version the key was part of the first message, and any number of keys could be tried on it beforehand.
    let own = try (0..<32).map { _ in try system.makeAgreementKey() }
    let guesses = try own.map {
      try SecureChannel(cryptography: system, side: .answerer, own: $0, peer: Data(first.dropFirst())).verificationCode
    }
    let word = try #require(try beginner.proceed(Data([3]) + own[0].publicKey))
    let code = try SecureChannel(
      cryptography: system, side: .answerer, own: own[0], peer: Data(word.dropFirst().prefix(32))
    ).verificationCode
    #expect(guesses[0] != code)
    // The key is known now, and codes can be computed for all keys, but no other one is accepted.
    for key in own.dropFirst() {
      #expect(throws: CryptographyError.outOfTurn) { try beginner.proceed(Data([3]) + key.publicKey) }
    }
    #expect(beginner.verificationCode == nil)

    let answerer = SecureChannelAgreement(cryptography: system, limit: AgreementLimit())
    let answer = try answerer.answer(
      Data([2]) + KeyAgreement(.beginner, with: system, limit: AgreementLimit()).commitment())
    for (number, key) in own.enumerated() {
      var channel = try SecureChannel(
        cryptography: system, side: .beginner, own: key, peer: Data(answer.dropFirst()))
      let word = try Data([4]) + key.publicKey + channel.seal(Data())
      #expect(throws: number == 0 ? CryptographyError.notAsAnnounced : .outOfTurn) { try answerer.answer(word) }
    }
    #expect(answerer.verificationCode == nil)
  }

  @Test(
    "R4.11 I11.14 attempts that are broken off before a user sees a code are counted and delayed, on the answering side"
  )
  func triesOnAnswerer() throws {
    let clock = StandingClock()
    let limit = AgreementLimit(clock: clock)
    var tries = 0
    func tryAll() throws {
      while true {
        do {
          // Another agreement each time, as with another address each time.
          _ = try attempt(on: SecureChannelAgreement(cryptography: system, limit: limit))
          tries += 1
        } catch CryptographyError.tooManyAttempts { return }
      }
    }
    try tryAll()
    #expect(tries == 5 && limit.unconfirmed == 5 && !limit.hasRoom)
    for _ in 0..<60 {
      clock.move(by: .seconds(60))
      try tryAll()
    }
    #expect(tries == 65)
    clock.move(by: .seconds(86_400))
    try tryAll()
    #expect(tries == 70 && limit.unconfirmed == 70)
  }

  @Test("R4.11 I11.14 the same holds on the starting side")
  func triesOnBeginner() throws {
    let clock = StandingClock()
    let limit = AgreementLimit(clock: clock)
    var tries = 0
    for _ in 0..<20 {
      let beginner = SecureChannelAgreement(cryptography: system, limit: limit)
      _ = try beginner.begin()
      do {
        _ = try beginner.proceed(Data([3]) + system.makeAgreementKey().publicKey)
        tries += 1
      } catch CryptographyError.tooManyAttempts { continue }
    }
    #expect(tries == 5)
  }

  @Test("R4.11 I11.14 confirmed agreements cause no delay, and one that is broken off gives no agreement")
  func confirmed() throws {
    let limit = AgreementLimit(clock: StandingClock())
    for _ in 0..<50 {
      let beginner = SecureChannelAgreement(cryptography: system, limit: limit)
      let answerer = SecureChannelAgreement(cryptography: system, limit: AgreementLimit(clock: StandingClock()))
      let key = try #require(try beginner.proceed(try answerer.answer(try beginner.begin())))
      #expect(try beginner.proceed(try answerer.answer(key)) == nil)
      #expect(beginner.verificationCode == answerer.verificationCode)
    }
    #expect(limit.unconfirmed == 0 && limit.hasRoom)
    // A side that has the key, but does not prove that it has the secret.
    let answerer = SecureChannelAgreement(cryptography: system, limit: limit)
    let attempt = try attempt(on: answerer)
    #expect(throws: CryptographyError.notAuthentic) {
      try answerer.answer(Data([4]) + attempt.key + Data(repeating: 7, count: 24))
    }
    #expect(answerer.verificationCode == nil && limit.unconfirmed == 1)
  }

  @Test(
    "R4.11 I11.2 a side refuses its own key from the other side, and each message at every other moment")
  func order() throws {
    let beginner = SecureChannelAgreement(cryptography: system, limit: AgreementLimit())
    #expect(throws: CryptographyError.outOfTurn) { try beginner.proceed(Data([3]) + Data(repeating: 9, count: 32)) }
    let first = try beginner.begin()
    // Both sides start simultaneously: neither takes the other's first message for an answer.
    #expect(throws: CryptographyError.outOfTurn) { try beginner.proceed(first) }
    let answerer = SecureChannelAgreement(cryptography: system, limit: AgreementLimit())
    for kind in [UInt8]([0, 3, 4, 5, 6, 255]) {
      #expect(throws: CryptographyError.outOfTurn) { try answerer.answer(Data([kind]) + Data(repeating: 9, count: 56)) }
    }
    for count in [0, 1, 31, 33] {
      #expect(throws: CryptographyError.publicKey) { try answerer.answer(Data([2]) + Data(count: count)) }
    }
    #expect(throws: CryptographyError.outOfTurn) { try answerer.answer(Data()) }
    var agreement = try KeyAgreement(.answerer, with: system, limit: AgreementLimit())
    let own = try agreement.take(commitment: Data(count: 32))
    #expect(throws: CryptographyError.notAsAnnounced) { try agreement.take(key: own) }
    var begun = try KeyAgreement(.beginner, with: system, limit: AgreementLimit())
    var copy = begun
    let ownKey = try #require(try copy.take(key: system.makeAgreementKey().publicKey).answer)
    #expect(throws: CryptographyError.publicKey) { try begun.take(key: ownKey) }
  }
}
