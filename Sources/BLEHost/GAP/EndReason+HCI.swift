import BLECore
import BLEWire

extension EndReason {
  /// The reason for an HCI error that ended an established link.
  init(endOfLink code: HCIErrorCode) {
    switch code {
    case .connectionTimeout: self = .lost
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: self = .closedByPeer
    case .localHostTerminated: self = .requested
    case .failedToEstablish: self = .failedToEstablish
    case .linkLayerResponseTimeout: self = .timedOut
    case .pinOrKeyMissing: self = .bondLost
    default: self = .refused(code: code.rawValue)
    }
  }

  /// The reason for an HCI error of a link that was not established, or ended before it was reported.
  init(failureToConnect code: HCIErrorCode) {
    switch code {
    // The first packets were lost: to the application there was no link.
    case .failedToEstablish, .connectionTimeout: self = .failedToEstablish
    case .connectionLimitExceeded, .limitedResources, .limitReached, .memoryCapacityExceeded: self = .limitReached
    default: self = EndReason(endOfLink: code)
    }
  }
}
