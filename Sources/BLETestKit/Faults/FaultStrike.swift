import BLECore
import BLEFaults
import Synchronization

/// A fault that has struck.
public struct FaultStrike: Hashable, Sendable, CustomStringConvertible {
  /// The name of the device that it belongs to.
  public let device: String
  /// The fault.
  public let fault: Fault
  /// When, since the world's beginning.
  public let time: Duration

  /// "at 3.25 s on the lamp: at the 2nd read of 2A19, the answer is Unlikely Error (0x0E)".
  public var description: String { "at \(WorldEvent.words(time)) on the \(device): \(fault)" }
}

/// The faults that have struck in a world, the latest at most.
final class FaultRecord: Sendable {
  private static let limit = 10_000
  private let marks: WorldMarks
  private let strikes = Mutex<[FaultStrike]>([])

  /// - Parameter marks: those of the page of a failing test.
  init(_ marks: WorldMarks) { self.marks = marks }

  var all: [FaultStrike] { strikes.withLock { $0 } }

  func add(_ strike: FaultStrike) {
    marks.add(.fault, deviceNamed: strike.device, at: .zero + StackDuration(strike.time)) {
      "\(strike.device): \(strike.fault)"
    }
    strikes.withLock { strikes in
      if strikes.count >= Self.limit { strikes.removeFirst(Self.limit / 2) }
      strikes.append(strike)
    }
  }
}

extension World {
  /// The faults that have struck so far, in the order of their time: the latest 10,000 at most. The log has a line for each.
  public var faultsStruck: [FaultStrike] { faultRecord.all }
}
