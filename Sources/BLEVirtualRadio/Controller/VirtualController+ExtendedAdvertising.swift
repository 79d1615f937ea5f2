import BLECore
import BLEWire

/// Advertising by the extended commands (Core, Vol 4 Part E 7.8.52 to 7.8.60).
extension VirtualController {
  static let extendedCommands: Set<HCIOpcode> = [
    LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
    LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode, LESetExtendedAdvertisingEnable.opcode,
    LEReadMaximumAdvertisingDataLength.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
    LERemoveAdvertisingSet.opcode, LEClearAdvertisingSets.opcode, LESetExtendedScanParameters.opcode,
    LESetExtendedScanEnable.opcode, LEExtendedCreateConnection.opcode,
  ]

  private func set(_ handle: LEAdvertisingHandle) throws -> AdvertisingSet {
    try require(.extended)
    guard let set = advertisingSets[handle], !set.isLegacyCommand else {
      throw HCIErrorCode.unknownAdvertisingIdentifier
    }
    return set
  }

  static func addExtendedAdvertisingCommands(to table: inout CommandTable) {
    table.values(LEReadMaximumAdvertisingDataLength.self) { controller, _ in
      .init(length: controller.configuration.advertisingDataLimit)
    }
    table.values(LEReadNumberOfSupportedAdvertisingSets.self) { controller, _ in
      .init(count: controller.configuration.advertisingSetLimit)
    }
    table.values(LESetExtendedAdvertisingParameters.self) { controller, command in
      try controller.require(.extended)
      let parameters = try parameters(command)
      guard command.advertisingHandle.rawValue <= 0xEF else { throw HCIErrorCode.invalidParameters }
      if let set = controller.advertisingSets[command.advertisingHandle] {
        guard set.advertiser == nil else { throw HCIErrorCode.commandDisallowed }
        set.parameters = parameters
      } else {
        guard controller.advertisingSets.count < Int(controller.configuration.advertisingSetLimit) else {
          throw HCIErrorCode.memoryCapacityExceeded
        }
        controller.advertisingSets[command.advertisingHandle] = AdvertisingSet(
          handle: command.advertisingHandle, isLegacyCommand: false, parameters: parameters)
      }
      let asked = command.transmitPower
      return .init(selectedTransmitPower: asked == 127 ? controller.node.transmitPower : min(asked, 20))
    }
    table.action(LESetAdvertisingSetRandomAddress.self) { controller, command in
      let set = try controller.set(command.advertisingHandle)
      if set.advertiser != nil, set.parameters.isConnectable { throw HCIErrorCode.commandDisallowed }
      set.randomAddress = DeviceAddress(command.address.value, kind: .random)
    }
    table.action(LESetExtendedAdvertisingData.self) { controller, command in
      let set = try controller.set(command.advertisingHandle)
      set.data = try controller.merge(
        command.operation, command.data, into: set.data, inProgress: &set.dataInProgress, of: set)
      controller.contentChanged(set)
    }
    table.action(LESetExtendedScanResponseData.self) { controller, command in
      let set = try controller.set(command.advertisingHandle)
      guard command.operation != .unchanged else { throw HCIErrorCode.invalidParameters }
      set.scanData = try controller.merge(
        command.operation, command.data, into: set.scanData, inProgress: &set.scanDataInProgress, of: set)
      controller.contentChanged(set)
    }
    table.action(LESetExtendedAdvertisingEnable.self) { try $0.enableSets($1) }
    table.action(LERemoveAdvertisingSet.self) { controller, command in
      let set = try controller.set(command.advertisingHandle)
      guard set.advertiser == nil else { throw HCIErrorCode.commandDisallowed }
      controller.advertisingSets[command.advertisingHandle] = nil
    }
    table.action(LEClearAdvertisingSets.self) { controller, _ in
      try controller.require(.extended)
      guard controller.advertisingSets.values.allSatisfy({ $0.advertiser == nil }) else {
        throw HCIErrorCode.commandDisallowed
      }
      controller.advertisingSets = [:]
    }
  }

  private func contentChanged(_ set: AdvertisingSet) {
    set.dataIdentifier = UInt16(node.chance.uniform(0..<0x1000))
    set.advertiser?.contentChanged()
  }

  /// The data is complete or a fragment; in total at most what the set supports.
  private func merge(
    _ operation: LEDataOperation, _ part: ArraySlice<UInt8>, into data: [UInt8], inProgress: inout [UInt8]?,
    of set: AdvertisingSet
  ) throws -> [UInt8] {
    let limit = set.parameters.isLegacy ? legacyAdvertisingDataLimit : Int(configuration.advertisingDataLimit)
    if operation != .complete, operation != .unchanged, set.advertiser != nil { throw HCIErrorCode.commandDisallowed }
    var result: [UInt8]
    switch operation {
    case .complete: result = Array(part)
    case .unchanged:
      guard set.advertiser != nil, part.isEmpty, !data.isEmpty else { throw HCIErrorCode.invalidParameters }
      return data
    case .firstFragment:
      guard !part.isEmpty else { throw HCIErrorCode.invalidParameters }
      result = Array(part)
    case .intermediateFragment, .lastFragment:
      guard let begun = inProgress, !part.isEmpty else { throw HCIErrorCode.invalidParameters }
      result = begun + part
    default: throw HCIErrorCode.invalidParameters
    }
    guard result.count <= limit else {
      inProgress = nil
      throw set.parameters.isLegacy ? HCIErrorCode.invalidParameters : HCIErrorCode.memoryCapacityExceeded
    }
    if operation == .firstFragment || operation == .intermediateFragment {
      inProgress = result
      return data
    }
    inProgress = nil
    return result
  }

  private func enableSets(_ command: LESetExtendedAdvertisingEnable) throws {
    try require(.extended)
    guard command.isEnabled else {
      if command.sets.isEmpty {
        for set in advertisingSets.values { stopAdvertising(set) }
      }
      let sets = try command.sets.map { try self.set($0.advertisingHandle) }
      for set in sets { stopAdvertising(set) }
      return
    }
    guard !command.sets.isEmpty, Set(command.sets.map(\.advertisingHandle)).count == command.sets.count else {
      throw HCIErrorCode.invalidParameters
    }
    // Either all of them start, or none does.
    let sets = try command.sets.map { entry in
      let set = try self.set(entry.advertisingHandle)
      _ = try ownAddress(set.parameters.ownAddressType, random: set.randomAddress)
      if set.dataInProgress != nil || set.scanDataInProgress != nil { throw HCIErrorCode.commandDisallowed }
      if set.parameters.isScannable, !set.parameters.isLegacy, set.scanData.isEmpty {
        throw HCIErrorCode.commandDisallowed
      }
      return set
    }
    for (set, entry) in zip(sets, command.sets) {
      let duration: StackDuration =
        set.parameters.isHighDuty ? .milliseconds(1_280) : entry.duration.duration
      try startAdvertising(set, duration: duration, maximumEvents: Int(entry.maximumEvents))
    }
  }

  private static func parameters(_ command: LESetExtendedAdvertisingParameters) throws -> AdvertisingParameters {
    let properties = command.properties
    let isLegacy = properties.contains(.legacy)
    let minimum = command.primaryIntervalMinimum.rawValue
    let maximum = command.primaryIntervalMaximum.rawValue
    guard minimum >= 0x20, minimum <= maximum, !command.primaryChannels.isEmpty,
      command.primaryChannels.isSubset(of: .all), command.filterPolicy.rawValue <= 3,
      command.ownAddressType.rawValue <= 3, command.setIdentifier <= 0x0F,
      command.primaryPHY == .le1M || command.primaryPHY == .leCoded,
      isLegacy || (1...3).contains(command.secondaryPHY.rawValue)
    else { throw HCIErrorCode.invalidParameters }
    let isConnectable = properties.contains(.connectable)
    let isScannable = properties.contains(.scannable)
    let isDirected = properties.contains(.directed)
    if isLegacy {
      // Only the five types of legacy PDUs are allowed (Core, Vol 4 Part E 7.8.53, table 7.2).
      guard [0x13, 0x15, 0x1D, 0x12, 0x10].contains(properties.rawValue), command.primaryPHY == .le1M else {
        throw HCIErrorCode.invalidParameters
      }
    } else if isConnectable && isScannable || properties.contains(.highDutyCycle)
      || properties.contains(.anonymous) && (isConnectable || isScannable)
    {
      throw HCIErrorCode.invalidParameters
    }
    return AdvertisingParameters(
      interval: command.primaryIntervalMinimum.duration, isConnectable: isConnectable, isScannable: isScannable,
      isDirected: isDirected, isHighDuty: properties.contains(.highDutyCycle), isLegacy: isLegacy,
      isAnonymous: properties.contains(.anonymous), includesTransmitPower: properties.contains(.includesTransmitPower),
      channels: command.primaryChannels, ownAddressType: command.ownAddressType, peer: command.peerAddress,
      filterPolicy: command.filterPolicy, primaryPHY: command.primaryPHY, secondaryPHY: command.secondaryPHY,
      setIdentifier: command.setIdentifier, reportsScanRequests: command.reportsScanRequests)
  }
}
