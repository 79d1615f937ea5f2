import BLEAdapter
import BLECore

/// What a refused `Device1.Connect` means for who wants the link.
enum ConnectFailure: Equatable {
  /// There is a link.
  case isConnected
  /// The daemon is at it, for this or another program.
  case isUnderWay
  /// The object is not there: the device has to be found first.
  case isGone
  /// It did not come about this time.
  case tryAgain
  /// It cannot come about.
  case final(EndReason)

  init(_ error: BusError) {
    if error.meansObjectIsGone {
      self = .isGone
      return
    }
    switch error.name {
    case BlueZName.Failure.alreadyConnected: self = .isConnected
    case BlueZName.Failure.inProgress: self = .isUnderWay
    // Connection Rejected due to Security Reasons: the bus or the daemon does not let this user.
    case BusError.accessDenied, BlueZName.Failure.notAuthorized: self = .final(.refused(code: 0x0E))
    case BlueZName.Failure.failed:
      // The texts that the daemon makes of its error numbers.
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
  /// Why a link has ended, in the words of `Device1.Disconnected`. Older daemons (5.66) say nothing: then the peer is taken to have closed
  /// it, which is the most frequent.
  init(endOfLink reason: String?) {
    switch reason {
    case "org.bluez.Reason.Timeout": self = .lost
    case "org.bluez.Reason.Authentication": self = .bondLost
    // This side did not ask for it by this program, or it would not be asked why: another program has.
    case "org.bluez.Reason.Local": self = .closedByPeer
    case "org.bluez.Reason.Suspend": self = .poweredOff
    default: self = .closedByPeer
    }
  }
}
