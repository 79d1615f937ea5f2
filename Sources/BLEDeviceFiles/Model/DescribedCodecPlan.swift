import BLESession
import Foundation

/// The encoding of messages, as a file describes it: steps inside the frame, the frame, and steps around it.
public struct DescribedCodecPlan: Sendable, Hashable {
  /// A step that transforms octets.
  public enum Step: Sendable, Hashable {
    /// XOR with a key that repeats.
    case exclusiveOr(key: Data)
    /// Each octet times `factor` plus `summand`, modulo 256. `factor` is odd, so that the step can be inverted.
    case modulo(factor: Int, summand: Int)
    /// AES-128 with a key that the file names; `pads`: PKCS#7 in block modes.
    case cipher(AESMode, key: Data, pads: Bool)
  }

  /// Applied to the payload, in this order.
  public var inner: [Step] = []
  /// The layout of frames; `nil` if messages are not framed.
  public var frame: FrameFormat?
  /// Applied to the whole frame, in this order.
  public var outer: [Step] = []

  /// No encoding.
  public init() {}

  /// The type field of the frames; `nil` if they have none.
  var typeField: FrameFormat.Field? { frame?.fields.first { $0.meaning == .type } }

  /// Whether a step needs cryptography.
  public var needsCryptography: Bool {
    (inner + outer).contains { if case .cipher = $0 { true } else { false } }
  }
}
