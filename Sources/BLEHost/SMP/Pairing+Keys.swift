import BLECore
import BLECrypto
import BLEWire

/// The state of the key distribution.
struct KeyDistributionState {
  /// The commands still expected from the peer, in this order.
  var expected: [SMPCode] = []
  var peerLongTermKey: SecretKey?
  var peerKey: LongTermKey?
  var peerIdentityResolvingKey: SecretKey?
  var peerIdentity: DeviceAddress?
  var peerSigningKey: SecretKey?
  var localKey: LongTermKey?
  var localSigningKey: SecretKey?
}

/// Phase 3: key distribution over the encrypted link, the responder's keys first (Core, Vol 3 Part H 2.4.3, 3.6.1).
extension Pairing {
  mutating func encryptionChanged(_ isEncrypted: Bool) {
    switch stage {
    case .encryption where isEncrypted && isLinkKeyInUse: beginKeys()
    // Encrypted with the keys of an earlier pairing: this pairing waits for its own key.
    case .encryption where isEncrypted: break
    case .encryption, .keys, .identityConsent:
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
    if distribution.expected.isEmpty { checkIdentity() }
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
      let full = source.longTermKey()
      let key = LongTermKey(
        key: LongTermKey.shortened(full.key, toSize: agreement.keySize),
        encryptedDiversifier: full.encryptedDiversifier, randomNumber: full.randomNumber)
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
      // The key is shortened to the agreed size even if the peer did not do so.
      guard let key = distribution.peerLongTermKey, let agreement else { return refuse(.unspecifiedReason) }
      distribution.peerKey = LongTermKey(
        key: LongTermKey.shortened(key, toSize: agreement.keySize),
        encryptedDiversifier: packet.encryptedDiversifier, randomNumber: packet.randomNumber)
    case .identityInformation(let packet):
      let key = SecretKey(leastSignificantFirst: packet.identityResolvingKey.octets)
      // This device's own key is not accepted, because it must resolve to this device only. A key of zeros resolves nothing.
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
    if distribution.expected.isEmpty { checkIdentity() }
  }

  private var peerIdentity: DeviceAddress? {
    distribution.peerIdentity ?? (parameters.peerAddress.isIdentity ? parameters.peerAddress : nil)
  }

  /// Asks the user if the identity that the peer has distributed is that of a bond that would be replaced.
  private mutating func checkIdentity() {
    guard let question = replacement(of: peerIdentity) else { return concludeKeys() }
    stage = .identityConsent
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
        // A key that one side has distributed encrypts links on which that side is the peripheral.
        keyAsCentral: shared ?? distribution.peerKey, keyAsPeripheral: shared ?? distribution.localKey,
        peerIdentityResolvingKey: distribution.peerIdentityResolvingKey,
        localSigningKey: distribution.localSigningKey, peerSigningKey: distribution.peerSigningKey))
  }
}
