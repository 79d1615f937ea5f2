import Foundation

/// XOR of two octet sequences, with an explicit rule for different lengths.
public enum ExclusiveOr {
  /// How sequences of different length are combined.
  public enum LengthRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Different lengths are an error.
    case equal
    /// The result is as long as the shorter sequence.
    case shorter
    /// The shorter sequence is padded with zeros: the rest of the longer one is copied unchanged.
    case zeroFilled
    /// The second sequence is a key that repeats; the result is as long as the first.
    case repeatingKey
  }

  /// Why two sequences cannot be combined.
  public enum LengthError: Error, Sendable, Hashable {
    /// The rule requires equal lengths; the two lengths differ.
    case differentLengths(Int, Int)
    /// An empty key cannot be repeated.
    case emptyKey
  }

  /// Returns `first` XOR `second`. A repeating key may be empty only if `first` is empty.
  public static func combine(
    _ first: some Collection<UInt8>, _ second: some Collection<UInt8>, rule: LengthRule
  ) throws(LengthError) -> Data {
    var result = Data(zip(first, second).lazy.map { $0 ^ $1 })
    switch rule {
    case .equal:
      guard first.count == second.count else { throw .differentLengths(first.count, second.count) }
    case .shorter:
      break
    case .zeroFilled:
      result.append(contentsOf: first.dropFirst(result.count))
      result.append(contentsOf: second.dropFirst(first.count))
    case .repeatingKey:
      guard !first.isEmpty else { return Data() }
      guard !second.isEmpty else { throw .emptyKey }
      let key = Array(second)
      result.reserveCapacity(first.count)
      for (position, octet) in zip(result.count..., first.dropFirst(result.count)) {
        result.append(octet ^ key[position % key.count])
      }
    }
    return result
  }
}
