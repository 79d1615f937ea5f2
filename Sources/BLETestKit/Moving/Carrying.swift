import BLECore

/// How a device is held, which says how much of its signal the body of its user takes.
///
/// The person who carries it turns around in the course of a minute: the loss moves between facing the others and turning the back to
/// them. `Docs/radio.md` names the sources.
public enum Carrying: CaseIterable, Hashable, Sendable {
  /// It lies free.
  case onTable
  /// 3 dB of the hand, and up to 10 dB of the body.
  case inHand
  /// 7 dB of clothes and thigh, and up to 16 dB of the body.
  case inPocket

  /// What is lost in any direction, in dB.
  public var loss: Double {
    switch self {
    case .onTable: 0
    case .inHand: 3
    case .inPocket: 7
    }
  }

  /// What is lost besides where the body is in between, in dB.
  public var shadow: Double {
    switch self {
    case .onTable: 0
    case .inHand: 10
    case .inPocket: 16
    }
  }
}

/// Which way somebody faces, as time passes: a direction for each ten seconds, and a steady turn from one to the next.
struct Orientation: Sendable {
  private let seed: UInt64
  private static let turn = 10.0

  init(seed: UInt64) { self.seed = seed }

  /// How much of the body is in between, 0 to 1.
  func shadowing(at seconds: Double) -> Double {
    let turn = (seconds / Self.turn).rounded(.down)
    let share = seconds / Self.turn - turn
    return drawn(turn) * (1 - share) + drawn(turn + 1) * share
  }

  private func drawn(_ turn: Double) -> Double {
    SeededEntropy(seed: seed).fork(UInt64(max(0, min(turn, 1e15)))).unit()
  }
}
