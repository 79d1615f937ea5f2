import Foundation

/// The vendors' scheme of counting octets up: each one times an odd number plus another number, modulo 256.
public struct ModuloCodec: ValueCodec {
  private let factor: Modulo256
  private let inverse: Modulo256
  private let summand: Modulo256

  /// `nil` where `factor` is even: two octets would become one, and there is no way back.
  public init?(factor: Int = 1, summand: Int) {
    guard !factor.isMultiple(of: 2) else { return nil }
    self.factor = Modulo256(factor)
    self.summand = Modulo256(summand)
    // x * x is 1 modulo 8 for odd x; each step of Newton's doubles the bits that are right.
    var inverse = Modulo256(factor)
    for _ in 0..<2 { inverse = inverse * (2 - Modulo256(factor) * inverse) }
    self.inverse = inverse
  }

  /// Counted up.
  public func encode(_ content: Data) throws -> Data {
    Data(content.map { (Modulo256($0) * factor + summand).octet })
  }

  /// Counted down again.
  public func decode(_ value: Data) throws -> [Data] {
    [Data(value.map { ((Modulo256($0) - summand) * inverse).octet })]
  }
}
