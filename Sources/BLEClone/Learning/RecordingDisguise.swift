import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

/// Replaces what a recording says of its owner: names, what the device's values were, what was written, and addresses, which a recording
/// has only where the device advertises its own.
///
/// Stand-ins have the lengths of what they replace. The same octets have the same stand-in in one recording, which says nothing of
/// them: it is made of the number of its first appearance. Handles, UUIDs, properties and times stay.
public struct RecordingDisguise {
  private var numbers: [Data: UInt64] = [:]

  public static func disguised(_ learned: LearnedDevice) -> LearnedDevice {
    var disguise = RecordingDisguise()
    return disguise.disguise(learned)
  }

  private mutating func disguise(_ learned: LearnedDevice) -> LearnedDevice {
    var copy = learned
    copy.name = "Device"
    for index in copy.recording.advertisements.indices {
      copy.recording.advertisements[index].data = advertisement(copy.recording.advertisements[index].data)
    }
    for index in copy.recording.attributes.indices {
      copy.recording.attributes[index].value = copy.recording.attributes[index].value.map { value($0) }
    }
    copy.recording.answers = answers(copy.recording.answers)
    for index in copy.recording.streams.indices {
      copy.recording.streams[index].value = value(copy.recording.streams[index].value)
    }
    // Values are in most of them.
    copy.recording.exchanges.removeAll { !Self.isDiscovery($0) }
    return copy
  }

  // MARK: What is said

  private mutating func value(_ value: RecordedValue) -> RecordedValue {
    switch value {
    case .sequence(let all): .sequence(all.map { octets($0) })
    case .parts(let parts):
      .parts(
        parts.map { part in
          switch part {
          case .constant(let constant): .constant(octets(constant))
          case .counter(_, let step, let width, let order): .counter(start: 0, step: step, width: width, order: order)
          case .clock(_, let unit, let phase, let width, let order):
            .clock(start: 0, unit: unit, phase: phase, width: width, order: order)
          case .written: part
          }
        })
    }
  }

  /// Of what was written only the first octet stays, which most protocols use as the command; what was said after writes that are the same
  /// now follows in turn.
  private mutating func answers(_ answers: [RecordedAnswer]) -> [RecordedAnswer] {
    var merged: [RecordedAnswer] = []
    for answer in answers {
      let octets =
        switch answer.match {
        case .same(let octets), .prefix(let octets): octets
        }
      let match = RecordedAnswer.Match.prefix(Data(octets.prefix(1)))
      let turns = answer.turns.map { turn in
        turn.map { statement in
          var copy = statement
          copy.value = value(statement.value)
          return copy
        }
      }
      if let index = merged.firstIndex(where: { $0.handle == answer.handle && $0.match == match }) {
        merged[index].turns += turns
      } else {
        merged.append(RecordedAnswer(handle: answer.handle, match: match, turns: turns))
      }
    }
    // The longer prefix first.
    return merged.filter { $0.match != .prefix(Data()) } + merged.filter { $0.match == .prefix(Data()) }
  }

  /// Exchanges that contain handles and types only.
  private static func isDiscovery(_ exchange: RecordedExchange) -> Bool {
    switch try? ATTClientPDU(Array(exchange.request)[...]) {
    case .findInformationRequest?, .findByTypeValueRequest?, .readByGroupTypeRequest?, .exchangeMTURequest?: true
    case .readByTypeRequest(let request)?:
      request.attributeType == ClonedTable.characteristic || request.attributeType == ClonedTable.include
    default: false
    }
  }

  // MARK: Octets

  private mutating func octets(_ octets: Data) -> Data {
    guard !octets.isEmpty else { return octets }
    let number = numbers[octets] ?? UInt64(numbers.count + 1)
    numbers[octets] = number
    // Text stays text, so that a program shows it.
    let isText = octets.allSatisfy { (0x20..<0x7F).contains($0) }
    var state = number &* 0x9E37_79B9_7F4A_7C15
    return Data(
      octets.indices.map { _ in
        state = (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9 &+ 1
        let octet = UInt8(truncatingIfNeeded: state >> 40)
        return isText ? 0x61 + octet % 26 : octet
      })
  }

  /// Flags, services, appearance and power stay; names, manufacturer data behind the company, and all else is replaced.
  private mutating func advertisement(_ data: Data) -> Data {
    var copy = Data()
    let structures = AdvertisingData(Array(data))
    for structure in structures {
      let content = Data(structure.data)
      let kept: Int
      switch structure.type {
      case .flags, .appearance, .txPowerLevel, .incomplete16BitServiceUUIDs, .complete16BitServiceUUIDs,
        .incomplete128BitServiceUUIDs, .complete128BitServiceUUIDs:
        kept = content.count
      case .manufacturerSpecificData, .serviceData16Bit: kept = min(2, content.count)
      case .serviceData128Bit: kept = min(16, content.count)
      default: kept = 0
      }
      copy.append(contentsOf: [UInt8(truncatingIfNeeded: content.count + 1), structure.type.rawValue])
      copy += content.prefix(kept) + octets(Data(content.dropFirst(kept)))
    }
    return copy
  }
}
