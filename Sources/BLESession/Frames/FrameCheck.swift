import Foundation

/// What proves a frame: an algorithm over a part of it.
public struct FrameCheck: Sendable, Hashable {
  /// How the check is worked out.
  public enum Algorithm: Sendable, Hashable {
    /// A cyclic redundancy check by its catalogue name, see ``CyclicRedundancyCheck/named(_:)``.
    case cyclicRedundancyCheck(String)
    /// The sum of all octets modulo 256.
    case sum
    /// What makes the sum of all octets and the check 0.
    case complement
    /// All octets combined by exclusive or.
    case exclusiveOr
  }

  /// What the check covers. It never covers itself and the end marker.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// The payload alone.
    case payload
    /// From behind the start marker.
    case fieldsAndPayload = "fields_and_payload"
    /// From the first octet of the start marker.
    case everything
  }

  /// How it is computed.
  public var algorithm: Algorithm
  /// What it is computed of.
  public var covers: Coverage
  /// The order of a check of more than one octet.
  public var order: ByteOrder

  /// A check at the end of each frame.
  public init(_ algorithm: Algorithm, covers: Coverage = .fieldsAndPayload, order: ByteOrder = .littleEndian) {
    self.algorithm = algorithm
    self.covers = covers
    self.order = order
  }

  /// Octets of the check; `nil` if no algorithm has that name.
  var width: Int? {
    switch algorithm {
    case .cyclicRedundancyCheck(let name): CyclicRedundancyCheck.named(name).map { ($0.width + 7) / 8 }
    case .sum, .complement, .exclusiveOr: 1
    }
  }

  /// The check of `octets` as it is sent.
  func octets(of octets: some Collection<UInt8>) -> Data {
    switch algorithm {
    case .cyclicRedundancyCheck(let name):
      guard let algorithm = CyclicRedundancyCheck.named(name) else { return Data() }
      return algorithm.value(of: octets).octets(width: (algorithm.width + 7) / 8, order: order)
    case .sum: return Data([Modulo256.sum(of: octets).octet])
    case .complement: return Data([Modulo256.complement(of: octets).octet])
    case .exclusiveOr: return Data([Modulo256.exclusiveOr(of: octets).octet])
    }
  }
}
