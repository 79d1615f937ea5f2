import BLECore
import BLEWire
import Testing

extension PacketDescription: CustomTestStringConvertible {
  public var testDescription: String { "\(layer.rawValue) \(name)" }
}

/// What holds for every packet of every layer. A new packet is tested by being declared.
@Suite struct PacketRegistryTests {
  @Test(arguments: PacketRegistry.all)
  func `gives back its examples octet by octet`(packet: PacketDescription) throws {
    let examples = packet.examples()
    #expect(!examples.isEmpty)
    for example in examples {
      #expect(try packet.roundTrip(example) == example)
      let text = try packet.describe(example)
      #expect(!text.contains("rawValue") && !text.contains("ArraySlice"), "\(text)")
    }
  }

  @Test(arguments: PacketRegistry.all)
  func `refuses or understands each truncation`(packet: PacketDescription) {
    for example in packet.examples() {
      for length in 0..<example.count {
        expectRefusedOrStable(packet, Array(example.prefix(length)))
      }
    }
  }

  @Test(arguments: PacketRegistry.all)
  func `refuses or understands each extension by one octet`(packet: PacketDescription) {
    for example in packet.examples() {
      for octet: UInt8 in [0x00, 0x01, 0x7F, 0xFF] {
        expectRefusedOrStable(packet, example + [octet])
      }
    }
  }

  @Test(arguments: PacketRegistry.all)
  func `refuses or understands each octet changed`(packet: PacketDescription) {
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

  @Test(arguments: PacketRegistry.all)
  func `refuses or understands random octets`(packet: PacketDescription) {
    let seed: UInt64 = 0x5EED_0001
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<500 {
      let octets = entropy.octets(Int(entropy.uniform(0..<80)))
      expectRefusedOrStable(packet, octets, "seed \(seed)")
    }
  }

  @Test func `names each packet once in its layer`() {
    var seen: Set<String> = []
    for packet in PacketRegistry.all {
      #expect(seen.insert("\(packet.layer) \(packet.name)").inserted, "\(packet.layer) \(packet.name) twice")
    }
  }

  /// Refusal is a `DecodeError`; what was understood must survive being written and read again.
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
