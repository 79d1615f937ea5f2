import BLECore
import BLEWire

/// The resolving list and its effect on addresses (Core, Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77; Vol 6 Part B 6).
extension VirtualController {
  static let resolvingCommands: Set<HCIOpcode> = [
    LEAddDeviceToResolvingList.opcode, LERemoveDeviceFromResolvingList.opcode, LEClearResolvingList.opcode,
    LEReadResolvingListSize.opcode, LEReadPeerResolvableAddress.opcode, LEReadLocalResolvableAddress.opcode,
    LESetAddressResolutionEnable.opcode, LESetResolvablePrivateAddressTimeout.opcode, LESetPrivacyMode.opcode,
  ]

  /// While an activity uses the list, neither the list nor its use may change.
  private func requireIdleRadio() throws {
    let advertises = advertisingSets.values.contains { $0.advertiser != nil }
    if advertises || scanner != nil || initiator != nil { throw HCIErrorCode.commandDisallowed }
  }

  private func requireIdleResolvingList() throws {
    if resolvingList.isEnabled { try requireIdleRadio() }
  }

  private func resolvingEntry(_ identity: HCIAddress) throws -> ResolvingList.Entry {
    guard let entry = resolvingList.entry(of: identity) else { throw HCIErrorCode.unknownConnectionIdentifier }
    return entry
  }

  static func addPrivacyCommands(to table: inout CommandTable) {
    table.values(LEReadResolvingListSize.self) { controller, _ in
      .init(size: controller.configuration.resolvingListSize)
    }
    table.action(LEClearResolvingList.self) { controller, _ in
      try controller.requireIdleResolvingList()
      controller.resolvingList.removeAll()
    }
    table.action(LEAddDeviceToResolvingList.self) { controller, command in
      try controller.requireIdleResolvingList()
      guard command.peerIdentity.type.rawValue <= 1, controller.resolvingList.entry(of: command.peerIdentity) == nil
      else { throw HCIErrorCode.invalidParameters }
      guard controller.resolvingList.entries.count < Int(controller.configuration.resolvingListSize) else {
        throw HCIErrorCode.memoryCapacityExceeded
      }
      controller.resolvingList.append(
        ResolvingList.Entry(
          identity: command.peerIdentity, peerKey: command.peerIdentityResolvingKey,
          localKey: command.localIdentityResolvingKey))
    }
    table.action(LERemoveDeviceFromResolvingList.self) { controller, command in
      try controller.requireIdleResolvingList()
      controller.resolvingList.remove(try controller.resolvingEntry(command.peerIdentity))
    }
    table.action(LESetPrivacyMode.self) { controller, command in
      try controller.requireIdleResolvingList()
      guard command.mode.rawValue <= 1 else { throw HCIErrorCode.invalidParameters }
      try controller.resolvingEntry(command.peerIdentity).mode = command.mode
    }
    table.action(LESetAddressResolutionEnable.self) { controller, command in
      try controller.requireIdleRadio()
      controller.resolvingList.isEnabled = command.isEnabled
    }
    table.action(LESetResolvablePrivateAddressTimeout.self) { controller, command in
      guard (1...3_600).contains(command.seconds) else { throw HCIErrorCode.invalidParameters }
      controller.resolvingList.timeout = .seconds(Int64(command.seconds))
    }
    table.values(LEReadPeerResolvableAddress.self) { controller, command in
      .init(address: try controller.resolvingEntry(command.peerIdentity).peerAddress ?? .noPrivateAddress)
    }
    table.values(LEReadLocalResolvableAddress.self) { controller, command in
      let entry = try controller.resolvingEntry(command.peerIdentity)
      return .init(address: controller.localPrivateAddress(for: entry.identity.address) ?? .noPrivateAddress)
    }
  }

  // MARK: Addresses

  /// The address of this device towards a peer, or towards all; throws if the host has set none.
  func ownAddress(_ type: LEOwnAddressType, random: DeviceAddress?, peer: DeviceAddress? = nil) throws -> DeviceAddress
  {
    switch type {
    case .public: return publicAddress
    case .resolvableOrPublic: return peer.flatMap(localPrivateAddress) ?? publicAddress
    case .random, .resolvableOrRandom:
      if type == .resolvableOrRandom, let address = peer.flatMap(localPrivateAddress) { return address }
      guard let random else { throw HCIErrorCode.invalidParameters }
      return random
    default: throw HCIErrorCode.invalidParameters
    }
  }

  func localPrivateAddress(for peer: DeviceAddress) -> DeviceAddress? {
    resolvingList.localAddress(for: peer, now: loop.now, chance: node.chance)
  }

  func targetPrivateAddress(for peer: DeviceAddress) -> DeviceAddress? {
    resolvingList.targetAddress(for: peer, now: loop.now, chance: node.chance)
  }

  /// The identity behind a private address, otherwise the address itself.
  func identity(_ address: DeviceAddress) -> DeviceAddress {
    // Called for each advertisement: without a list this check is the only cost.
    resolvingList.isActive ? resolvingList.resolve(address)?.identity.address ?? address : address
  }

  /// Whether an advertisement to this address is for this device.
  func isOwn(_ address: DeviceAddress) -> Bool {
    address == publicAddress || address == host.randomAddress || resolvingList.isOwn(address)
  }

  /// The address of a peer, as in events.
  func reported(_ address: DeviceAddress) -> HCIAddress {
    (resolvingList.isActive ? resolvingList.resolve(address)?.resolvedIdentity : nil) ?? HCIAddress(address)
  }

  /// The target of an advertisement, as in events.
  func reported(target: DeviceAddress, ownAddressType: LEOwnAddressType) -> HCIAddress {
    guard target.randomKind == .resolvablePrivate, target != host.randomAddress else { return HCIAddress(target) }
    guard resolvingList.isOwn(target) else { return HCIAddress(type: .unresolved, value: target.value) }
    switch ownAddressType {
    case .public, .resolvableOrPublic: return HCIAddress(type: .publicIdentity, value: publicAddress.value)
    default: return HCIAddress(type: .randomIdentity, value: host.randomAddress?.value ?? 0)
    }
  }
}

extension LEOwnAddressType {
  /// Whether the controller generates the address.
  var isPrivate: Bool { self == .resolvableOrPublic || self == .resolvableOrRandom }
}

extension DeviceAddress {
  /// The value in place of a private address where there is none.
  static let noPrivateAddress = DeviceAddress(0, kind: .random)
}
