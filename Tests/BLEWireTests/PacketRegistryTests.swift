import BLECore
import BLEWire
import Testing

extension PacketDescription: CustomTestStringConvertible {
  public var testDescription: String { "\(layer.rawValue) \(name)" }
}

/// Properties that hold for every packet of every layer. Declaring a new packet is sufficient to test it.
@Suite struct PacketRegistryTests {
  @Test("decoding and encoding each example gives its octets", arguments: PacketRegistry.all)
  func decodingAndEncodingEachExampleGivesItsOctets(packet: PacketDescription) throws {
    let examples = packet.examples()
    #expect(!examples.isEmpty)
    for example in examples {
      #expect(try packet.roundTrip(example) == example)
      let text = try packet.describe(example)
      #expect(!text.contains("rawValue") && !text.contains("ArraySlice"), "\(text)")
    }
  }

  @Test("each truncation is refused or decoded", arguments: PacketRegistry.all)
  func eachTruncationIsRefusedOrDecoded(packet: PacketDescription) {
    for example in packet.examples() {
      for length in 0..<example.count {
        expectRefusedOrStable(packet, Array(example.prefix(length)))
      }
    }
  }

  @Test("each extension by one octet is refused or decoded", arguments: PacketRegistry.all)
  func eachExtensionByOneOctetIsRefusedOrDecoded(packet: PacketDescription) {
    for example in packet.examples() {
      for octet: UInt8 in [0x00, 0x01, 0x7F, 0xFF] {
        expectRefusedOrStable(packet, example + [octet])
      }
    }
  }

  @Test("each changed octet is refused or decoded", arguments: PacketRegistry.all)
  func eachChangedOctetIsRefusedOrDecoded(packet: PacketDescription) {
    for example in packet.examples() {
      for index in example.indices {
        for change: UInt8 in [0x01, 0x80, 0xFF] {
          var changed = example
          changed[index] ^= change
          expectRefusedOrStable(packet, changed)
        }
      }
    }
  }

  @Test("random octets are refused or decoded", arguments: PacketRegistry.all)
  func randomOctetsAreRefusedOrDecoded(packet: PacketDescription) {
    let seed: UInt64 = 0x5EED_0001
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<500 {
      let octets = entropy.octets(Int(entropy.uniform(0..<80)))
      expectRefusedOrStable(packet, octets, "seed \(seed)")
    }
  }

  @Test("each packet is named once in its layer")
  func eachPacketIsNamedOnceInItsLayer() {
    var seen: Set<String> = []
    for packet in PacketRegistry.all {
      #expect(seen.insert("\(packet.layer) \(packet.name)").inserted, "\(packet.layer) \(packet.name) twice")
    }
  }

  /// Refusal is a `DecodeError`; a decoded packet must survive being encoded and decoded again.
  private func expectRefusedOrStable(
    _ packet: PacketDescription, _ octets: [UInt8], _ note: String = "",
    location: SourceLocation = #_sourceLocation
  ) {
    do {
      let written = try packet.roundTrip(octets)
      _ = try packet.describe(octets)
      let again = try packet.roundTrip(written)
      #expect(again == written, "\(octets.hexadecimal) \(note)", sourceLocation: location)
    } catch let error {
      #expect(error is DecodeError, "\(octets.hexadecimal): \(error) \(note)", sourceLocation: location)
    }
  }
}
