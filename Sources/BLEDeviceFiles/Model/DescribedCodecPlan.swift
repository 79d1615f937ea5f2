import BLESession
import Foundation

/// What stands around messages on the air, as a file says it: steps inside the frame, the frame, steps around it.
public struct DescribedCodecPlan: Sendable, Hashable {
  /// A step that makes octets from octets.
  public enum Step: Sendable, Hashable {
    /// Combined with a key that repeats.
    case exclusiveOr(key: Data)
    /// Each octet times `factor` plus `summand`, modulo 256. `factor` is odd, so that there is a way back.
    case modulo(factor: Int, summand: Int)
    /// AES-128 with a key that the file names; `pads`: PKCS#7 in block modes.
    case cipher(AESMode, key: Data, pads: Bool)
  }

  /// Applied to the payload, the first one first.
  public var inner: [Step] = []
  /// The layout of frames; `nil` where messages go as they are.
  public var frame: FrameFormat?
  /// Applied to the whole frame.
  public var outer: [Step] = []

  /// Nothing around messages.
  public init() {}

  /// The frames' type field, where they have one.
  var typeField: FrameFormat.Field? { frame?.fields.first { $0.meaning == .type } }

  /// Whether somebody has to bring cryptography along.
  public var needsCryptography: Bool {
    (inner + outer).contains { if case .cipher = $0 { true } else { false } }
  }
}
