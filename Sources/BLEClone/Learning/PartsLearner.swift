import BLEDeviceFiles
import BLESession
import Foundation

/// Finds a rule that makes values: constants, octets of the write, numbers that count, and numbers that move with time.
///
/// A rule is taken only if it makes each value that was seen, to the last octet.
struct PartsLearner {
  /// One value: what was written, what was said, and when.
  struct Sample {
    var write = Data()
    let octets: Data
    /// Microseconds since the first link began.
    let time: Int64
  }

  /// Two values always lie on a line: a number that changes is believed from three on.
  private static let fewest = 3
  private static let widest = 4
  /// What a file may have.
  private static let mostParts = 64
  /// What clocks of devices count, in microseconds.
  private static let units: [Int64] = [1_000_000, 100_000, 10_000, 1_000, 60_000_000]

  let samples: [Sample]

  /// The parts in their order; `nil` if no rule makes these values.
  static func parts(_ samples: [Sample]) -> [RecordedValue.Part]? { PartsLearner(samples: samples).parts }

  private var parts: [RecordedValue.Part]? {
    guard let first = samples.first else { return nil }
    if samples.allSatisfy({ $0.octets == first.octets }) { return [.constant(first.octets)] }
    guard samples.allSatisfy({ $0.octets.count == first.octets.count }) else { return rest }
    let width = first.octets.count
    let varies = (0..<width).map { place in
      samples.contains { octet($0.octets, place) != octet(first.octets, place) }
    }
    var parts: [RecordedValue.Part] = []
    var place = 0
    while place < width {
      let end = varies[place...].firstIndex { $0 != varies[place] } ?? width
      if varies[place] {
        guard let part = part(place..<end) else { return rest }
        parts.append(part)
      } else {
        parts.append(.constant(Data(first.octets.dropFirst(place).prefix(end - place))))
      }
      place = end
    }
    return parts.count <= Self.mostParts ? parts : nil
  }

  private func octet(_ octets: Data, _ place: Int) -> UInt8 { octets[octets.startIndex + place] }

  /// A field that changes.
  private func part(_ field: Range<Int>) -> RecordedValue.Part? {
    copied(field) ?? counter(field) ?? clock(field)
  }

  private func copied(_ field: Range<Int>) -> RecordedValue.Part? {
    guard let shortest = samples.map(\.write.count).min(), shortest >= field.count else { return nil }
    let offset = (0...(shortest - field.count)).first { offset in
      samples.allSatisfy { sample in
        sample.octets.dropFirst(field.lowerBound).prefix(field.count)
          .elementsEqual(sample.write.dropFirst(offset).prefix(field.count))
      }
    }
    return offset.map { .written(offset: $0, count: field.count) }
  }

  /// Values of different lengths: a head that is the same, then the write from some octet to its end.
  private var rest: [RecordedValue.Part]? {
    guard let first = samples.first?.octets, let shortest = samples.map(\.octets.count).min() else { return nil }
    let head =
      (0..<shortest).first { place in
        samples.contains { octet($0.octets, place) != octet(first, place) }
      } ?? shortest
    for length in stride(from: head, through: 0, by: -1) {
      guard let sample = samples.first else { return nil }
      let offset = sample.write.count - (sample.octets.count - length)
      guard offset >= 0 else { continue }
      let fits = samples.allSatisfy { sample in
        sample.write.count >= offset && sample.octets.dropFirst(length).elementsEqual(sample.write.dropFirst(offset))
      }
      guard fits else { continue }
      return (length > 0 ? [.constant(Data(first.prefix(length)))] : []) + [.written(offset: offset, count: nil)]
    }
    return nil
  }

  // MARK: Numbers

  private func numbers(_ field: Range<Int>, _ order: ByteOrder) -> [UInt64] {
    samples.map { sample in
      let octets = sample.octets.dropFirst(field.lowerBound).prefix(field.count)
      let ordered = order == .bigEndian ? Array(octets) : octets.reversed()
      return ordered.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private func counter(_ field: Range<Int>) -> RecordedValue.Part? {
    guard samples.count >= Self.fewest, field.count <= Self.widest else { return nil }
    let mask = UInt64(1) << UInt64(8 * field.count) - 1
    for order in field.count == 1 ? [.littleEndian] : [ByteOrder.littleEndian, .bigEndian] {
      let numbers = numbers(field, order)
      let step = (numbers[1] &- numbers[0]) & mask
      guard zip(numbers, numbers.dropFirst()).allSatisfy({ ($1 &- $0) & mask == step }) else { continue }
      return .counter(start: numbers[0], step: step, width: field.count, order: order)
    }
    return nil
  }

  private func clock(_ field: Range<Int>) -> RecordedValue.Part? {
    guard samples.count >= Self.fewest, field.count <= Self.widest else { return nil }
    for order in field.count == 1 ? [.littleEndian] : [ByteOrder.littleEndian, .bigEndian] {
      let numbers = numbers(field, order)
      for unit in Self.units {
        guard let (start, phase) = line(numbers, 8 * field.count, unit) else { continue }
        return .clock(start: start, unit: unit, phase: phase, width: field.count, order: order)
      }
    }
    return nil
  }

  /// The start and the phase with which a clock of that unit shows all numbers at their times.
  private func line(_ numbers: [UInt64], _ bits: Int, _ unit: Int64) -> (start: UInt64, phase: Int64)? {
    let mask = UInt64(1) << UInt64(bits) - 1
    let first = samples[0].time
    for carry in [Int64(0), 1] {
      var (low, high) = (Int64(0), unit)
      var moved: Int64 = 0
      for (sample, number) in zip(samples, numbers) {
        let difference = Int64((number &- numbers[0]) & mask)
        // How often the number has wrapped is what the time says.
        let expected = (sample.time - first) / unit
        let (wraps, overflow) = expected.subtractingReportingOverflow(difference)
        guard !overflow else { return nil }
        let whole = (wraps + Int64(mask) / 2) / (Int64(mask) + 1)
        moved = difference + max(0, whole) * (Int64(mask) + 1)
        let ticks = first / unit + carry + moved
        let (begins, tooFar) = ticks.multipliedReportingOverflow(by: unit)
        guard !tooFar else { return nil }
        low = max(low, begins - sample.time)
        high = min(high, begins - sample.time &+ unit)
      }
      // The number has moved often enough for its pace to be known.
      guard moved >= 2, low < high else { continue }
      return ((numbers[0] &- UInt64(bitPattern: first / unit + carry)) & mask, low + (high - low) / 2)
    }
    return nil
  }
}
