import BLEAdapter
import BLECore

/// What a failed `Device1.Connect` means for the connection request.
enum ConnectFailure: Equatable {
  /// A link exists.
  case isConnected
  /// The daemon is already connecting, for this or another program.
  case isUnderWay
  /// The device has no object: it has to be found first.
  case isGone
  /// It may succeed when tried again.
  case tryAgain
  /// It can't succeed.
  case final(EndReason)

  init(_ error: BusError) {
    if error.meansObjectIsGone {
      self = .isGone
      return
    }
    switch error.name {
    case BlueZName.Failure.alreadyConnected: self = .isConnected
    case BlueZName.Failure.inProgress: self = .isUnderWay
    // Connection Rejected due to Security Reasons: the bus or the daemon denies access to this user.
    case BusError.accessDenied, BlueZName.Failure.notAuthorized: self = .final(.refused(code: 0x0E))
    case BlueZName.Failure.failed:
      // The messages that the daemon derives from its error numbers.
      switch error.message.lowercased() {
      case let text where text.contains("busy") || text.contains("in progress"): self = .isUnderWay
      case let text where text.contains("already-connected") || text.contains("already connected"): self = .isConnected
      case let text where text.contains("key-missing"): self = .final(.bondLost)
      default: self = .tryAgain
      }
    default: self = .tryAgain
    }
  }
}

extension EndReason {
  /// Why a link has ended, from the reason in `Device1.Disconnected`. Older daemons (5.66) give none: then the peer is assumed to have
  /// closed it, which is the most frequent case.
  init(endOfLink reason: String?) {
    switch reason {
    case "org.bluez.Reason.Timeout": self = .lost
    case "org.bluez.Reason.Authentication": self = .bondLost
    // Another program has disconnected it: a disconnection by this program does not ask for the reason.
    case "org.bluez.Reason.Local": self = .closedByPeer
    case "org.bluez.Reason.Suspend": self = .poweredOff
    default: self = .closedByPeer
    }
  }
}
