/// A cyclic redundancy check, by the parameters that catalogues of CRC algorithms list.
///
/// Most programs need only `CyclicRedundancyCheck.maximDallas8.value(of: octets)`; ``named`` holds the algorithms by catalogue name.
public struct CyclicRedundancyCheck: Sendable {
  /// The catalogue name, such as `CRC-8/MAXIM-DOW`.
  public let name: String
  /// Bits of the result, 8 to 32.
  public let width: Int
  /// The polynomial without its highest term, most significant bit first.
  public let polynomial: UInt32
  /// The initial value of the register.
  public let initial: UInt32
  /// Whether the least significant bit of each octet is processed first.
  public let reflectsInput: Bool
  /// Whether the register is bit-reversed at the end.
  public let reflectsOutput: Bool
  /// The value that the result is XORed with.
  public let finalExclusiveOr: UInt32

  /// The effect of each octet value on the register.
  private let table: [UInt32]

  /// Creates an algorithm; `nil` if the width is not 8 to 32 or a parameter has more bits than `width`.
  public init?(
    name: String, width: Int, polynomial: UInt32, initial: UInt32 = 0, reflectsInput: Bool = false,
    reflectsOutput: Bool = false, finalExclusiveOr: UInt32 = 0
  ) {
    guard (8...32).contains(width), (polynomial | initial | finalExclusiveOr) & ~Self.mask(width) == 0 else {
      return nil
    }
    self.init(
      name, width, polynomial, initial, reflected: reflectsInput, outputReflected: reflectsOutput, finalExclusiveOr)
  }

  init(
    _ name: String, _ width: Int, _ polynomial: UInt32, _ initial: UInt32, reflected: Bool,
    outputReflected: Bool? = nil, _ finalExclusiveOr: UInt32 = 0
  ) {
    self.name = name
    self.width = width
    self.polynomial = polynomial
    self.initial = initial
    self.reflectsInput = reflected
    self.reflectsOutput = outputReflected ?? reflected
    self.finalExclusiveOr = finalExclusiveOr
    table =
      reflected
      ? Self.reflectedTable(Self.reflect(polynomial, width: width))
      : Self.straightTable(polynomial << (32 - UInt32(width)))
  }

  /// Returns the check of all octets.
  public func value(of octets: some Sequence<UInt8>) -> UInt32 {
    finish(update(start(), with: octets))
  }

  /// Returns the initial register, for a check over several pieces.
  public func start() -> UInt32 {
    // A reflected register is aligned to the lower end of the 32 bits, the other to the upper end: one loop works for every width.
    reflectsInput ? Self.reflect(initial, width: width) : initial << (32 - UInt32(width))
  }

  /// Returns the register after more octets.
  public func update(_ register: UInt32, with octets: some Sequence<UInt8>) -> UInt32 {
    var register = register
    if reflectsInput {
      for octet in octets { register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ octet)] }
    } else {
      for octet in octets { register = register << 8 ^ table[Int(UInt8(register >> 24) ^ octet)] }
    }
    return register
  }

  /// Returns the check for a register.
  public func finish(_ register: UInt32) -> UInt32 {
    let value = reflectsInput ? register : register >> (32 - UInt32(width))
    return (reflectsInput == reflectsOutput ? value : Self.reflect(value, width: width)) ^ finalExclusiveOr
  }

  private static func mask(_ width: Int) -> UInt32 { .max >> (32 - UInt32(width)) }

  private static func reflect(_ value: UInt32, width: Int) -> UInt32 {
    var (rest, result) = (value, UInt32(0))
    for _ in 0..<width {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }

  private static func reflectedTable(_ polynomial: UInt32) -> [UInt32] {
    (0..<256).map { octet in
      (0..<8).reduce(UInt32(octet)) { register, _ in register & 1 == 0 ? register >> 1 : register >> 1 ^ polynomial }
    }
  }

  private static func straightTable(_ polynomial: UInt32) -> [UInt32] {
    (0..<256).map { octet in
      (0..<8).reduce(UInt32(octet) << 24) { register, _ in
        register >> 31 == 0 ? register << 1 : register << 1 ^ polynomial
      }
    }
  }
}
