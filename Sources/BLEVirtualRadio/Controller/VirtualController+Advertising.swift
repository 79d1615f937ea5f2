import BLECore
import BLEWire

/// Advertising by the legacy commands, and the parts shared with the extended ones.
extension VirtualController {
  /// The advertising set of the legacy commands. No extended set can have this handle.
  private static let legacySet = LEAdvertisingHandle(rawValue: 0xFF)

  func require(_ style: HostState.CommandStyle) throws {
    if let used = host.style, used != style { throw HCIErrorCode.commandDisallowed }
    host.style = style
  }

  private var legacyAdvertisingSet: AdvertisingSet {
    if let set = advertisingSets[Self.legacySet] { return set }
    let set = AdvertisingSet(
      handle: Self.legacySet, isLegacyCommand: true,
      parameters: AdvertisingParameters(
        interval: .milliseconds(1_280), isConnectable: true, isScannable: true, ownAddressType: .public, peer: .none,
        filterPolicy: .all))
    advertisingSets[Self.legacySet] = set
    return set
  }

  static func addAdvertisingCommands(to table: inout CommandTable) {
    table.action(LESetAdvertisingParameters.self) { controller, command in
      try controller.require(.legacy)
      let set = controller.legacyAdvertisingSet
      guard set.advertiser == nil else { throw HCIErrorCode.commandDisallowed }
      set.parameters = try parameters(command)
    }
    table.values(LEReadAdvertisingPhysicalChannelTransmitPower.self) { controller, _ in
      try controller.require(.legacy)
      return .init(transmitPower: controller.node.transmitPower)
    }
    table.action(LESetAdvertisingData.self) { controller, command in
      try controller.require(.legacy)
      let set = controller.legacyAdvertisingSet
      set.data = Array(command.data)
      set.advertiser?.contentChanged()
    }
    table.action(LESetScanResponseData.self) { controller, command in
      try controller.require(.legacy)
      let set = controller.legacyAdvertisingSet
      set.scanData = Array(command.data)
      set.advertiser?.contentChanged()
    }
    table.action(LESetAdvertisingEnable.self) { controller, command in
      try controller.require(.legacy)
      let set = controller.legacyAdvertisingSet
      if command.isEnabled {
        let duration: StackDuration = set.parameters.isHighDuty ? .milliseconds(1_280) : .zero
        try controller.startAdvertising(set, duration: duration, maximumEvents: 0)
      } else {
        controller.stopAdvertising(set)
      }
    }
  }

  private static func parameters(_ command: LESetAdvertisingParameters) throws -> AdvertisingParameters {
    let minimum = command.intervalMinimum.rawValue
    let maximum = command.intervalMaximum.rawValue
    let isHighDuty = command.type == .directedHighDuty
    guard command.type.rawValue <= 4, command.ownAddressType.rawValue <= 3, command.filterPolicy.rawValue <= 3,
      !command.channels.isEmpty, command.channels.isSubset(of: .all)
    else { throw HCIErrorCode.invalidParameters }
    if !isHighDuty {
      guard (0x20...0x4000).contains(minimum), (0x20...0x4000).contains(maximum), minimum <= maximum else {
        throw HCIErrorCode.invalidParameters
      }
    }
    let isDirected = isHighDuty || command.type == .directed
    return AdvertisingParameters(
      interval: command.intervalMinimum.duration, isConnectable: command.type == .connectable || isDirected,
      isScannable: command.type == .connectable || command.type == .scannable, isDirected: isDirected,
      isHighDuty: isHighDuty, channels: command.channels, ownAddressType: command.ownAddressType,
      peer: command.peerAddress, filterPolicy: command.filterPolicy)
  }

  // MARK: Legacy and extended

  func startAdvertising(_ set: AdvertisingSet, duration: StackDuration, maximumEvents: Int) throws {
    let random = set.isLegacyCommand ? host.randomAddress : set.randomAddress
    _ = try ownAddress(set.parameters.ownAddressType, random: random)
    set.advertiser?.stop()
    set.advertiser = LinkLayerAdvertiser(
      controller: self, set: set, address: advertisingAddress(set), duration: duration, maximumEvents: maximumEvents)
  }

  /// The current address of a set: a private one changes with time.
  func advertisingAddress(_ set: AdvertisingSet) -> DeviceAddress {
    let random = set.isLegacyCommand ? host.randomAddress : set.randomAddress
    let address = try? ownAddress(
      set.parameters.ownAddressType, random: random, peer: set.parameters.peer.address)
    return address ?? random ?? publicAddress
  }

  /// The target of a directed set, as on the air.
  func advertisingTarget(_ set: AdvertisingSet) -> DeviceAddress? {
    guard set.parameters.isDirected else { return nil }
    let peer = set.parameters.peer.address
    return set.parameters.ownAddressType.isPrivate ? targetPrivateAddress(for: peer) ?? peer : peer
  }

  func stopAdvertising(_ set: AdvertisingSet) {
    set.advertiser?.stop()
    set.advertiser = nil
  }

  /// Advertising has reached its duration or its maximum number of events.
  func advertisingEnded(_ set: AdvertisingSet, reason: HCIErrorCode, completedEvents: Int) {
    stopAdvertising(set)
    if set.isLegacyCommand {
      // The host that requested directed advertising waits for a connection.
      emitConnectionComplete(failure: .advertisingTimeout, role: .peripheral)
    } else {
      emit(
        LEAdvertisingSetTerminatedEvent(
          status: reason, advertisingHandle: set.handle, connectionHandle: ConnectionHandle(0),
          completedEvents: UInt8(clamping: completedEvents)),
        .advertisingSetTerminated)
    }
  }

  /// The set has become the peripheral's end of a connection.
  func advertiserConnected(_ set: AdvertisingSet, _ connection: Connection, completedEvents: Int) {
    set.advertiser = nil
    linkOpened(connection)
    guard !set.isLegacyCommand else { return }
    emit(
      LEAdvertisingSetTerminatedEvent(
        status: .success, advertisingHandle: set.handle, connectionHandle: ConnectionHandle(connection.handle),
        completedEvents: UInt8(clamping: completedEvents)),
      .advertisingSetTerminated)
  }

  func reportScanRequest(_ set: AdvertisingSet, from scanner: DeviceAddress) {
    emit(
      LEScanRequestReceivedEvent(advertisingHandle: set.handle, scannerAddress: reported(scanner)),
      .scanRequestReceived)
  }
}
