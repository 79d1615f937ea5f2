import BLECore
import BLEWire

/// Brings a controller from any state into one that a host can use, and reads its features.
final class HCIStartUp {
  private enum Step: Int {
    case reset, supportedCommands, version, supportedFeatures, address, leFeatures
    case leBufferSize, sharedBufferSize
    case eventMask, eventMaskPage2, leHostSupport, leEventMask
    case supportedStates, filterAcceptListSize, resolvingListSize
    case maximumDataLength, suggestedDataLength
    case advertisingSets, advertisingDataLength, transmitPower
  }

  private unowned let controller: HCIController
  private let finished: (Result<ControllerFeatures, HCIFailure>) -> Void
  private var features = ControllerFeatures()
  /// Whether the controller has answered the reset.
  private(set) var isReset = false

  init(
    controller: HCIController, finished: @escaping (Result<ControllerFeatures, HCIFailure>) -> Void
  ) {
    self.controller = controller
    self.finished = finished
  }

  func begin() { perform(.reset) }

  private func perform(_ step: Step) {
    switch step {
    case .reset: ask(step, HCIReset())
    case .supportedCommands: ask(step, HCIReadLocalSupportedCommands()) { $0.commands = $1.commands }
    case .version:
      tryAsking(step, HCIReadLocalVersionInformation()) {
        $0.version = $1.linkLayerVersion
        $0.companyIdentifier = $1.companyIdentifier
      }
    case .supportedFeatures: tryAsking(step, HCIReadLocalSupportedFeatures()) { $0.lmpFeatures = $1.features }
    case .address:
      tryAsking(step, HCIReadBDADDR()) { $0.publicAddress = $1.address.value == 0 ? nil : $1.address }
    case .leFeatures: ask(step, LEReadLocalSupportedFeatures()) { $0.leFeatures = $1.features }
    case .leBufferSize:
      ask(step, LEReadBufferSize()) {
        $0.aclDataPacketLength = Int($1.aclDataPacketLength)
        $0.aclDataPacketCount = Int($1.aclDataPacketCount)
      }
    case .sharedBufferSize: readSharedBufferSize(step)
    case .eventMask:
      ask(
        step,
        HCISetEventMask(mask: [
          .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
          .dataBufferOverflow, .encryptionKeyRefreshComplete, .leMeta,
        ]))
    case .eventMaskPage2: tryAsking(step, HCISetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired))
    case .leHostSupport:
      // Only a dual-mode controller needs this command.
      if features.lmpFeatures.contains(.brEDRNotSupported) { return proceed(after: step) }
      tryAsking(step, HCIWriteLEHostSupport(isSupported: true, simultaneous: 0))
    case .leEventMask: ask(step, LESetEventMask(mask: wantedEvents))
    case .supportedStates: tryAsking(step, LEReadSupportedStates()) { $0.states = $1.states }
    case .filterAcceptListSize:
      tryAsking(step, LEReadFilterAcceptListSize()) { $0.filterAcceptListSize = Int($1.size) }
    case .resolvingListSize: tryAsking(step, LEReadResolvingListSize()) { $0.resolvingListSize = Int($1.size) }
    case .maximumDataLength: readMaximumDataLength(step)
    case .suggestedDataLength: suggestDataLength(step)
    case .advertisingSets:
      tryAsking(step, LEReadNumberOfSupportedAdvertisingSets()) { $0.advertisingSetCount = max(1, Int($1.count)) }
    case .advertisingDataLength:
      tryAsking(step, LEReadMaximumAdvertisingDataLength()) {
        $0.maximumAdvertisingDataLength = min(1650, max(legacyAdvertisingDataLimit, Int($1.length)))
      }
    case .transmitPower:
      tryAsking(step, LEReadTransmitPower()) {
        if $1.minimum <= $1.maximum { $0.transmitPower = $1.minimum...$1.maximum }
      }
    }
  }

  private func readSharedBufferSize(_ step: Step) {
    guard features.aclDataPacketLength == 0 || features.aclDataPacketCount == 0 else { return proceed(after: step) }
    ask(step, HCIReadBufferSize()) {
      $0.aclDataPacketLength = Int($1.aclDataPacketLength)
      $0.aclDataPacketCount = Int($1.aclDataPacketCount)
    }
  }

  private func readMaximumDataLength(_ step: Step) {
    guard features.leFeatures.contains(.dataPacketLengthExtension) else { return proceed(after: step) }
    tryAsking(step, LEReadMaximumDataLength()) {
      $0.maximumTransmitOctets = min(251, max(27, $1.transmitOctets))
      $0.maximumTransmitTime = min(17_040, max(328, $1.transmitTime))
      $0.maximumReceiveOctets = min(251, max(27, $1.receiveOctets))
      $0.maximumReceiveTime = min(17_040, max(328, $1.receiveTime))
    }
  }

  /// Longer packets on every new connection: each saves a header and a turnaround of the radio.
  private func suggestDataLength(_ step: Step) {
    guard features.maximumTransmitOctets > 27 else { return proceed(after: step) }
    tryAsking(
      step,
      LEWriteSuggestedDefaultDataLength(
        transmitOctets: features.maximumTransmitOctets, transmitTime: features.maximumTransmitTime))
  }

  private var wantedEvents: LEEventMask {
    var mask: LEEventMask = [
      .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
      .longTermKeyRequest, .readLocalP256PublicKeyComplete, .generateDHKeyComplete,
    ]
    let has = features.leFeatures
    if has.contains(.connectionParametersRequest) { mask.insert(.remoteConnectionParameterRequest) }
    if has.contains(.dataPacketLengthExtension) { mask.insert(.dataLengthChange) }
    if has.contains(.privacy) { mask.insert(.enhancedConnectionComplete) }
    if has.contains(.extendedScannerFilterPolicies) { mask.insert(.directedAdvertisingReport) }
    if has.contains(.phy2M) || has.contains(.codedPHY) { mask.insert(.phyUpdateComplete) }
    if features.supportsExtendedAdvertising {
      mask.formUnion([.extendedAdvertisingReport, .scanTimeout, .advertisingSetTerminated, .scanRequestReceived])
    }
    if has.contains(.channelSelectionAlgorithm2) { mask.insert(.channelSelectionAlgorithm) }
    return mask
  }

  private func proceed(after step: Step) {
    if step == .reset { isReset = true }
    guard let next = Step(rawValue: step.rawValue + 1) else { return finish() }
    perform(next)
  }

  private func finish() {
    guard features.aclDataPacketLength >= 27, features.aclDataPacketCount > 0 else {
      let buffers = "\(features.aclDataPacketCount) buffers of \(features.aclDataPacketLength) octets"
      return finished(.failure(.unsuitable("the controller has \(buffers), too little for LE")))
    }
    finished(.success(features))
  }

  /// Sends a command that every LE controller has to support.
  private func ask<Command: HCICommand>(
    _ step: Step, _ command: Command,
    _ use: @escaping (inout ControllerFeatures, Command.ReturnParameters) -> Void = { _, _ in }
  ) {
    send(step, command, isNeeded: true, use)
  }

  /// Sends a command if the controller reports that it supports it; a refusal is not a failure.
  private func tryAsking<Command: HCICommand>(
    _ step: Step, _ command: Command,
    _ use: @escaping (inout ControllerFeatures, Command.ReturnParameters) -> Void = { _, _ in }
  ) {
    guard features.commands.contains(Command.self) else { return proceed(after: step) }
    send(step, command, isNeeded: false, use)
  }

  private func send<Command: HCICommand>(
    _ step: Step, _ command: Command, isNeeded: Bool,
    _ use: @escaping (inout ControllerFeatures, Command.ReturnParameters) -> Void
  ) {
    controller.enqueue(command) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let parameters): use(&features, parameters)
      case .failure(.notReady): return
      case .failure(.refused(.unknownCommand)) where step == .leFeatures:
        return finished(.failure(.unsuitable("the controller does not support Bluetooth LE")))
      case .failure(.refused(let code)):
        if isNeeded { return finished(.failure(.refused(Command.opcode, code))) }
      case .failure(.malformed(let error)):
        if isNeeded { return finished(.failure(.malformedAnswer(Command.opcode, error))) }
      }
      proceed(after: step)
    }
  }
}
