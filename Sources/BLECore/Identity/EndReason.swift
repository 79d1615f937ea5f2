/// How a connection, a procedure or an attempt ended: one vocabulary in all layers.
public enum EndReason: Error, Hashable, Sendable {
  /// This side asked for it.
  case requested
  /// The peer closed it.
  case closedByPeer
  /// The link was lost: the supervision time-out passed (controller error 0x08).
  case lost
  /// The link could not be established: the peer never answered on the new link (controller error 0x3E).
  case failedToEstablish
  /// Somebody on the way refused; `code` is the controller's error (Core, Vol 1 Part F).
  case refused(code: UInt8)
  /// An answer did not come in time.
  case timedOut
  /// The adapter was switched off or went away.
  case poweredOff
  /// The peer no longer has the keys that both sides once shared.
  case bondLost
  /// The link could not be encrypted with those keys in time.
  case encryptionTimedOut
  /// As many connections as the controller can hold are there already.
  case limitReached
  /// The peer did what the protocol forbids, and this side ended it.
  case protocolViolated
}
