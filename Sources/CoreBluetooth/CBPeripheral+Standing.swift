internal import BLEAdapter
internal import BLECore

// How a peripheral stands to its manager: what the program asks for changes it at once, what the loop tells changes it on the
// program's queue.

extension CBPeripheral {
  /// What the stack is to be asked after a call of `connect`.
  enum ConnectAnswer {
    case ask
    /// The attempt is under way.
    case wait
    /// This object is of no use any more.
    case invalid
  }

  func willConnect(reconnection: ConnectionOptions?, alerts: ConnectionAlerts) -> ConnectAnswer {
    shared.withLock { state in
      if state.isInvalid { return .invalid }
      state.reconnection = reconnection
      state.alerts = alerts
      switch state.standing {
      case .connected: return .ask
      case .connecting: return .wait
      default:
        state.standing = .connecting
        return .ask
      }
    }
  }

  /// It was connected, or was to be, in an earlier process: it is to be again.
  func willRestore(reconnection: ConnectionOptions?) {
    shared.withLock { state in
      state.standing = .connecting
      state.reconnection = reconnection
    }
  }

  /// False where there is neither a connection nor an attempt.
  func willCancel() -> Bool {
    shared.withLock { state in
      state.reconnection = nil
      guard state.standing == .connecting || state.standing == .connected else { return false }
      state.standing = .disconnecting
      state.isLeaving = true
      return true
    }
  }

  /// False where the program has given up in the meantime.
  func didConnect(_ connection: PeerConnection, name: String?) -> Bool {
    shared.withLock { state in
      if state.isLeaving || state.isInvalid { return false }
      if let name { state.name = name }
      if state.connection !== connection {
        state.standing = .connected
        state.connection = connection
        state.database = RemoteObjects()
        state.openAlerts = state.alerts
      }
      return true
    }
  }

  /// What was discovered is not usable any more. Answers with which options a lost connection is to be wanted again.
  func didDisconnect() -> ConnectionOptions? {
    let (database, reconnection) = shared.withLock { state in
      // Asked for once more since it was given up: that attempt goes on.
      if !(state.isLeaving && state.standing == .connecting) { state.standing = .disconnected }
      state.isLeaving = false
      if let connection = state.connection { state.earlierTransmissionUnit = connection.maximumTransmissionUnit }
      state.connection = nil
      defer {
        state.services = nil
        state.database = nil
      }
      return (state.database, state.reconnection)
    }
    _ = database?.invalidate(.first ... .last)
    return reconnection
  }

  /// Bluetooth is off: disconnected, and nobody is told.
  func didLosePower(isInvalid: Bool) {
    shared.withLock { state in
      state.isLeaving = false
      state.standing = .disconnected
      state.isInvalid = state.isInvalid || isInvalid
    }
    _ = didDisconnect()
  }

  /// The manager goes on by itself after a loss.
  func willReconnect() { shared.withLock { $0.standing = .connecting } }

  /// The delegate takes neither of the two disconnect callbacks.
  func willNotReconnect() { shared.withLock { $0.standing = .disconnected } }

  func update(name: String?) {
    guard let name else { return }
    shared.withLock { state in
      if state.name != name { state.name = name }
    }
  }
}
