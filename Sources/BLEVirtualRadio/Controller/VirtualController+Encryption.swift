import BLECore
import BLECrypto
import BLEWire

/// Commands and events of encryption (Core, Vol 4 Part E 7.8.22 to 7.8.26, 7.8.36, 7.8.37).
extension VirtualController {
  static func addEncryptionCommands(to table: inout CommandTable) {
    table.values(LERand.self) { controller, _ in .init(number: controller.node.chance.next()) }
    table.values(LEEncrypt.self) { _, command in
      guard let plaintext = AESBlock(leastSignificantFirst: command.plaintext.octets) else {
        throw HCIErrorCode.invalidParameters
      }
      let cipher = AES128(key: SecretKey(leastSignificantFirst: command.key.octets))
      return .init(encrypted: HCISecret(cipher.encrypt(plaintext).leastSignificantFirst))
    }
    table.beginning(LEEnableEncryption.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      let isBusy = connection.procedures.contains { if case .encryption = $0 { true } else { false } }
      guard connection.isCentral, !isBusy, connection.terminationSent == nil else {
        throw HCIErrorCode.commandDisallowed
      }
      let start = EncryptionStart(
        key: SecretKey(leastSignificantFirst: command.key.octets), randomNumber: command.randomNumber,
        diversifier: command.diversifier)
      return { connection.start(.encryption(start)) }
    }
    table.values(LELongTermKeyRequestReply.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard connection.encryption.phase == .awaitsKey else { throw HCIErrorCode.commandDisallowed }
      connection.encrypt(with: SecretKey(leastSignificantFirst: command.key.octets))
      return .init(connectionHandle: command.connectionHandle)
    }
    table.values(LELongTermKeyRequestNegativeReply.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard connection.encryption.phase == .awaitsKey else { throw HCIErrorCode.commandDisallowed }
      connection.refuseEncryption()
      return .init(connectionHandle: command.connectionHandle)
    }
    addPayloadTimeoutCommands(to: &table)
    addKeyAgreementCommands(to: &table)
  }

  private static func addPayloadTimeoutCommands(to table: inout CommandTable) {
    table.values(HCIReadAuthenticatedPayloadTimeout.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return .init(
        connectionHandle: command.connectionHandle,
        timeout: HCICentiseconds(rawValue: connection.encryption.authenticatedPayloadTimeout))
    }
    table.values(HCIWriteAuthenticatedPayloadTimeout.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      let timing = connection.timing
      // Not shorter than the time for which the peer may skip events.
      let least = timing.intervalDuration * (Int64(timing.latency) + 1)
      guard command.timeout.rawValue > 0, .milliseconds(Int64(command.timeout.rawValue) * 10) >= least else {
        throw HCIErrorCode.invalidParameters
      }
      connection.setPayloadTimeout(command.timeout.rawValue)
      return .init(connectionHandle: command.connectionHandle)
    }
  }

  private static func addKeyAgreementCommands(to table: inout CommandTable) {
    table.beginning(LEReadLocalP256PublicKey.self) { controller, _ in
      let pair = P256PrivateKey.random(controller.node.chance)
      controller.host.keyPair = pair
      let octets = pair.publicKey.x.reversed() + pair.publicKey.y.reversed()
      return {
        controller.emit(
          LEReadLocalP256PublicKeyCompleteEvent(status: .success, publicKey: octets[...]),
          .readLocalP256PublicKeyComplete)
      }
    }
    table.beginning(LEGenerateDHKey.self) { controller, command in
      try controller.keyAgreement(command.publicKey, with: controller.host.keyPair)
    }
    table.beginning(LEGenerateDHKeyV2.self) { controller, command in
      try controller.keyAgreement(
        command.publicKey, with: command.usesDebugKey ? .debug : controller.host.keyPair)
    }
  }

  private func keyAgreement(_ octets: ArraySlice<UInt8>, with pair: P256PrivateKey?) throws -> () -> Void {
    guard let pair else { throw HCIErrorCode.commandDisallowed }
    let peer = P256PublicKey(leastSignificantFirstX: octets.prefix(32), y: octets.dropFirst(32))
    return { [self] in
      let event =
        if let peer {
          LEGenerateDHKeyCompleteEvent(
            status: .success, key: HCISecret(pair.sharedSecret(with: peer).revealLeastSignificantFirst()))
        } else {
          LEGenerateDHKeyCompleteEvent(
            status: .invalidParameters, key: HCISecret([UInt8](repeating: 0xFF, count: 32)))
        }
      emit(event, .generateDHKeyComplete)
    }
  }

  // MARK: From the link layer

  /// False if the host has masked the event.
  func askHostForKey(of connection: Connection, randomNumber: UInt64, diversifier: UInt16) -> Bool {
    guard host.eventMask.contains(.leMeta), host.lowEnergyMask.contains(.longTermKeyRequest) else { return false }
    emit(
      LELongTermKeyRequestEvent(
        connectionHandle: ConnectionHandle(connection.handle), randomNumber: randomNumber, diversifier: diversifier),
      .longTermKeyRequest)
    return true
  }

  /// Reports that encryption was started, that its key changed, or that this failed.
  func reportEncryption(of connection: Connection, status: HCIErrorCode) {
    let handle = ConnectionHandle(connection.handle)
    if connection.encryption.isRefresh {
      emit(EncryptionKeyRefreshCompleteEvent(status: status, connectionHandle: handle), .encryptionKeyRefreshComplete)
      return
    }
    let state: HCIEncryptionState = status.isSuccess ? .on : .off
    let packet: HCIPacket
    if host.eventMaskPage2.contains(.encryptionChangeV2) {
      packet = HCIPacket(
        EncryptionChangeV2Event(status: status, connectionHandle: handle, state: state, keySize: 16))
    } else if host.eventMask.contains(.encryptionChange) {
      packet = HCIPacket(EncryptionChangeEvent(status: status, connectionHandle: handle, state: state))
    } else {
      return
    }
    if configuration.quirks.contains(.dataBeforeEncryptionChange), status.isSuccess {
      hold(packet)
    } else {
      toHost(packet)
    }
  }

  func reportPayloadTimeout(of connection: Connection) {
    guard host.eventMaskPage2.contains(.authenticatedPayloadTimeoutExpired) else { return }
    toHost(
      HCIPacket(AuthenticatedPayloadTimeoutExpiredEvent(connectionHandle: ConnectionHandle(connection.handle))))
  }
}
