import Foundation

/// One frame without its wrapping.
public struct Frame: Sendable, Hashable {
  /// What kind of frame it is; 0 where the format has no such field.
  public var type: UInt32
  /// Its number; 0 where the format has no such field.
  public var sequence: UInt32
  /// What the frame carries.
  public var payload: Data

  /// A frame; which of its numbers go out is the format's matter.
  public init(type: UInt32 = 0, sequence: UInt32 = 0, payload: Data = Data()) {
    self.type = type
    self.sequence = sequence
    self.payload = payload
  }
}

/// What is wrong with a layout of frames.
public enum FrameFormatError: Error, Sendable, Hashable {
  /// A field of so many octets, which its meaning cannot have.
  case fieldWidth(FrameFormat.Field.Meaning, Int)
  /// This meaning has two fields.
  case fieldTwice(FrameFormat.Field.Meaning)
  /// No check has this name.
  case unknownCheck(String)
  /// Payloads of so many octets do not go into the length field.
  case maximumPayload(Int)
}

extension FrameFormatError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .fieldWidth(let meaning, let width): "the \(meaning.rawValue) field has \(width) octets: 1 to 4 are possible"
    case .fieldTwice(let meaning): "there is more than one \(meaning.rawValue) field"
    case .unknownCheck(let name): "no check is called \"\(name)\""
    case .maximumPayload(let octets): "a payload of at most \(octets) octets: 0 to 65535 are possible"
    }
  }
}

/// Why a frame cannot be written.
public enum FrameEncodingError: Error, Sendable, Hashable {
  /// More than the format allows.
  case payloadTooLong(octets: Int, maximum: Int)
  /// The value needs more octets than its field has.
  case doesNotFit(FrameFormat.Field.Meaning, UInt32)
}

extension FrameEncodingError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .payloadTooLong(let octets, let maximum):
      "a payload of \(octets) octets; a frame carries \(maximum) at the most"
    case .doesNotFit(let meaning, let value): "\(value) does not fit into the \(meaning.rawValue) field"
    }
  }
}
