import BLEAdapter
import BLECore
import BLEWire

/// Receives notifications and indications of a GATT client. Everything on the loop.
public protocol GATTClientEvents: AnyObject {
  /// Called for each notified or indicated value. The slice shares the storage of the packet.
  /// - Returns: whether there was room for it. If not, an indication is not confirmed.
  func client(_ client: GATTClient, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
}

/// The procedures of a GATT client on one bearer (Core, Vol 3 Part G 4). Everything on the loop.
///
/// All procedures take plain handles and keep no state between calls; `RemoteDatabase` does. Procedures may overlap; their
/// requests are queued. Each completion is called once, at the latest when the bearer closes; a procedure in progress retains the
/// client until then.
public final class GATTClient: ATTClientHandler {
  public typealias Failure = OperationError
  public typealias Completion<Value> = (Result<Value, Failure>) -> Void

  public let bearer: ATTBearer
  /// Retained until it is set to `nil`.
  public var events: (any GATTClientEvents)? {
    get { receiver }
    set { receiver = newValue }
  }
  /// Reached by this target only: see `HCILink`.
  private var receiver: (any GATTClientEvents)?
  /// The current security of the link.
  public var security = LinkSecurity.open
  /// Called to raise the link's security after Insufficient Authentication, Insufficient Encryption or Encryption Key Size Too
  /// Short. If that succeeds, the request is repeated once. If `nil`, the error is reported.
  public var raiseSecurity: ((ATTErrorCode, @escaping (SecurityRaise) -> Void) -> Void)?

  public init(bearer: ATTBearer) {
    self.bearer = bearer
    bearer.client = self
  }

  public func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    events?.client(self, didReceive: value, of: handle) ?? true
  }

  /// Exchanges the MTU (Core, Vol 3 Part G 4.3.1): once on a bearer, before anything else. The completion receives the resulting
  /// MTU: the default if the server does not support the request.
  public func exchangeMTU(_ completion: @escaping Completion<Int>) {
    bearer.exchangeMTU { [bearer] result in
      if case .failure(.refused(.requestNotSupported, _)) = result { return completion(.success(bearer.mtu)) }
      completion(result.mapError { OperationError($0) })
    }
  }

  /// Sends a request, and repeats it once if the link's security was raised after a refusal.
  func perform<Request: ATTPacket, Response: ATTPacket>(
    _ request: Request, expecting: Response.Type,
    _ completion: @escaping (Result<Response, ATTFailure>) -> Void
  ) {
    bearer.request(request, expecting: Response.self) { [self] result in
      guard let code = result.wantedSecurity, let raiseSecurity else { return completion(result) }
      raiseSecurity(code) { [bearer] raise in
        switch raise {
        case .raised: bearer.request(request, expecting: Response.self, completion)
        case .failed: completion(result)
        case .tooManyBonds: completion(.failure(.tooManyBonds))
        }
      }
    }
  }
}

extension Result where Failure == ATTFailure {
  /// The refusal of a server that accepts the request on a link of higher security.
  var wantedSecurity: ATTErrorCode? {
    guard case .failure(.refused(let code, _)) = self else { return nil }
    switch code {
    case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort: return code
    default: return nil
    }
  }
}

/// The result of raising a link's security.
public enum SecurityRaise: Hashable, Sendable {
  case raised
  /// The server's refusal is reported.
  case failed
  /// There is no room for the keys of another device.
  case tooManyBonds
}

extension OperationError {
  init(_ failure: ATTFailure) {
    switch failure {
    case .refused(let code, _): self = .attribute(code: code.rawValue)
    case .malformed(let error): self = .protocolViolation("\(error)")
    case .tooManyBonds: self = .tooManyBonds
    case .timedOut: self = .timedOut
    case .closed: self = .notConnected
    }
  }

  init(_ error: DecodeError) { self = .protocolViolation("\(error)") }
}
