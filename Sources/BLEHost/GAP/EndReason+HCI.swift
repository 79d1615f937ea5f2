import BLECore
import BLEWire

extension EndReason {
  /// What a controller's error says about the end of a link that was up.
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

  /// What a controller's error says about a link that never came up, or ended before anybody was told of it.
  init(failureToConnect code: HCIErrorCode) {
    switch code {
    // The first packets were lost: for whoever wanted the link it was never there.
    case .failedToEstablish, .connectionTimeout: self = .failedToEstablish
    case .connectionLimitExceeded, .limitedResources, .limitReached, .memoryCapacityExceeded: self = .limitReached
    default: self = EndReason(endOfLink: code)
    }
  }
}
