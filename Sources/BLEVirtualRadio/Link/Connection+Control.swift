import BLECore
import BLEWire

/// The effects of the peer's control PDUs (Core, Vol 6 Part B 5.1).
extension Connection {
  func receive(control payload: ArraySlice<UInt8>) {
    guard let pdu = try? LinkLayerControlPDU(payload: payload) else {
      // A known opcode with a wrong length is answered as an unknown one (Core, Vol 6 Part B 2.4.2).
      if let opcode = payload.first { send(control: UnknownResponse(unknownType: opcode).payload) }
      return
    }
    guard encryption.isSettled || admitsDuringEncryption(pdu, payload) else { return }
    switch pdu {
    case .terminate, .pingResponse, .minimumUsedChannels: break
    case .pingRequest: send(control: PingResponse().payload)
    case .version(let version): receive(version)
    case .featureRequest(let request): receiveFeatures(request.features, isAllowed: !isCentral, FeatureRequest.opcode)
    case .peripheralFeatureRequest(let request):
      receiveFeatures(request.features, isAllowed: isCentral, PeripheralFeatureRequest.opcode)
    case .featureResponse(let response):
      procedures.remoteFeatures = response.features
      guard procedures.running == .featureExchange else { return }
      finishProcedure()
      controller.reportRemoteFeatures(of: self, status: .success)
    case .lengthRequest(let request): receive(request)
    case .lengthResponse(let response):
      guard procedures.running == .dataLengthUpdate else { return }
      finishProcedure()
      setRemoteDataLength(
        transmit: .init(octets: response.maximumTransmitOctets, time: response.maximumTransmitTime),
        receive: .init(octets: response.maximumReceiveOctets, time: response.maximumReceiveTime))
    case .phyRequest(let request): receive(request)
    case .phyResponse(let response):
      guard isCentral, case .phyUpdate(_, _, let isFromHost) = procedures.running else { return }
      sendPHYUpdate(peerTransmit: response.transmit, peerReceive: response.receive, isFromHost: isFromHost)
    case .phyUpdate(let update): receive(update)
    case .connectionUpdate(let update): receive(update)
    case .channelMap(let update):
      guard !isCentral, let event = takeInstant(update.instant) else { return }
      procedures.channelMapChange = PendingChange(event: event, value: update.channelMap)
    case .connectionParameterRequest(let request): receive(request)
    case .connectionParameterResponse: break
    case .reject(let reject): refused(opcode: nil, HCIErrorCode(rawValue: reject.reason))
    case .rejectExtended(let reject): refused(opcode: reject.rejectedOpcode, HCIErrorCode(rawValue: reject.reason))
    case .unknownResponse(let response): refused(opcode: response.unknownType, .unsupportedRemoteFeature)
    case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
      .pauseEncryptionRequest, .pauseEncryptionResponse:
      receive(encryption: pdu)
    case .other(let opcode, _): send(control: UnknownResponse(unknownType: opcode).payload)
    }
  }

  // MARK: Ending

  /// The host ends the connection: its earlier data is sent first.
  func terminate(reason: UInt8) {
    guard terminationSent == nil else { return }
    terminationSent = reason
    let payload = TerminateIndication(reason: reason).payload
    if encryption.isSettled {
      waiting.append(WaitingPacket(payload: payload[...], kind: .control))
    } else {
      // Data is blocked: the termination does not wait for it.
      control.append(payload)
    }
    dataQueued()
  }

  /// Closes this side after the peer or this side has ended the connection.
  func finishTermination() {
    if encryption.hasFailed {
      loseIntegrity()
    } else if let reason = terminationReceived {
      close(reason: HCIErrorCode(rawValue: reason))
    } else if isTerminationAcknowledged {
      close(reason: .localHostTerminated)
    }
  }

  // MARK: Exchanges

  private func receive(_ version: VersionIndication) {
    procedures.remoteVersion = version
    if !procedures.isVersionSent {
      procedures.isVersionSent = true
      send(control: controller.versionIndication.payload)
    }
    guard procedures.running == .versionExchange else { return }
    finishProcedure()
    controller.reportRemoteVersion(of: self, status: .success)
  }

  private func receiveFeatures(_ features: UInt64, isAllowed: Bool, _ opcode: UInt8) {
    guard isAllowed else {
      send(control: UnknownResponse(unknownType: opcode).payload)
      return
    }
    procedures.remoteFeatures = features
    send(control: FeatureResponse(features: controller.features.rawValue).payload)
  }

  private func receive(_ request: LengthRequest) {
    guard controller.features.contains(.dataPacketLengthExtension) else {
      send(control: UnknownResponse(unknownType: LengthRequest.opcode).payload)
      return
    }
    announcedTransmit = preferredTransmit
    send(
      control: LengthResponse(
        maximumReceiveOctets: preferredReceive.octets, maximumReceiveTime: preferredReceive.time,
        maximumTransmitOctets: preferredTransmit.octets, maximumTransmitTime: preferredTransmit.time
      ).payload)
    setRemoteDataLength(
      transmit: .init(octets: request.maximumTransmitOctets, time: request.maximumTransmitTime),
      receive: .init(octets: request.maximumReceiveOctets, time: request.maximumReceiveTime))
  }

  private func receive(_ request: PhyRequest) {
    guard controller.features.contains(.phy2M) || controller.features.contains(.codedPHY) else {
      send(control: UnknownResponse(unknownType: PhyRequest.opcode).payload)
      return
    }
    if isCentral {
      if let running = procedures.running, running.hasInstant {
        let isSame = if case .phyUpdate = running { true } else { false }
        reject(PhyRequest.opcode, isSame ? .linkLayerProcedureCollision : .differentTransactionCollision)
        return
      }
      sendPHYUpdate(peerTransmit: request.transmit, peerReceive: request.receive, isFromHost: false)
    } else {
      let own = ownPHYs
      send(control: PhyResponse(transmit: own.transmit.rawValue, receive: own.receive.rawValue).payload)
    }
  }

  private func receive(_ update: PhyUpdateIndication) {
    guard !isCentral else { return }
    var isFromHost = false
    if case .phyUpdate(_, _, let asked) = procedures.running { isFromHost = asked }
    guard update.centralToPeripheral != 0 || update.peripheralToCentral != 0 else {
      if case .phyUpdate = procedures.running { finishProcedure() }
      if isFromHost { controller.reportPHY(of: self) }
      return
    }
    guard let event = takeInstant(update.instant) else { return }
    procedures.phyChange = PendingChange(
      event: event,
      value: .init(
        transmit: Self.phy(bit: update.peripheralToCentral) ?? transmitPHY,
        receive: Self.phy(bit: update.centralToPeripheral) ?? receivePHY, isFromHost: isFromHost))
  }

  // MARK: Timing

  private func receive(_ update: ConnectionUpdateIndication) {
    guard !isCentral, let event = takeInstant(update.instant) else { return }
    let timing = ConnectionTiming(interval: update.interval, latency: update.latency, timeout: update.timeout)
    guard timing.isValid else {
      close(reason: .invalidLinkLayerParameters)
      return
    }
    var isFromHost = false
    if case .parameterRequest = procedures.running { isFromHost = true }
    procedures.timingChange = PendingChange(event: event, value: .init(timing: timing, isFromHost: isFromHost))
  }

  private func receive(_ request: ConnectionParameterRequest) {
    guard controller.features.contains(.connectionParametersRequest) else {
      send(control: UnknownResponse(unknownType: ConnectionParameterRequest.opcode).payload)
      return
    }
    let proposed = ConnectionTiming(
      interval: request.intervalMaximum, latency: request.latency, timeout: request.timeout)
    if procedures.running?.hasInstant == true || procedures.openRequest != nil {
      reject(ConnectionParameterRequest.opcode, .linkLayerProcedureCollision)
    } else if !proposed.isValid || request.intervalMinimum > request.intervalMaximum || request.intervalMinimum < 6 {
      reject(ConnectionParameterRequest.opcode, .invalidLinkLayerParameters)
    } else if !controller.askHost(about: request, of: self) {
      reject(ConnectionParameterRequest.opcode, .unsupportedRemoteFeature)
    } else {
      procedures.openRequest = request
    }
  }

  /// The host has answered the peer's request; `nil` refuses it.
  func answerParameterRequest(_ timing: ConnectionTiming?, reason: UInt8 = 0x3B) {
    guard encryption.isSettled else {
      encryption.whenSettled { [weak self] in self?.answerParameterRequest(timing, reason: reason) }
      return
    }
    procedures.openRequest = nil
    guard let timing else {
      reject(ConnectionParameterRequest.opcode, HCIErrorCode(rawValue: reason))
      return
    }
    if isCentral {
      sendConnectionUpdate(timing, isFromHost: false)
    } else {
      send(
        control: ConnectionParameterResponse(
          intervalMinimum: timing.interval, intervalMaximum: timing.interval, latency: timing.latency,
          timeout: timing.timeout, preferredPeriodicity: 0,
          referenceEventCount: UInt16(truncatingIfNeeded: eventNumber), offsets: [UInt8](repeating: 0xFF, count: 12)
        ).payload)
    }
  }

  /// The event of an instant; `nil`, and the end of the connection, if it has passed (Core, Vol 6 Part B 5.5.1).
  private func takeInstant(_ instant: UInt16) -> Int? {
    let event = event(at: instant)
    if event >= eventNumber { return event }
    // A process that ran late must not lose its links because of that.
    if case .remote = peer { return eventNumber }
    close(reason: .instantPassed)
    return nil
  }

  // MARK: Refusals

  func reject(_ opcode: UInt8, _ reason: HCIErrorCode) {
    send(control: RejectExtendedIndication(rejectedOpcode: opcode, reason: reason.rawValue).payload)
  }

  /// The peer refused a procedure of this side; `opcode` says which, if the PDU has it.
  private func refused(opcode: UInt8?, _ reason: HCIErrorCode) {
    guard let running = procedures.running, Self.isAbout(running, opcode) else { return }
    if case .encryption = running { return encryptionRefused(reason) }
    finishProcedure()
    switch running {
    case .versionExchange: controller.reportRemoteVersion(of: self, status: reason)
    case .featureExchange: controller.reportRemoteFeatures(of: self, status: reason)
    case .phyUpdate(_, _, let isFromHost): if isFromHost { controller.reportPHY(of: self, status: reason) }
    case .parameterRequest: controller.reportTiming(of: self, status: reason)
    case .dataLengthUpdate, .connectionUpdate, .channelMapUpdate, .encryption: break
    }
  }

  private static func isAbout(_ procedure: LinkProcedure, _ opcode: UInt8?) -> Bool {
    guard let opcode else { return true }
    switch procedure {
    case .versionExchange: return opcode == VersionIndication.opcode
    case .featureExchange: return opcode == FeatureRequest.opcode || opcode == PeripheralFeatureRequest.opcode
    case .dataLengthUpdate: return opcode == LengthRequest.opcode
    case .phyUpdate: return opcode == PhyRequest.opcode
    case .connectionUpdate: return opcode == ConnectionUpdateIndication.opcode
    case .parameterRequest: return opcode == ConnectionParameterRequest.opcode
    case .channelMapUpdate: return opcode == ChannelMapIndication.opcode
    case .encryption: return opcode == EncryptionRequest.opcode || opcode == PauseEncryptionRequest.opcode
    }
  }
}
