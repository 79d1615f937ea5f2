import Foundation

/// Two rows of octets combined bit by bit, with a stated rule for rows of different length.
public enum ExclusiveOr {
  /// What happens where one row ends before the other.
  public enum LengthRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Rows of different length are a mistake.
    case equal
    /// The result is as long as the shorter row.
    case shorter
    /// The shorter row counts as filled up with zeros at its end: the rest of the longer one stands unchanged.
    case zeroFilled
    /// The second row is a key that starts over at its end; the result is as long as the first.
    case repeatingKey
  }

  /// Why two rows cannot be combined.
  public enum LengthError: Error, Sendable, Hashable {
    /// The rule wants equal lengths, and these are the two.
    case differentLengths(Int, Int)
    /// A key of no octets cannot be repeated.
    case emptyKey
  }

  /// `first` and `second` combined. A key may be empty only if there is nothing to combine it with.
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
