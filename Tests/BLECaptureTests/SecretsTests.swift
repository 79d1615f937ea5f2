import BLECapture
import BLECore
import BLECrypto
import BLEWire
import Foundation
import Testing

@Suite struct CaptureKeysTests {
  private static let key = "4c68384139f574d836bcf34e9dfb01bf"

  @Test("a file of keys is read with comments, remarks and empty lines")
  func aFileOfKeysIsReadWithComments() throws {
    let keys = try CaptureKeys(text: "# a comment\n\n ltk \(Self.key) as central\r\nltk \(Self.key.uppercased())\n")
    #expect(keys.longTermKeys == [SecretKey(mostSignificantFirst: try #require([UInt8](hexadecimal: Self.key)))])
    let written = CaptureKeys.heading + CaptureKeys.line(longTermKey: keys.longTermKeys[0], remark: "as central")
    #expect(try CaptureKeys(text: written).longTermKeys == keys.longTermKeys)
  }

  @Test(
    "a line that is no key is refused by its number, and not repeated",
    arguments: ["ltk", "ltk 00", "ltk \(key)0", "key \(key)", "ltk \(key.dropLast())x", "\(key)", "\u{1B}[31m"])
  func aLineThatIsNoKeyIsRefused(line: String) throws {
    let error = #expect(throws: CaptureError.self) { try CaptureKeys(text: "# first\n" + line) }
    #expect(error?.kind == .malformed)
    #expect(error?.description.contains("line 2") == true)
    #expect(error?.description.contains(Self.key.prefix(8)) == false)
    #expect(error?.description.contains("\u{1B}") == false)
  }

  @Test("a file with endless keys is refused, and so is one that cannot be read")
  func aFileWithEndlessKeysIsRefused() throws {
    let many = (0...4_096).map { "ltk " + String(format: "%032x", $0) }.joined(separator: "\n")
    #expect(throws: CaptureError.self) { try CaptureKeys(text: many) }
    #expect(throws: CaptureError.self) { try CaptureKeys(path: "/nonexistent/keys") }
    let path = try TemporaryFolder.shared.path("long.keys")
    try Data(repeating: 0x23, count: 2 << 20).write(to: URL(fileURLWithPath: path))
    #expect(throws: CaptureError.self) { try CaptureKeys(path: path) }
  }
}

@Suite("S17 redacted captures") struct RedactionTests {
  private static let secret = (0..<16).map { UInt8(0xA0 + $0) }
  private static let other = (0..<16).map { UInt8(0xC0 + $0) }

  private static func frame(_ payload: [UInt8], channel: UInt16 = 6) -> [UInt8] {
    [UInt8(payload.count), 0, UInt8(channel), 0] + payload
  }

  private static func acl(_ payload: some Collection<UInt8>, isStart: Bool = true) -> HCIPacket {
    HCIPacket(
      HCIACLPacket(
        connectionHandle: ConnectionHandle(0x40), boundary: isStart ? .firstNonFlushable : .continuing,
        payload: Array(payload)[...]))
  }

  private static func holds(_ packet: HCIPacket, _ part: some Collection<UInt8>) -> Bool {
    let part = Array(part)
    guard packet.octets.count >= part.count else { return false }
    return (0...(packet.octets.count - part.count)).contains { Array(packet.octets[$0..<($0 + part.count)]) == part }
  }

  @Test("S17 keys are removed from commands, events and pairing, and nothing else is")
  func secrets() throws {
    let handle = ConnectionHandle(0x40)
    let secret = HCISecret(Self.secret)
    let other = HCISecret(Self.other)
    let packets: [(HCIPacket, CaptureDirection)] = [
      (
        HCIPacket(LEEnableEncryption(connectionHandle: handle, randomNumber: 7, diversifier: 8, key: secret)), .sent
      ),
      (HCIPacket(LELongTermKeyRequestReply(connectionHandle: handle, key: secret)), .sent),
      (HCIPacket(LEEncrypt(key: secret, plaintext: other)), .sent),
      (.commandComplete(LEEncrypt.self, .init(encrypted: secret)), .received),
      (
        HCIPacket(
          LEAddDeviceToResolvingList(
            peerIdentity: HCIAddress(type: .public, value: 1), peerIdentityResolvingKey: secret,
            localIdentityResolvingKey: other)), .sent
      ),
      (HCIPacket(LEGenerateDHKeyCompleteEvent(status: .success, key: HCISecret(Self.secret + Self.other))), .received),
      (Self.acl(Self.frame([0x04] + Self.secret)), .received),
      (Self.acl(Self.frame([0x06] + Self.secret)), .received),
      (Self.acl(Self.frame([0x08] + Self.secret)), .sent),
      (Self.acl(Self.frame([0x0A] + Self.secret)), .sent),
    ]
    var redaction = CaptureRedaction()
    for (packet, direction) in packets {
      #expect(Self.holds(packet, Self.secret))
      let clean = redaction.redacted(packet, direction)
      #expect(clean.octets.count == packet.octets.count && clean.kind == packet.kind)
      #expect(!Self.holds(clean, Self.secret) && !Self.holds(clean, Self.other), "\(packet)")
      #expect(clean.octets.prefix(3) == packet.octets.prefix(3))
    }
    // Values of attributes, features and addresses stay.
    for packet in [
      Self.acl(Self.frame([0x0B] + Self.secret, channel: 4)), Self.acl(Self.frame([0x01, 4, 0, 1, 16, 7, 7])),
      Self.acl(Self.frame([0x09, 0] + Self.secret.prefix(6))),
    ] {
      #expect(redaction.redacted(packet, .received) == packet)
    }
  }

  @Test("S17 a key in several pieces is removed piece by piece")
  func pieces() {
    let whole = Self.frame([0x06] + Self.secret)
    for first in 0...whole.count {
      var redaction = CaptureRedaction()
      var left: [UInt8] = []
      let parts = [whole.prefix(first), whole.dropFirst(first)]
      for (index, part) in parts.enumerated() where !part.isEmpty || index == 0 {
        left += redaction.redacted(Self.acl(part, isStart: index == 0), .received).octets.dropFirst(4)
      }
      let shown = left.count { Self.secret.contains($0) }
      #expect(shown == 0, "cut after \(first)")
    }
  }

  @Test("S17 arbitrary octets can be redacted")
  func hostile() {
    var redaction = CaptureRedaction()
    var number: UInt64 = 0x1234_5678
    for _ in 0..<20_000 {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = Int(number >> 58)
      let octets = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 50)) }
      for kind in [HCIPacketKind.command, .aclData, .event] {
        #expect(redaction.redacted(HCIPacket(kind: kind, octets: octets), .sent).octets.count == count)
      }
    }
  }
}
