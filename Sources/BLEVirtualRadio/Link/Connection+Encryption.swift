import BLECore
import BLECrypto
import BLEWire

/// Encryption start, pause and refresh (Core, Vol 6 Part B 5.1.3). During one of these no data is sent, and of the control PDUs
/// only those of the procedure and the one that ends the connection.
extension Connection {
  // MARK: The central

  /// The central's host has requested encryption, or a new key.
  func startEncryption(_ start: EncryptionStart) {
    guard terminationSent == nil else { return finishProcedure() }
    if let features = procedures.remoteFeatures, !LEFeatures(rawValue: features).contains(.encryption) {
      encryption.isRefresh = false
      finishProcedure()
      controller.reportEncryption(of: self, status: .unsupportedRemoteFeature)
      return
    }
    encryption.start = start
    encryption.isRefresh = encryption.phase == .on
    if encryption.isRefresh {
      encryption.phase = .pausing
      send(control: PauseEncryptionRequest().payload)
    } else {
      requestEncryption()
    }
  }

  private func requestEncryption() {
    guard let start = encryption.start else { return }
    encryption.ownMaterial = .random(controller.node.chance)
    encryption.phase = .requested
    send(
      control: EncryptionRequest(
        random: SessionMaterial.octets(start.randomNumber, 8), diversifier: start.diversifier,
        sessionKeyDiversifier: encryption.ownMaterial.diversifierOctets,
        initializationVector: encryption.ownMaterial.vectorOctets
      ).payload)
  }

  /// The peripheral has refused encryption.
  func encryptionRefused(_ reason: HCIErrorCode) {
    switch encryption.phase {
    case .requested, .keyed:
      encryption.start = nil
      if encryption.isRefresh {
        // The host considers this link encrypted: nothing may be sent on it in the clear.
        terminate(reason: reason.rawValue)
        return
      }
      encryption.phase = .off
      controller.reportEncryption(of: self, status: reason)
      settleEncryption()
    case .pausing:
      encryption.start = nil
      encryption.phase = .on
      controller.reportEncryption(of: self, status: reason)
      settleEncryption()
    default: loseIntegrity()
    }
  }

  // MARK: The peripheral

  private func receive(_ request: EncryptionRequest) {
    guard !isCentral else { return send(control: UnknownResponse(unknownType: EncryptionRequest.opcode).payload) }
    // A side that is ending the connection does not respond.
    guard terminationSent == nil else { return }
    switch encryption.phase {
    case .off: encryption.isRefresh = false
    case .resuming: break
    case .on: return reject(EncryptionRequest.opcode, .pduNotAllowed)
    default: return loseIntegrity()
    }
    disarmEncryptionTimer()
    encryption.peerMaterial = SessionMaterial(request)
    encryption.ownMaterial = .random(controller.node.chance)
    encryption.phase = .awaitsKey
    send(
      control: EncryptionResponse(
        sessionKeyDiversifier: encryption.ownMaterial.diversifierOctets,
        initializationVector: encryption.ownMaterial.vectorOctets
      ).payload)
    let asked = controller.askHostForKey(
      of: self, randomNumber: SessionMaterial.number(request.random), diversifier: request.diversifier)
    if !asked { refuseEncryption() }
  }

  /// The host has the key that the central requests.
  func encrypt(with key: SecretKey) {
    let cipher = encryption.makeCipher(key: key, isCentral: false)
    encryption.receiveCipher = cipher
    encryption.receiveCounter = 0
    encryption.phase = .started
    armEncryptionTimer()
    send(control: StartEncryptionRequest().payload)
  }

  /// The host does not have the key.
  func refuseEncryption() {
    if encryption.isRefresh {
      terminate(reason: HCIErrorCode.pinOrKeyMissing.rawValue)
      return
    }
    encryption.phase = .off
    let remote = LEFeatures(rawValue: procedures.remoteFeatures ?? 0)
    if remote.contains(.extendedReject) {
      reject(EncryptionRequest.opcode, .pinOrKeyMissing)
    } else {
      send(control: RejectIndication(reason: HCIErrorCode.pinOrKeyMissing.rawValue).payload)
    }
    settleEncryption()
  }

  // MARK: Both sides

  /// False for a PDU that is not allowed while encryption is started or paused.
  func admitsDuringEncryption(_ pdu: LinkLayerControlPDU, _ payload: ArraySlice<UInt8>) -> Bool {
    switch pdu {
    case .terminate, .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
      .pauseEncryptionRequest, .pauseEncryptionResponse, .reject, .rejectExtended, .unknownResponse:
      return true
    default:
      if encryption.mayPeerSend {
        encryption.whenSettled { [weak self] in self?.receive(control: payload) }
      } else {
        loseIntegrity()
      }
      return false
    }
  }

  func receive(encryption pdu: LinkLayerControlPDU) {
    switch (pdu, encryption.phase) {
    case (.encryptionRequest(let request), _): receive(request)
    case (.encryptionResponse(let response), .requested):
      encryption.peerMaterial = SessionMaterial(response)
      encryption.phase = .keyed
      procedures.restartTimer(loop, for: self)
    case (.startEncryptionRequest, .keyed):
      guard let start = encryption.start else { return loseIntegrity() }
      encryption.start = nil
      let cipher = encryption.makeCipher(key: start.key, isCentral: true)
      encryption.receiveCipher = cipher
      encryption.receiveCounter = 0
      encryptTransmissions(with: cipher)
      encryption.phase = .starting
      send(control: StartEncryptionResponse().payload)
      procedures.restartTimer(loop, for: self)
    case (.startEncryptionResponse, .starting): encryptionStarted()
    case (.startEncryptionResponse, .started):
      disarmEncryptionTimer()
      encryptTransmissions(with: encryption.receiveCipher)
      send(control: StartEncryptionResponse().payload)
      encryptionStarted()
    case (.pauseEncryptionRequest, .on) where !isCentral:
      guard terminationSent == nil else { return }
      encryption.isRefresh = true
      encryption.receiveCipher = nil
      encryption.phase = .paused
      armEncryptionTimer()
      send(control: PauseEncryptionResponse().payload)
    case (.pauseEncryptionResponse, .pausing):
      encryption.receiveCipher = nil
      encryption.transmitCipher = nil
      send(control: PauseEncryptionResponse().payload)
      requestEncryption()
      procedures.restartTimer(loop, for: self)
    case (.pauseEncryptionResponse, .paused):
      encryption.transmitCipher = nil
      encryption.phase = .resuming
      armEncryptionTimer()
    case (.pauseEncryptionRequest, _) where encryption.isSettled:
      reject(PauseEncryptionRequest.opcode, .unsupportedRemoteFeature)
    default:
      if !encryption.isSettled { loseIntegrity() }
    }
  }

  private func encryptTransmissions(with cipher: LinkCipher?) {
    encryption.transmitCipher = cipher
    encryption.transmitCounter = 0
  }

  private func encryptionStarted() {
    encryption.phase = .on
    encryption.lastAuthenticated = loop.now
    armPayloadTimer()
    controller.reportEncryption(of: self, status: .success)
    settleEncryption()
  }

  /// Data is sent again, and deferred procedures continue.
  private func settleEncryption() {
    for work in encryption.takeDeferred() where isOpen { work() }
    guard isOpen else { return }
    if isCentral { finishProcedure() } else { startNextProcedure() }
    if hasDataToSend { dataQueued() }
  }

  private func armEncryptionTimer() {
    loop.cancel(encryption.timer)
    encryption.timer = loop.schedule(
      at: loop.now + ProcedureState.responseTimeout, .background, self, tag: Timer.procedure.rawValue)
  }

  private func disarmEncryptionTimer() { loop.cancel(encryption.timer) }

  // MARK: Packets

  /// Encrypts the PDU that is about to be sent for the first time.
  func seal() {
    guard let cipher = encryption.transmitCipher else { return }
    guard encryption.transmitCounter < LinkCipher.counterLimit else {
      current = .empty
      encryption.hasFailed = true
      return
    }
    var sealed = cipher.seal(
      current.payload, header: current.kind.rawValue, counter: encryption.transmitCounter, isFromCentral: isCentral)
    encryption.transmitCounter += 1
    if controller.faults.spoiledPackets > 0 {
      controller.faults.spoiledPackets -= 1
      sealed[0] ^= 0x01
    }
    current.payload = sealed[...]
  }

  /// Decrypts a non-empty PDU; `nil` if its message integrity check is invalid.
  func opened(_ payload: ArraySlice<UInt8>, _ kind: DataChannelPDU.Kind, by cipher: LinkCipher) -> ArraySlice<UInt8>? {
    let opened = cipher.open(
      payload, header: kind.rawValue, counter: encryption.receiveCounter, isFromCentral: !isCentral)
    // An empty payload would not have been encrypted.
    guard let opened, !opened.isEmpty, encryption.receiveCounter < LinkCipher.counterLimit else {
      encryption.hasFailed = true
      return nil
    }
    return opened[...]
  }

  /// The peer violates the rules of encryption: the connection ends without another packet.
  func loseIntegrity() { close(reason: .messageIntegrityFailure) }
}
