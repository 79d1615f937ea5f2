import BLECore
import BLEWire

/// Whether a client knows the database as it is (Core, Vol 3 Part G 2.5.2.1).
struct ChangeAwareness {
  private enum State {
    case aware
    case unaware
    /// The client was told, or has read the hash: its next request shows that it knows.
    case told
  }

  private var state = State.aware

  var isAware: Bool { state == .aware }

  mutating func databaseDidChange() { state = .unaware }
  /// The client has confirmed a Service Changed indication.
  mutating func didConfirmChange() { state = .aware }

  /// Whether a request of a client with robust caching is served. False: it is answered with Database Out Of Sync.
  mutating func admits(_ request: ATTClientPDU) -> Bool {
    switch state {
    case .aware: return true
    case .told:
      state = .aware
      return true
    case .unaware: break
    }
    switch request {
    case .readByTypeRequest(let request):
      switch request.attributeType {
      case GATTType.databaseHash:
        state = .told
        return true
      case GATTType.include, GATTType.characteristic: return true
      default: break
      }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest: return true
    default: break
    }
    state = .told
    return false
  }
}
