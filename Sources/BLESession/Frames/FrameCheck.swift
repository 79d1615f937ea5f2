import Foundation

/// The checksum of a frame: an algorithm and the part of the frame that it covers.
public struct FrameCheck: Sendable, Hashable {
  /// The algorithm of the check.
  public enum Algorithm: Sendable, Hashable {
    /// A cyclic redundancy check by its catalogue name, see ``CyclicRedundancyCheck/named(_:)``.
    case cyclicRedundancyCheck(String)
    /// The sum of all octets modulo 256.
    case sum
    /// The two's complement: the sum of all octets and the check is 0.
    case complement
    /// XOR of all octets.
    case exclusiveOr
  }

  /// What the check covers. It never covers itself or the end marker.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// The payload alone.
    case payload
    /// The fields and the payload, without the start marker.
    case fieldsAndPayload = "fields_and_payload"
    /// Everything from the first octet of the start marker.
    case everything
  }

  /// The algorithm.
  public var algorithm: Algorithm
  /// The covered part of the frame.
  public var covers: Coverage
  /// The octet order of a check with more than one octet.
  public var order: ByteOrder

  /// Creates a check that follows the payload of each frame.
  public init(_ algorithm: Algorithm, covers: Coverage = .fieldsAndPayload, order: ByteOrder = .littleEndian) {
    self.algorithm = algorithm
    self.covers = covers
    self.order = order
  }

  /// The length of the check in octets; `nil` if no algorithm has this name.
  var width: Int? {
    switch algorithm {
    case .cyclicRedundancyCheck(let name): CyclicRedundancyCheck.named(name).map { ($0.width + 7) / 8 }
    case .sum, .complement, .exclusiveOr: 1
    }
  }

  /// Returns the encoded check of `octets`.
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
