import BLESession
import BLESessionCryptography
import Foundation

@testable import BLEChat

/// Two conversations and the link between them, which carries values in order and loses those under way when it breaks.
struct ChatPair {
  struct End {
    var talk: ChatConversation
    var reader = ChatFrameReader()
    var outgoing = Data()
    /// Values under way to the other end.
    var air: [Data] = []
    var heard: [Data] = []
    var delivered: [UInt32] = []
    var givenUp: [UInt32] = []
    var codes: [String?] = []
    var changes = 0
    var hasEnded = false
    var goodbyes: [ChatGoodbye] = []
  }

  var ends: [End]
  private(set) var isUp = false
  var length = 20
  var chance: SeededChance

  init(seed: UInt64 = 1, encrypted: Bool = false) {
    chance = SeededChance(state: seed)
    ends = [1, 2].map { number in
      End(
        talk: ChatConversation(
          identifier: number, name: "\(number)", cryptography: SystemCryptography(),
          wantsEncryption: encrypted && number == 1))
    }
  }

  /// A new link; the first end is its central.
  mutating func connect(central: Int = 0) throws {
    isUp = true
    let first = ends[central].talk.hello()
    let answer = ends[1 - central].talk.hello(answering: first)
    let hellos = central == 0 ? [first, answer] : [answer, first]
    for index in [0, 1] {
      (ends[index].reader, ends[index].outgoing, ends[index].air) = (ChatFrameReader(), Data(), [])
      try ends[index].talk.begin(index == central ? .central : .peripheral, with: hellos[1 - index])
    }
  }

  mutating func disconnect() {
    isUp = false
    for index in [0, 1] {
      ends[index].talk.end()
      (ends[index].outgoing, ends[index].air) = (Data(), [])
    }
  }

  /// One end sends a value, if it has one.
  mutating func speak(_ index: Int) throws -> Bool {
    while ends[index].outgoing.count < length, let octets = try ends[index].talk.nextOctets() {
      ends[index].outgoing.append(octets)
    }
    guard !ends[index].outgoing.isEmpty else { return false }
    ends[index].air.append(Data(ends[index].outgoing.prefix(length)))
    ends[index].outgoing = Data(ends[index].outgoing.dropFirst(length))
    return true
  }

  /// The oldest value from one end arrives at the other.
  mutating func carry(from index: Int) throws -> Bool {
    guard !ends[index].air.isEmpty else { return false }
    let value = ends[index].air.removeFirst()
    let other = 1 - index
    for frame in try ends[other].reader.append(value) {
      for news in try ends[other].talk.receive(frame) { note(news, other) }
    }
    return true
  }

  private mutating func note(_ news: ChatConversation.News, _ index: Int) {
    switch news {
    case .open(let code, let isChanged):
      ends[index].codes.append(code)
      if isChanged { ends[index].changes += 1 }
    case .message(let content): ends[index].heard.append(content)
    case .delivered(let numbers): ends[index].delivered += numbers
    case .givenUp(let numbers): ends[index].givenUp += numbers
    case .end: ends[index].hasEnded = true
    case .goodbye(let reason): ends[index].goodbyes.append(reason)
    }
  }

  /// A new link, until neither has a value to send over it.
  mutating func meet(central: Int = 0) throws {
    try connect(central: central)
    try settle()
  }

  /// Until neither has a value to send.
  mutating func settle() throws {
    var isBusy = true
    while isBusy {
      isBusy = false
      for index in [0, 1] {
        while try speak(index) { isBusy = true }
        while try carry(from: index) { isBusy = true }
      }
    }
  }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededChance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
