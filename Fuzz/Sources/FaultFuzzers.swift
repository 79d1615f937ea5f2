import BLECore
import BLEFaults

extension Fuzzer {
  /// A file of faults, or one in words, and the machine that carries them out with the rest of the input as packets.
  static let faults = Fuzzer(name: "faults") { octets in
    let end = octets.firstIndex(of: 0) ?? octets.endIndex
    let (text, rest) = (Array(octets[..<end]), Array(octets[end...].dropFirst()))
    do throws(FaultFileError) {
      let faults =
        text.first == 0x7B
        ? try FaultFile(octets: text, file: "f").faults : [try Fault(text: String(decoding: text, as: UTF8.self))]
      for fault in faults {
        require((try? Fault(text: fault.json)) == fault, "a fault that does not read back from its JSON")
        require((try? Fault(text: fault.words)) == fault, "a fault that does not read back from its words")
        require(fault.mistake == nil && !fault.description.isEmpty, "a fault that can never strike")
        require(fault.simpler.allSatisfy { $0.mistake == nil }, "a simpler fault that can never strike")
      }
      carryOut(faults, rest)
    } catch {
      require(!error.mistakes.isEmpty && error.mistakes.count <= 50, "no mistake, or too many")
      let positions = error.mistakes.map(\.position)
      require(positions == positions.sorted(), "mistakes out of order")
      for line in error.lines {
        let acts = line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        require(!acts, "a message that acts on a terminal")
      }
    }
  } seeds: {
    let all = Fault.known
    return [Array(FaultFile(faults: all).json.utf8)]
      + all.map { Array($0.words.utf8) + [0, 1, 3, 0x0A, 3, 0, 9, 2, 0x0B, 7, 0, 3, 0x1B, 3, 0] }
      + [
        Array(
          #"{"format": "ble-faults/1", "faults": [{"when": {"read": "2A37/2901", "nth": 2}, "what": "drop"}]}"#.utf8)
      ]
  }

  /// Each packet is a direction with a time, a length, and its octets.
  private static func carryOut(_ faults: [Fault], _ octets: [UInt8]) {
    var engine = FaultEngine(faults: faults, chance: SeededEntropy(seed: 1), now: .zero)
    var outputs = engine.linkOpened(1, now: .zero)
    var rest = octets[...]
    var (now, number) = (StackInstant.zero, UInt64(0))
    while let first = rest.popFirst(), let length = rest.popFirst(), number < 64 {
      number += 1
      now = now + .milliseconds(Int64(first >> 2) * 100)
      let channels: [ChannelIdentifier] = [.attributeProtocol, .securityManager, .lowEnergySignaling]
      outputs += engine.take(
        FaultPacket(
          link: 1, number: number, sender: first & 1 == 0 ? .device : .peer, channel: channels[Int(length >> 6) % 3],
          octets: Array(rest.prefix(Int(length & 63))), attribute: FaultAttribute(characteristic: BLEUUID(0x2A37))),
        now: now)
      rest = rest.dropFirst(Int(length & 63))
    }
    outputs += engine.linkClosed(1)
    var left: [UInt64: Int] = [:]
    for output in outputs {
      switch output {
      case .pass(let packet) where packet.number != 0: left[packet.number, default: 0] += 1
      case .drop(let number) where number != 0: left[number, default: 0] += 1
      default: break
      }
    }
    require(left.count == Int(number) && left.values.allSatisfy { $0 == 1 }, "a packet that is lost or comes twice")
    require(!engine.holdsPackets, "packets of a link that has ended")
  }
}
