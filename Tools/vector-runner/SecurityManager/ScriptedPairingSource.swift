import BLECore
import BLECrypto
import BLEHost
import BLEWire

/// Gives a pairing what the stack under test drew when the file was made: its own packets hold it.
final class ScriptedPairingSource: PairingSource {
  private let privateKey: P256PrivateKey?
  private var nonces: [AESBlock]
  private let digits: SixDigits?
  private let key: LongTermKey?
  private let signing: SecretKey?
  let identity: LocalIdentity?
  let features: SMPPairingFeatures?
  /// What was asked for and the file does not have.
  private(set) var missing: [String] = []

  init(packets: [SMPPDU], privateKey: P256PrivateKey?, passkey: SixDigits?) {
    self.privateKey = privateKey
    digits = passkey
    var nonces: [AESBlock] = []
    var features: SMPPairingFeatures?
    var longTerm: SecretKey?
    var (key, signing): (LongTermKey?, SecretKey?)
    var resolving: SecretKey?
    var address: DeviceAddress?
    for packet in packets {
      switch packet {
      case .pairingRequest(let packet): features = packet.features
      case .pairingResponse(let packet): features = packet.features
      case .pairingRandom(let packet):
        if let nonce = AESBlock(leastSignificantFirst: packet.randomValue) { nonces.append(nonce) }
      case .encryptionInformation(let packet): longTerm = SecretKey(leastSignificantFirst: packet.longTermKey.octets)
      case .centralIdentification(let packet):
        key = longTerm.map {
          LongTermKey(
            key: $0, encryptedDiversifier: packet.encryptedDiversifier, randomNumber: packet.randomNumber)
        }
      case .identityInformation(let packet):
        resolving = SecretKey(leastSignificantFirst: packet.identityResolvingKey.octets)
      case .identityAddressInformation(let packet): address = packet.identityAddress
      case .signingInformation(let packet): signing = SecretKey(leastSignificantFirst: packet.signatureKey.octets)
      default: break
      }
    }
    self.nonces = nonces
    self.features = features
    self.key = key
    self.signing = signing
    identity = resolving.flatMap { key in
      address.map { LocalIdentity(address: $0, identityResolvingKey: key) }
    }
  }

  func keyPair() -> P256PrivateKey { privateKey ?? lacking("dut_private_key_msb_first", .debug) }
  func nonce() -> AESBlock { nonces.isEmpty ? lacking("a random value", .zero) : nonces.removeFirst() }
  func passkey() -> SixDigits {
    if let digits { return digits }
    missing.append("a passkey to display")
    return SixDigits(lowest: 0)
  }
  func longTermKey() -> LongTermKey { key ?? lacking("a long-term key", LongTermKey(key: SecretKey(.zero))) }
  func signingKey() -> SecretKey { signing ?? lacking("a signing key", SecretKey(.zero)) }
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity? { nil }

  func addNonce(_ nonce: AESBlock) { nonces.append(nonce) }

  private func lacking<Value>(_ what: String, _ replacement: Value) -> Value {
    missing.append(what)
    return replacement
  }

  /// A policy that leads to the features of the file, and asks nothing that the file has no answer to.
  var policy: SecurityPolicy {
    var policy = SecurityPolicy()
    policy.asksBeforeJustWorks = false
    policy.minimumKeySize = 7
    guard let features else { return policy }
    let requirements = features.authenticationRequirements
    policy.ioCapability = features.ioCapability
    policy.isBondable = requirements.contains(.bonding)
    policy.wantsAuthentication = requirements.contains(.mitm)
    policy.offersSecureConnections = requirements.contains(.secureConnections)
    policy.sendsKeypresses = requirements.contains(.keypress)
    policy.maximumKeySize = Int(features.maximumEncryptionKeySize)
    policy.initiatorKeys = features.initiatorKeyDistribution
    policy.responderKeys = features.responderKeyDistribution
    return policy
  }
}
