import BLESession
import Foundation

/// Octets of a recording: the same each time, made by a rule, or one after the other as they were recorded.
public enum RecordedValue: Sendable, Hashable {
  /// The parts of a value, one after the other.
  case parts([Part])
  /// What was recorded, in its order. What happens behind the last depends on what it is the value of.
  case sequence([Data])

  /// The same octets each time.
  public static func constant(_ octets: Data) -> RecordedValue { .parts([.constant(octets)]) }

  /// A part of a value.
  public enum Part: Sendable, Hashable {
    /// The same octets each time.
    case constant(Data)
    /// Octets of the write that is answered, from `offset`; to its end where `count` is `nil`.
    case written(offset: Int, count: Int?)
    /// A number that grows by `step`, modulo its width, each time.
    case counter(start: UInt64, step: UInt64, width: Int, order: ByteOrder)
    /// A number that grows by one each `unit` microseconds. At time 0, where the first link begins, it is `start`, and the first change
    /// comes `phase` microseconds before a whole unit.
    case clock(start: UInt64, unit: Int64, phase: Int64, width: Int, order: ByteOrder)
  }

  /// The longest value of an attribute (Core, Vol 3 Part F 3.2.9).
  package static let longest = 512

  /// The octets of the `number`th time, counted from 0.
  /// - Parameters:
  ///   - write: what is answered.
  ///   - time: microseconds since the beginning of the first link.
  package func octets(number: Int, answering write: Data = Data(), at time: Int64, repeats: Bool = false) -> Data {
    switch self {
    case .sequence(let all):
      guard !all.isEmpty else { return Data() }
      return all[repeats ? number % all.count : min(number, all.count - 1)]
    case .parts(let parts):
      var octets = Data()
      for part in parts where octets.count < Self.longest { octets += part.octets(number, write, time) }
      return Data(octets.prefix(Self.longest))
    }
  }
}

extension RecordedValue.Part {
  fileprivate func octets(_ number: Int, _ write: Data, _ time: Int64) -> Data {
    switch self {
    case .constant(let octets): return octets
    case .written(let offset, let count):
      let rest = write.dropFirst(offset)
      return Data(count.map { rest.prefix($0) } ?? rest)
    case .counter(let start, let step, let width, let order):
      return Self.octets(start &+ step &* UInt64(clamping: number), width, order)
    case .clock(let start, let unit, let phase, let width, let order):
      let (sum, overflow) = max(0, time).addingReportingOverflow(phase)
      let ticks = overflow || unit <= 0 ? 0 : sum / unit
      return Self.octets(start &+ UInt64(bitPattern: ticks), width, order)
    }
  }

  private static func octets(_ number: UInt64, _ width: Int, _ order: ByteOrder) -> Data {
    let little = (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    return Data(order == .littleEndian ? little : little.reversed())
  }
}
