import BLECapture
import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire
import Testing

/// A sniffer's view of an encrypted link, with and without its keys.
@Suite("Decrypting captures of the air")
struct DecryptionTests {
  /// Starts encryption, exchanges data, changes the key, exchanges data again: as a pcapng file.
  private static func capture(loss: LossModel = .none, seed: UInt64 = 1) async throws -> [UInt8] {
    let link = try await EncryptedPair(seed: seed, interval: 6, timeout: 600)
    let memory = CaptureMemory()
    let tap = FileTap(PcapNGWriter(memory))
    link.pair.air.tap = tap
    link.pair.air.setLoss(loss)
    try await link.encrypt()
    await link.exchangeMTU()
    link.answer = .key(EncryptedPair.otherKey)
    link.enable(EncryptedPair.otherKey)
    await link.run(.seconds(1))
    #expect(link.central.keyRefreshes.map(\.status) == [.success])
    await link.exchangeMTU()
    tap.writer.flush()
    return memory.octets
  }

  private static func lines(_ octets: [UInt8], _ keys: [HCISecret]) throws -> (lines: [String], dissector: Dissector) {
    let text =
      CaptureKeys.heading
      + keys.map {
        CaptureKeys.line(longTermKey: SecretKey(leastSignificantFirst: $0.octets), remark: "of a test")
      }.joined()
    let dissector = Dissector(keys: try CaptureKeys(text: text))
    let reader = try CaptureFiles.reader(CaptureOctets(octets))
    var lines: [String] = []
    while let packet = try reader.next() { lines.append(dissector.line(packet)) }
    return (lines, dissector)
  }

  @Test("with the keys of both sessions everything can be read, including pause and restart")
  func allKeys() async throws {
    let (lines, dissector) = try Self.lines(try await Self.capture(), [EncryptedPair.otherKey, EncryptedPair.key])
    for name in [
      "LL_ENC_REQ", "LL_START_ENC_REQ", "LL_START_ENC_RSP", "LL_PAUSE_ENC_REQ", "ATT_EXCHANGE_MTU_REQ",
      "ATT_EXCHANGE_MTU_RSP",
    ] {
      #expect(lines.contains { $0.contains(name) }, "\(name)")
    }
    #expect(lines.count { $0.contains("(decrypted, central)") && $0.contains("ATT_EXCHANGE_MTU_REQ") } == 2)
    #expect(lines.count { $0.contains("(decrypted, peripheral)") && $0.contains("ATT_EXCHANGE_MTU_RSP") } == 2)
    #expect(dissector.sealedCount == 0 && dissector.openedCount > 8)
  }

  @Test("packets repeated because of losses are read as well")
  func losses() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let octets = try await Self.capture(loss: .independent(rate: 0.2), seed: seed)
      let (_, dissector) = try Self.lines(octets, [EncryptedPair.otherKey, EncryptedPair.key])
      #expect(dissector.sealedCount == 0 && dissector.openedCount > 8, "seed \(seed)")
    }
  }

  @Test("a wrong key is reported, and without a key the link is reported as encrypted")
  func wrongKeys() async throws {
    let octets = try await Self.capture()
    let wrong = HCISecret([UInt8](repeating: 9, count: 16))
    for (keys, text) in [([], "(encrypted) "), ([wrong], "(encrypted, and no key fits) ")] {
      let (lines, dissector) = try Self.lines(octets, keys)
      #expect(lines.contains { $0.contains(text) })
      #expect(!lines.contains { $0.contains("ATT_") })
      #expect(dissector.openedCount == 0 && dissector.sealedCount > 4)
    }
    // The first session's key decrypts the first session.
    let (lines, dissector) = try Self.lines(octets, [EncryptedPair.key])
    #expect(lines.count { $0.contains("ATT_EXCHANGE_MTU_REQ") } == 1)
    #expect(dissector.openedCount > 0 && dissector.sealedCount > 0)
  }
}

extension EncryptedPair {
  fileprivate func exchangeMTU() async {
    central.send(data: [3, 0, 4, 0, 0x02, 0x05, 0x02], to: handles.central)
    await run(.seconds(1))
    peripheral.send(data: [3, 0, 4, 0, 0x03, 0x05, 0x02], to: handles.peripheral)
    await run(.seconds(1))
  }
}

/// Writes the packets on the air as a sniffer would.
private final class FileTap: AirTap {
  let writer: PcapNGWriter

  init(_ writer: PcapNGWriter) {
    self.writer = writer
    writer.addInterface(.air, name: "air")
  }

  func air(_ air: Air, carried frame: AirFrame) {
    writer.write(
      CapturedPacket(
        timestamp: CaptureTimestamp(frame.time, origin: .virtualOrigin),
        content: .air(
          AirPacket(channelIndex: frame.channel, accessAddress: frame.accessAddress, pdu: frame.octets))))
  }
}
