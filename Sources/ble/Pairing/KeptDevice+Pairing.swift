import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHost
import BLEWire
import Foundation

/// The result of pairing with a device.
struct PairingReport: Sendable {
  /// `nil` if the system keeps the keys and does not report their properties.
  let security: PairingSecurity?
  let address: String?
  /// Whether the keys are stored for the next connection.
  let isBonded: Bool
  /// Whether the keys of an earlier pairing were sufficient, and the link is encrypted with them.
  let isEarlier: Bool
}

extension KeptDevice {
  /// Ensures that the security of the link is at least `level`, with existing or new keys.
  func pair(_ level: SecurityLevel) async throws(ToolError) -> PairingReport {
    try requireLink()
    let identifier = identifier ?? UUID()
    let peer = PeerIdentifier(identifier)
    guard let stack = PairingDesk.stack else {
      guard let system = DefaultStack.adapter as? any SystemPairing else {
        throw ToolError(.unavailable, "This adapter pairs by itself, when a protected value is used.")
      }
      return try await pair(identifier, by: system, level)
    }
    if let bond = stack.bond(with: peer), bond.security.level >= level {
      // A device that still has its keys may have requested this pairing as soon as it was connected.
      return report(bond.security, peer, !bond.isNew)
    }
    // A device may request pairing as soon as it is connected: that pairing counts as well.
    for _ in 1...3 {
      let before = session.pairing.ended.count
      switch try await pairOnce(stack, peer, level) {
      case .success(let security):
        return report(security, peer, false)
      case .failure(.busy):
        let desk = session.pairing
        try await until(within: session.timeout) { desk.ended.count > before }
        if let bond = stack.bond(with: peer), bond.security.level >= level { return report(bond.security, peer, false) }
      case .failure(let failure): throw error(failure)
      }
    }
    throw error(.busy)
  }

  private func pair(
    _ identifier: UUID, by system: any SystemPairing, _ level: SecurityLevel
  ) async throws(ToolError) -> PairingReport {
    if level > .encrypted {
      throw ToolError(
        .unavailable, "The Bluetooth daemon does not report the security of its keys: '--level' needs --adapter hci.")
    }
    let peer = PeerIdentifier(identifier)
    let result: Result<Bool, SystemPairingError> = try await session.waiting.answer { system.pair(with: peer, $0) }
    switch result {
    case .success(let isNew):
      return PairingReport(
        security: nil, address: PeerAddresses.address(of: identifier)?.description, isBonded: true,
        isEarlier: !isNew)
    case .failure(let error):
      throw ToolError(.failed, "Pairing with \(title) failed: \(error.description.inert).")
    }
  }

  private func pairOnce(
    _ stack: HostStack, _ peer: PeerIdentifier, _ level: SecurityLevel
  ) async throws(ToolError) -> Result<PairingSecurity, PairingFailure> {
    // The stack ends a pairing that stalls, and one whose link is lost.
    try await session.waiting.answer { stack.pair(with: peer, minimumLevel: level, $0) }
  }

  private func report(_ security: PairingSecurity, _ peer: PeerIdentifier, _ isEarlier: Bool) -> PairingReport {
    PairingReport(
      security: security, address: PeerAddresses.address(of: peer.uuid)?.description,
      isBonded: PairingDesk.stack?.bond(with: peer) != nil, isEarlier: isEarlier)
  }

  private func error(_ failure: PairingFailure) -> ToolError {
    let reason = "\(failure)".inert
    var message = "Pairing with \(title) failed: \(reason)."
    switch failure {
    case .refused(.authenticationRequirements), .refusedByPeer(.authenticationRequirements):
      message +=
        " The input and output capabilities are not sufficient; '--io', '--passkey' and '--oob' set those of this side."
    case .refusedByPeer(.repeatedAttempts): message += " Wait a moment: each failure makes the device wait longer."
    default: break
    }
    return ToolError(failure == .timedOut ? .timedOut : .failed, message)
  }
}

extension HostStack {
  func bond(with peer: PeerIdentifier) -> BondSummary? { bonds.first { $0.peer?.identifier == peer } }
}

extension PeerIdentifier {
  init(_ identifier: UUID) {
    let (high, low) = withUnsafeBytes(of: identifier.uuid) { octets in
      (
        UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    self.init(high: high, low: low)
  }

  var uuid: UUID {
    var value = UUID().uuid
    withUnsafeMutableBytes(of: &value) { octets in
      octets.storeBytes(of: high.bigEndian, as: UInt64.self)
      octets.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return UUID(uuid: value)
  }
}

extension PairingSecurity {
  /// For people: `authenticated, Secure Connections, 16-octet key, by Passkey Entry`.
  var summary: String {
    let level = isAuthenticated ? "authenticated" : "encrypted, not authenticated"
    let kind = isSecureConnections ? "Secure Connections" : "legacy pairing"
    let debug = usesDebugKey ? ", DEBUG KEY: any listener knows it" : ""
    return "\(level), \(kind), \(keySize)-octet key, by \(method.rawValue)\(debug)"
  }
}

extension PairingSecurity: Report {
  package static let members: [ReportMember<Self>] = [
    .init("method") { .word($0.method.word) }, .init("level") { .word($0.level.word) },
    .init("secure_connections") { .flag($0.isSecureConnections) }, .init("key_size") { .integer($0.keySize) },
    .init("debug_key") { .flag($0.usesDebugKey) },
  ]
}

extension SecurityLevel {
  /// The word for the level in JSON and on the command line.
  var word: String {
    switch self {
    case .open: "open"
    case .encrypted: "encrypted"
    case .authenticated: "authenticated"
    case .authenticatedSecureConnections: "secure"
    }
  }
}
