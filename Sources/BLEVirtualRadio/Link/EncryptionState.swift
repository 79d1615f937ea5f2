import BLECore
import BLECrypto
import BLEWire

/// The host's parameters to start encryption.
struct EncryptionStart: Equatable {
  var key: SecretKey
  /// Rand and EDIV: they identify the key on the peripheral.
  var randomNumber: UInt64
  var diversifier: UInt16
}

/// One end's half of the session key and the nonces (Core, Vol 6 Part B 2.4.2.4, 2.4.2.5).
struct SessionMaterial {
  /// SKD, eight octets.
  var diversifier: UInt64
  /// IV, four octets.
  var vector: UInt32

  static func random(_ chance: SeededEntropy) -> SessionMaterial {
    SessionMaterial(diversifier: chance.next(), vector: UInt32(truncatingIfNeeded: chance.next()))
  }

  init(diversifier: UInt64, vector: UInt32) {
    self.diversifier = diversifier
    self.vector = vector
  }

  init(_ request: EncryptionRequest) {
    self.init(
      diversifier: Self.number(request.sessionKeyDiversifier),
      vector: UInt32(truncatingIfNeeded: Self.number(request.initializationVector)))
  }

  init(_ response: EncryptionResponse) {
    self.init(
      diversifier: Self.number(response.sessionKeyDiversifier),
      vector: UInt32(truncatingIfNeeded: Self.number(response.initializationVector)))
  }

  /// As on the air, least significant octet first.
  var diversifierOctets: [UInt8] { Self.octets(diversifier, 8) }
  var vectorOctets: [UInt8] { Self.octets(UInt64(vector), 4) }

  static func octets(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  static func number(_ octets: [UInt8]) -> UInt64 { octets.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The encryption state of one end of a connection (Core, Vol 6 Part B 5.1.3). A class for the same reason as
/// `ProcedureState`.
final class EncryptionState {
  enum Phase {
    /// Nothing is encrypted.
    case off
    /// All packets are encrypted.
    case on
    /// The central has sent LL_PAUSE_ENC_REQ and awaits the response.
    case pausing
    /// The central has sent LL_ENC_REQ and awaits the response.
    case requested
    /// The central has the response and awaits LL_START_ENC_REQ.
    case keyed
    /// The central has sent LL_START_ENC_RSP and awaits the peripheral's.
    case starting
    /// The peripheral has sent LL_PAUSE_ENC_RSP and awaits the central's.
    case paused
    /// The peripheral awaits LL_ENC_REQ after a pause.
    case resuming
    /// The peripheral has sent LL_ENC_RSP and awaits the key of its host.
    case awaitsKey
    /// The peripheral has sent LL_START_ENC_REQ and awaits LL_START_ENC_RSP.
    case started
  }

  var phase = Phase.off
  /// Encrypts sent packets while encryption is on.
  var transmitCipher: LinkCipher?
  var transmitCounter: UInt64 = 0
  /// Decrypts received packets while encryption is on.
  var receiveCipher: LinkCipher?
  var receiveCounter: UInt64 = 0
  /// A message integrity check has failed: the connection has ended.
  var hasFailed = false

  /// The procedure gives an encrypted link a new key.
  var isRefresh = false
  /// As the central: the host's parameters.
  var start: EncryptionStart?
  var ownMaterial = SessionMaterial(diversifier: 0, vector: 0)
  var peerMaterial = SessionMaterial(diversifier: 0, vector: 0)
  /// Deferred until the procedure has ended.
  private var deferred: [() -> Void] = []
  /// The peripheral's procedure response time-out.
  var timer = TimerToken()

  /// In units of 10 ms (Core, Vol 4 Part E 7.3.94).
  var authenticatedPayloadTimeout: UInt16 = 3_000
  /// When the last packet with a message integrity check was received.
  var lastAuthenticated = StackInstant.zero
  var isPinging = false
  var payloadTimer = TimerToken()

  /// Whether no procedure is running: data may be sent.
  var isSettled: Bool { phase == .off || phase == .on }
  /// As the central: the peer may not know yet that it must not send.
  var mayPeerSend: Bool { phase == .pausing || phase == .requested }

  /// The cipher of this session.
  func makeCipher(key: SecretKey, isCentral: Bool) -> LinkCipher {
    let central = isCentral ? ownMaterial : peerMaterial
    let peripheral = isCentral ? peerMaterial : ownMaterial
    return LinkCipher(
      longTermKey: key, diversifier: AESBlock(high: peripheral.diversifier, low: central.diversifier),
      vector: UInt64(peripheral.vector) << 32 | UInt64(central.vector))
  }

  /// The maximum number of deferred procedures; further ones are dropped.
  private static let deferredLimit = 64

  func whenSettled(_ work: @escaping () -> Void) {
    if deferred.count < Self.deferredLimit { deferred.append(work) }
  }

  func takeDeferred() -> [() -> Void] {
    var taken: [() -> Void] = []
    swap(&taken, &deferred)
    return taken
  }

  /// The connection has ended.
  func end(_ loop: any StackLoop) {
    loop.cancel(timer)
    loop.cancel(payloadTimer)
    deferred = []
    start = nil
    transmitCipher = nil
    receiveCipher = nil
  }
}
