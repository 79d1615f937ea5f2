import BLECore

/// A device's identity resolving key, prepared to make and to resolve private addresses (Core, Vol 6 Part B 1.3.2.2).
public final class IdentityResolver {
  private let cipher: AES128
  /// A key of zeros resolves nothing: a device that distributes it uses no private addresses.
  private let isUsable: Bool

  public init(irk: SecretKey) {
    cipher = AES128(key: irk)
    isUsable = !irk.isZero
  }

  /// Whether the address was made with this key.
  public func resolves(_ address: DeviceAddress) -> Bool {
    guard isUsable, address.randomKind == .resolvablePrivate else { return false }
    return SecurityToolbox.ah(cipher, UInt32(truncatingIfNeeded: address.value >> 24))
      == UInt32(truncatingIfNeeded: address.value & 0xFF_FFFF)
  }

  /// Makes a private address.
  public func makeAddress(_ entropy: any EntropySource) -> DeviceAddress {
    while true {
      let random = entropy.next() & 0x3F_FFFF
      // The specification requires at least one zero and one one among the random bits.
      if random == 0 || random == 0x3F_FFFF { continue }
      let prand = 0x40_0000 | random
      return DeviceAddress(
        prand << 24 | UInt64(SecurityToolbox.ah(cipher, UInt32(truncatingIfNeeded: prand))), kind: .random)
    }
  }
}
