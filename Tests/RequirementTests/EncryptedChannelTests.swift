import BLECore
import BLECrypto
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Both ends agree on a key over the characteristic itself; a value is then sent as its sequence number and its sealed octets.
private struct Channel {
  let cipher: AESCCM
  var sequence: UInt8 = 0

  init?(own: P256PrivateKey, peer: Data) {
    guard peer.count == 64, let key = P256PublicKey(x: peer.prefix(32), y: peer.suffix(32)) else { return nil }
    let shared = own.sharedSecret(with: key).revealMostSignificantFirst()
    cipher = AESCCM(key: SecretKey(mostSignificantFirst: shared.prefix(16)))
  }

  mutating func seal(_ text: String) -> Data {
    sequence += 1
    return Data([sequence] + cipher.seal(Array(text.utf8)[...], nonce: nonce(sequence), additional: []))
  }

  func open(_ value: Data) -> String? {
    guard let sequence = value.first else { return nil }
    let clear = cipher.open(Array(value.dropFirst())[...], nonce: nonce(sequence), additional: [])
    return clear.map { String(decoding: $0, as: UTF8.self) }
  }

  private func nonce(_ sequence: UInt8) -> [UInt8] {
    [sequence] + [UInt8](repeating: 0, count: AESCCM.nonceLength - 1)
  }
}

extension P256PrivateKey {
  fileprivate var announcement: Data { Data(publicKey.x + publicKey.y) }
}

@Suite("A0: an encrypted channel", .keepsCapture)
struct EncryptedChannelTests {
  @Test("R0.10 a channel is agreed on as soon as the characteristics are known, and nothing is sent in clear text")
  func encryptedChannel() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let line = try talk.characteristic("FF22")
    let entropy = SeededEntropy(seed: talk.world.seed)
    let (mine, theirs) = (P256PrivateKey.random(entropy), P256PrivateKey.random(entropy))

    // The handshake: keys are exchanged before anything else is written or read.
    talk.peripheral.queue.sync { talk.peripheral.values[line.uuid] = theirs.announcement }
    talk.found.readValue(for: line)
    await talk.found.write(mine.announcement, to: line, in: talk.world)
    var central = try #require(Channel(own: mine, peer: talk.central.values.first ?? Data()))
    let peripheral = try #require(Channel(own: theirs, peer: talk.peripheral.values[line.uuid] ?? Data()))

    let secret = "unlock the front door"
    await talk.found.write(central.seal(secret), to: line, in: talk.world)
    let received = try #require(talk.peripheral.values[line.uuid])
    #expect(peripheral.open(received) == secret)
    var forged = received
    forged[forged.count - 1] ^= 1
    #expect(peripheral.open(forged) == nil)
    #expect(!Data(talk.world.capture).contains(text: secret))
    #expect(Data(talk.world.capture).contains(received))
  }
}

extension Data {
  fileprivate func contains(text: String) -> Bool { contains(Data(text.utf8)) }
  fileprivate func contains(_ part: Data) -> Bool { range(of: part) != nil }
}
