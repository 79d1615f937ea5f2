/// Why a connection, a procedure or an attempt ended: the same values in all layers.
public enum EndReason: Error, Hashable, Sendable {
  /// This side requested it.
  case requested
  /// The peer closed it.
  case closedByPeer
  /// The link was lost: the supervision time-out passed (controller error 0x08).
  case lost
  /// The link could not be established: the peer never answered on the new link (controller error 0x3E).
  case failedToEstablish
  /// A request was refused; `code` is the HCI error code (Core, Vol 1 Part F).
  case refused(code: UInt8)
  /// A response did not arrive in time.
  case timedOut
  /// The adapter was switched off or removed.
  case poweredOff
  /// The peer no longer has the keys that both sides once shared.
  case bondLost
  /// The link could not be encrypted with those keys in time.
  case encryptionTimedOut
  /// The controller has reached its maximum number of connections.
  case limitReached
  /// The peer violated the protocol, and this side ended the connection.
  case protocolViolated
}
