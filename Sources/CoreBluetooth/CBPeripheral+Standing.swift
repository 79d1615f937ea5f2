internal import BLEAdapter
internal import BLECore

// The connection state of a peripheral: calls of the program change it immediately, events from the loop change it on the program's queue.

extension CBPeripheral {
  /// What the stack has to do after a call of `connect`.
  enum ConnectAnswer {
    case ask
    /// Nothing: an attempt is pending.
    case wait
    /// Nothing: this object is invalid.
    case invalid
  }

  func willConnect(reconnection: ConnectionOptions?, alerts: ConnectionAlerts) -> ConnectAnswer {
    withState { state in
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

  /// It was connected, or being connected, in an earlier process, and is connected again.
  func willRestore(reconnection: ConnectionOptions?) {
    withState { state in
      state.standing = .connecting
      state.reconnection = reconnection
    }
  }

  /// False if there is neither a connection nor an attempt.
  func willCancel() -> Bool {
    withState { state in
      state.reconnection = nil
      guard state.standing == .connecting || state.standing == .connected else { return false }
      state.standing = .disconnecting
      state.isLeaving = true
      return true
    }
  }

  /// False if the program has cancelled in the meantime.
  func didConnect(_ connection: PeerConnection, name: String?) -> Bool {
    withState { state in
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

  /// Invalidates what was discovered. Returns the options with which a lost connection is to be connected again.
  func didDisconnect() -> ConnectionOptions? {
    let (database, reconnection) = withState { state in
      // `connect` was called again after the cancellation: that attempt continues.
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

  /// Bluetooth is off: disconnected, without a callback.
  func didLosePower(isInvalid: Bool) {
    withState { state in
      state.isLeaving = false
      state.standing = .disconnected
      state.isInvalid = state.isInvalid || isInvalid
    }
    _ = didDisconnect()
  }

  /// The manager connects again automatically after a loss.
  func willReconnect() { withState { $0.standing = .connecting } }

  /// The delegate implements neither of the two disconnect callbacks.
  func willNotReconnect() { withState { $0.standing = .disconnected } }

  func update(name: String?) {
    guard let name else { return }
    withState { state in
      if state.name != name { state.name = name }
    }
  }
}
