import Foundation

/// One frame without its encoding.
public struct Frame: Sendable, Hashable {
  /// The type of the frame; 0 if the format has no type field.
  public var type: UInt32
  /// The sequence number; 0 if the format has no sequence field.
  public var sequence: UInt32
  /// The content of the frame.
  public var payload: Data

  /// Creates a frame; the format determines which of the fields are encoded.
  public init(type: UInt32 = 0, sequence: UInt32 = 0, payload: Data = Data()) {
    self.type = type
    self.sequence = sequence
    self.payload = payload
  }
}

/// Why a frame format is invalid.
public enum FrameFormatError: Error, Sendable, Hashable {
  /// A field has this number of octets, which is not 1 to 4.
  case fieldWidth(FrameFormat.Field.Meaning, Int)
  /// There are two fields with this meaning.
  case fieldTwice(FrameFormat.Field.Meaning)
  /// No check algorithm has this name.
  case unknownCheck(String)
  /// The maximum payload is not 0 to 65,535 octets.
  case maximumPayload(Int)
}

extension FrameFormatError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .fieldWidth(let meaning, let width): "the \(meaning.rawValue) field has \(width) octets: 1 to 4 are possible"
    case .fieldTwice(let meaning): "there is more than one \(meaning.rawValue) field"
    case .unknownCheck(let name): "unknown check \"\(name)\""
    case .maximumPayload(let octets): "a payload of at most \(octets) octets: 0 to 65535 are possible"
    }
  }
}

/// Why a frame cannot be encoded.
public enum FrameEncodingError: Error, Sendable, Hashable {
  /// The payload is longer than the format allows.
  case payloadTooLong(octets: Int, maximum: Int)
  /// The value needs more octets than its field has.
  case doesNotFit(FrameFormat.Field.Meaning, UInt32)
}

extension FrameEncodingError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .payloadTooLong(let octets, let maximum):
      "the payload has \(octets) octets; a frame carries at most \(maximum)"
    case .doesNotFit(let meaning, let value): "\(value) does not fit into the \(meaning.rawValue) field"
    }
  }
}
