import BLECore
import BLEWire

/// Whether a client is change-aware: it knows the current database (Core, Vol 3 Part G 2.5.2.1).
struct ChangeAwareness {
  private enum State {
    case aware
    case unaware
    /// The client received Database Out Of Sync or the hash: with its next request it becomes change-aware.
    case informed
  }

  private var state = State.aware

  var isAware: Bool { state == .aware }

  mutating func databaseDidChange() { state = .unaware }
  /// The client has confirmed a Service Changed indication.
  mutating func didConfirmChange() { state = .aware }

  /// Returns whether to serve a request of a client with robust caching; if not, it is answered with Database Out Of Sync.
  mutating func admits(_ request: ATTClientPDU) -> Bool {
    switch state {
    case .aware: return true
    case .informed:
      state = .aware
      return true
    case .unaware: break
    }
    switch request {
    case .readByTypeRequest(let request):
      switch request.attributeType {
      case GATTType.databaseHash:
        state = .informed
        return true
      case GATTType.include, GATTType.characteristic: return true
      default: break
      }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest: return true
    default: break
    }
    state = .informed
    return false
  }
}
