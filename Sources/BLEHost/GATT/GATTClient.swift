import BLEAdapter
import BLECore
import BLEWire

/// What a client is told unasked. Everything on the loop.
public protocol GATTClientEvents: AnyObject {
  /// A notification or an indication. The slice shares the storage of the packet.
  /// - Returns: whether there was room for it. An indication for which there was none is not confirmed.
  func client(_ client: GATTClient, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
}

/// The procedures of a GATT client on one bearer (Core, Vol 3 Part G 4). Everything on the loop.
///
/// All of them take plain handles, and none of them remembers anything: `RemoteDatabase` does. Procedures may run side by
/// side; their requests take turns. Each completion is called once, at the latest when the bearer closes: until then a
/// procedure under way keeps the client.
public final class GATTClient: ATTClientHandler {
  public typealias Failure = OperationError
  public typealias Completion<Value> = (Result<Value, Failure>) -> Void

  public let bearer: ATTBearer
  /// Held until it is taken away.
  public var events: (any GATTClientEvents)?
  /// How well the link is protected.
  public var security = LinkSecurity.open
  /// Asked to raise the link's security after Insufficient Authentication, Insufficient Encryption or Encryption Key Size Too
  /// Short. Where that succeeds the request is repeated, once. Without it the error stands.
  public var raiseSecurity: ((ATTErrorCode, @escaping (SecurityRaise) -> Void) -> Void)?

  public init(bearer: ATTBearer) {
    self.bearer = bearer
    bearer.client = self
  }

  public func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    events?.client(self, didReceive: value, of: handle) ?? true
  }

  /// Exchanges the MTU (Core, Vol 3 Part G 4.3.1): once on a bearer, before anything else. The completion gets what holds;
  /// a server that does not know the request leaves it at the default.
  public func exchangeMTU(_ completion: @escaping Completion<Int>) {
    bearer.exchangeMTU { [bearer] result in
      if case .failure(.refused(.requestNotSupported, _)) = result { return completion(.success(bearer.mtu)) }
      completion(result.mapError { OperationError($0) })
    }
  }

  /// Sends a request, and once more after the link's security was raised.
  func perform<Request: ATTPacket, Response: ATTPacket>(
    _ request: Request, expecting: Response.Type,
    _ completion: @escaping (Result<Response, ATTFailure>) -> Void
  ) {
    bearer.request(request, expecting: Response.self) { [self] result in
      guard case .failure(.refused(let code, _)) = result,
        code == .insufficientAuthentication || code == .insufficientEncryption || code == .encryptionKeySizeTooShort,
        let raiseSecurity
      else { return completion(result) }
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

/// What came of the wish to have a link better protected.
public enum SecurityRaise: Hashable, Sendable {
  case raised
  /// What it was refused with stands.
  case failed
  /// There is no room for the keys of one more device.
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
