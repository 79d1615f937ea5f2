import CoreBluetooth

/// How a connection came about. What the program does next depends on it: a connection that the user chose opens a page, an
/// automatic one only changes a status.
enum Origin {
  case chosen
  case automatic
}

/// How a connection ended.
enum EndOfConnection {
  /// The user asked for it: nothing is to be done.
  case askedFor
  /// It was lost: the program tries to win the device back.
  case lost(Error)
  /// The device deleted its keys. Trying again can't help: the user has to pair again.
  case forgottenByDevice

  /// What Core Bluetooth says at the end: no error means that this side asked for it.
  init(_ error: Error?) {
    switch error {
    case nil: self = .askedFor
    case let error as CBError where error.code == .peerRemovedPairingInformation: self = .forgottenByDevice
    case let error?: self = .lost(error)
    }
  }
}

/// Why the program does not try any longer.
enum StopReason {
  case connected
  /// The device did not turn up in time.
  case budgetSpent
  /// The user changed their mind, or chose another device.
  case givenUp
  case bluetoothGone
  /// Trying can't help; see `EndOfConnection.forgottenByDevice`.
  case forgottenByDevice
}
