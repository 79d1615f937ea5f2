import BLECore
import CLibcrypto

/// A secret: erased when the last reference is released, never printed, compared in constant time.
public struct SecretKey: Sendable {
  // `@unchecked Sendable`: immutable after initialization, so it can be shared between threads.
  private final class Storage: @unchecked Sendable {
    let octets: UnsafeMutableBufferPointer<UInt8>

    init(_ source: some Collection<UInt8>) {
      octets = .allocate(capacity: source.count)
      _ = octets.initialize(from: source)
    }

    deinit {
      OPENSSL_cleanse(octets.baseAddress, octets.count)
      octets.deallocate()
    }
  }

  private let storage: Storage

  /// The octets, most significant first, as the specification prints keys.
  public init(mostSignificantFirst octets: some Collection<UInt8>) {
    storage = Storage(octets)
  }

  /// The octets as on the air.
  public init(leastSignificantFirst octets: some BidirectionalCollection<UInt8>) {
    storage = Storage(octets.reversed())
  }

  public init(_ block: AESBlock) {
    self.init(mostSignificantFirst: block.mostSignificantFirst)
  }

  /// Sixteen random octets.
  public static func random(_ entropy: any EntropySource) -> SecretKey {
    SecretKey(AESBlock(high: entropy.next(), low: entropy.next()))
  }

  public var count: Int { storage.octets.count }

  /// Whether every octet is zero: a missing key.
  public var isZero: Bool { storage.octets.reduce(0) { $0 | $1 } == 0 }

  /// Calls `body` with the octets, which are valid only inside it.
  public func withOctets<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeBufferPointer(storage.octets)) }
  }

  /// A copy that is not erased, most significant octet first: only for a packet that carries the key, or for the bond store.
  public func revealMostSignificantFirst() -> [UInt8] { withOctets { Array($0) } }

  /// A copy that is not erased, least significant octet first.
  public func revealLeastSignificantFirst() -> [UInt8] { withOctets { $0.reversed() } }
}

extension SecretKey: Equatable {
  public static func == (left: SecretKey, right: SecretKey) -> Bool {
    guard left.count == right.count else { return false }
    return left.withOctets { first in
      right.withOctets { second in CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0 }
    }
  }
}

extension SecretKey: Redacted {}
