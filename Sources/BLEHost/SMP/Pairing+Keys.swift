import BLECore
import BLECrypto
import BLEWire

/// What was handed out and what is still to come.
struct KeyDistributionState {
  /// Commands of the peer that are still to come, in this order.
  var expected: [SMPCode] = []
  var peerLongTermKey: SecretKey?
  var peerKey: LongTermKey?
  var peerIdentityResolvingKey: SecretKey?
  var peerIdentity: DeviceAddress?
  var peerSigningKey: SecretKey?
  var localKey: LongTermKey?
  var localSigningKey: SecretKey?
}

/// Phase 3: keys are handed out over the encrypted link, the responder's first (Core, Vol 3 Part H 2.4.3, 3.6.1).
extension Pairing {
  mutating func encryptionChanged(_ isEncrypted: Bool) {
    switch stage {
    case .encryption where isEncrypted && isLinkKeyInUse: beginKeys()
    // Encrypted by other keys, of an earlier pairing: that is not what this one waits for.
    case .encryption where isEncrypted: break
    case .encryption, .keys, .verdict:
      if !isEncrypted {
        send(.pairingFailed(SMPPairingFailed(reason: .unspecifiedReason)))
        end(.encryptionFailed)
      }
    default: break
    }
  }

  private mutating func beginKeys() {
    guard let agreement else { return refuse(.unspecifiedReason) }
    distribution.expected = Self.commands(isInitiator ? agreement.responderKeys : agreement.initiatorKeys)
    if !isInitiator { sendKeys(agreement.responderKeys) }
    stage = .keys
    if distribution.expected.isEmpty { judgeIdentity() }
  }

  private static func commands(_ keys: SMPKeyDistribution) -> [SMPCode] {
    var commands: [SMPCode] = []
    if keys.contains(.encryption) { commands += [.encryptionInformation, .centralIdentification] }
    if keys.contains(.identity) { commands += [.identityInformation, .identityAddressInformation] }
    if keys.contains(.signing) { commands.append(.signingInformation) }
    return commands
  }

  private mutating func sendKeys(_ keys: SMPKeyDistribution) {
    guard let agreement else { return }
    if keys.contains(.encryption) {
      let drawn = source.longTermKey()
      let key = LongTermKey(
        key: LongTermKey.shortened(drawn.key, toSize: agreement.keySize),
        encryptedDiversifier: drawn.encryptedDiversifier, randomNumber: drawn.randomNumber)
      distribution.localKey = key
      send(.encryptionInformation(SMPEncryptionInformation(longTermKey: Self.octets(key.key))))
      send(
        .centralIdentification(
          SMPCentralIdentification(
            encryptedDiversifier: key.encryptedDiversifier, randomNumber: key.randomNumber)))
    }
    if keys.contains(.identity) {
      let identity = parameters.identity
      send(
        .identityInformation(
          SMPIdentityInformation(identityResolvingKey: Self.octets(identity.identityResolvingKey))))
      send(.identityAddressInformation(SMPIdentityAddressInformation(identity.address)))
    }
    if keys.contains(.signing) {
      let key = source.signingKey()
      distribution.localSigningKey = key
      send(.signingInformation(SMPSigningInformation(signatureKey: Self.octets(key))))
    }
  }

  private static func octets(_ key: SecretKey) -> SMPKeyOctets { SMPKeyOctets(key.revealLeastSignificantFirst()) }

  mutating func receiveKey(_ pdu: SMPPDU) {
    guard distribution.expected.first == pdu.code else { return refuse(.unspecifiedReason) }
    distribution.expected.removeFirst()
    switch pdu {
    case .encryptionInformation(let packet):
      let key = SecretKey(leastSignificantFirst: packet.longTermKey.octets)
      if key.isZero { return refuse(.keyRejected) }
      distribution.peerLongTermKey = key
    case .centralIdentification(let packet):
      // A peer that does not shorten its key does not shorten ours: it is kept as long as it was agreed on.
      guard let key = distribution.peerLongTermKey, let agreement else { return refuse(.unspecifiedReason) }
      distribution.peerKey = LongTermKey(
        key: LongTermKey.shortened(key, toSize: agreement.keySize),
        encryptedDiversifier: packet.encryptedDiversifier, randomNumber: packet.randomNumber)
    case .identityInformation(let packet):
      let key = SecretKey(leastSignificantFirst: packet.identityResolvingKey.octets)
      // Two devices with one key could not be told apart: ours resolves to us alone. A key of zeros resolves nothing.
      let isOurs = key == parameters.identity.identityResolvingKey
      distribution.peerIdentityResolvingKey = key.isZero || isOurs ? nil : key
    case .identityAddressInformation(let packet):
      guard let identity = packet.identityAddress else { return refuse(.invalidParameters) }
      if identity == parameters.identity.address { return refuse(.keyRejected) }
      distribution.peerIdentity = identity
    case .signingInformation(let packet):
      let key = SecretKey(leastSignificantFirst: packet.signatureKey.octets)
      distribution.peerSigningKey = key.isZero ? nil : key
    default: return refuse(.unspecifiedReason)
    }
    if distribution.expected.isEmpty { judgeIdentity() }
  }

  private var peerIdentity: DeviceAddress? {
    distribution.peerIdentity ?? (parameters.peerAddress.isIdentity ? parameters.peerAddress : nil)
  }

  /// Who the peer is was not known for certain before it said so.
  private mutating func judgeIdentity() {
    guard let question = replacement(of: peerIdentity) else { return concludeKeys() }
    stage = .verdict
    ask(question)
  }

  mutating func concludeKeys() {
    guard let agreement, let security, let linkKey else { return refuse(.unspecifiedReason) }
    if isInitiator { sendKeys(agreement.initiatorKeys) }
    let shared = agreement.isSecureConnections ? LongTermKey(key: linkKey) : nil
    let identity = peerIdentity
    finish(
      PairingResult(
        security: security, isBonded: agreement.isBonding && identity != nil, peerIdentity: identity,
        // A key that one side has handed out encrypts links on which that side is the peripheral.
        keyAsCentral: shared ?? distribution.peerKey, keyAsPeripheral: shared ?? distribution.localKey,
        peerIdentityResolvingKey: distribution.peerIdentityResolvingKey,
        localSigningKey: distribution.localSigningKey, peerSigningKey: distribution.peerSigningKey))
  }
}
