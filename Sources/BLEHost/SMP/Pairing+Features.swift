import BLEWire

/// Phase 1: pairing feature exchange (Core, Vol 3 Part H 2.3.1 to 2.3.5).
extension Pairing {
  mutating func sendRequest() {
    let exchange = parameters.outOfBand
    // Whether the peer supports Secure Connections is unknown: the temporary key counts only if this side does not offer them.
    let hasData = exchange.peer != nil || exchange.temporaryKey != nil && !policy.acceptsSecureConnections
    let keys = policy.isBondable
    let features = SMPPairingFeatures(
      ioCapability: policy.ioCapability, oobDataFlag: hasData ? 1 : 0,
      authenticationRequirements: policy.authenticationRequirements,
      maximumEncryptionKeySize: offeredKeySize,
      initiatorKeyDistribution: keys ? policy.initiatorKeys.subtracting(.link) : [],
      responderKeyDistribution: keys ? policy.responderKeys.subtracting(.link) : [])
    localFeatures = features
    stage = .features
    send(.pairingRequest(SMPPairingRequest(features: features)))
  }

  mutating func receiveRequest(_ request: SMPPairingFeatures) {
    peerFeatures = request
    if let fault = request.fault { return refuse(fault) }
    let exchange = parameters.outOfBand
    let isSecure =
      policy.acceptsSecureConnections && request.authenticationRequirements.contains(.secureConnections)
    let hasData = isSecure ? exchange.peer != nil : exchange.temporaryKey != nil
    // Keys are not distributed unless both sides store them.
    let keys = policy.isBondable && request.authenticationRequirements.asksForBonding
    let response = SMPPairingFeatures(
      ioCapability: policy.ioCapability, oobDataFlag: hasData ? 1 : 0,
      authenticationRequirements: policy.authenticationRequirements,
      maximumEncryptionKeySize: offeredKeySize,
      initiatorKeyDistribution: keys
        ? request.initiatorKeyDistribution.intersection(policy.initiatorKeys).subtracting(.link) : [],
      responderKeyDistribution: keys
        ? request.responderKeyDistribution.intersection(policy.responderKeys).subtracting(.link) : [])
    localFeatures = response
    let agreement = PairingAgreement(request: request, response: response)
    if let objection = objection(to: agreement) { return refuse(objection) }
    conclude(agreement)
  }

  mutating func receiveResponse(_ response: SMPPairingFeatures) {
    guard let request = localFeatures else { return refuse(.unspecifiedReason) }
    peerFeatures = response
    if let fault = response.fault { return refuse(fault) }
    // A responder may remove keys from the request, not add any.
    guard response.initiatorKeyDistribution.isSubset(of: request.initiatorKeyDistribution),
      response.responderKeyDistribution.isSubset(of: request.responderKeyDistribution)
    else { return refuse(.invalidParameters) }
    let agreement = PairingAgreement(request: request, response: response)
    if let objection = objection(to: agreement) { return refuse(objection) }
    conclude(agreement)
  }

  /// Both sides' features are known and acceptable. If the pairing would replace a bond without proof that this is its device, the
  /// user is asked now: a peer that is refused here has received no key that it could store.
  private mutating func conclude(_ agreement: PairingAgreement) {
    self.agreement = agreement
    if let question = replacement(of: parameters.knownIdentity) {
      stage = .consent
      return ask(question)
    }
    beginAuthentication()
  }

  /// Phase 2.
  mutating func beginAuthentication() {
    guard let agreement, let features = localFeatures else { return refuse(.unspecifiedReason) }
    if !isInitiator { send(.pairingResponse(SMPPairingResponse(features: features))) }
    if agreement.isSecureConnections { beginSecureConnections() } else { beginLegacy(agreement) }
  }

  private var offeredKeySize: UInt8 { UInt8(min(max(policy.maximumKeySize, 7), 16)) }

  /// Returns why the policy does not allow this pairing, or `nil`. A pairing never falls below the policy.
  private func objection(to agreement: PairingAgreement) -> SMPPairingFailedReason? {
    policy.objection(
      to: PairingSecurity(
        method: agreement.model.method, isSecureConnections: agreement.isSecureConnections, keySize: agreement.keySize))
  }
}
