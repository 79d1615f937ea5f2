import Foundation

/// A linear scheme of some vendors: each octet times an odd factor plus a summand, modulo 256.
public struct ModuloCodec: ValueCodec {
  private let factor: Modulo256
  private let inverse: Modulo256
  private let summand: Modulo256

  /// Returns `nil` if `factor` is even, because decoding would be ambiguous.
  public init?(factor: Int = 1, summand: Int) {
    guard !factor.isMultiple(of: 2) else { return nil }
    self.factor = Modulo256(factor)
    self.summand = Modulo256(summand)
    // x * x is 1 modulo 8 for odd x, so x is its own inverse to 3 bits; each Newton step doubles the number of correct bits.
    var inverse = Modulo256(factor)
    for _ in 0..<2 { inverse = inverse * (2 - Modulo256(factor) * inverse) }
    self.inverse = inverse
  }

  /// Returns `octet * factor + summand` for each octet.
  public func encode(_ content: Data) throws -> Data {
    Data(content.map { (Modulo256($0) * factor + summand).octet })
  }

  /// Reverses `encode`.
  public func decode(_ value: Data) throws -> [Data] {
    [Data(value.map { ((Modulo256($0) - summand) * inverse).octet })]
  }
}
