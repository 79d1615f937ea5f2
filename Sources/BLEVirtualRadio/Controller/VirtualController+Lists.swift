import BLECore
import BLEWire

/// The filter accept list and the resolving list.
extension VirtualController {
  static let resolvingCommands: Set<HCIOpcode> = [
    LEAddDeviceToResolvingList.opcode, LERemoveDeviceFromResolvingList.opcode, LEClearResolvingList.opcode,
    LEReadResolvingListSize.opcode, LEReadPeerResolvableAddress.opcode, LEReadLocalResolvableAddress.opcode,
    LESetAddressResolutionEnable.opcode, LESetResolvablePrivateAddressTimeout.opcode, LESetPrivacyMode.opcode,
  ]

  /// The list must not change while something goes on that asks it (Core, Vol 4 Part E 7.8.15).
  private func requireIdleAcceptList() throws {
    let advertises = advertisingSets.values.contains { $0.advertiser != nil && $0.parameters.filterPolicy != .all }
    let scans =
      scanner != nil
      && host.scanSettings.map { $0.filterPolicy == .listOnly || $0.filterPolicy == .listAndUnresolvedDirected } == true
    let initiates = initiator.map { $0.settings.peer == nil } ?? false
    if advertises || scans || initiates { throw HCIErrorCode.commandDisallowed }
  }

  static func addListCommands(to table: inout CommandTable) {
    table.values(LEReadFilterAcceptListSize.self) { controller, _ in
      .init(size: controller.configuration.acceptListSize)
    }
    table.action(LEClearFilterAcceptList.self) { controller, _ in
      try controller.requireIdleAcceptList()
      controller.acceptList = []
    }
    table.action(LEAddDeviceToFilterAcceptList.self) { controller, command in
      try controller.requireIdleAcceptList()
      guard command.address.type.rawValue <= 1 || command.address.type == .anonymous else {
        throw HCIErrorCode.invalidParameters
      }
      let address = command.address.address
      guard
        controller.acceptList.contains(address)
          || controller.acceptList.count < Int(controller.configuration.acceptListSize)
      else { throw HCIErrorCode.memoryCapacityExceeded }
      controller.acceptList.insert(address)
    }
    table.action(LERemoveDeviceFromFilterAcceptList.self) { controller, command in
      try controller.requireIdleAcceptList()
      controller.acceptList.remove(command.address.address)
    }
    addResolvingListCommands(to: &table)
  }

  private static func addResolvingListCommands(to table: inout CommandTable) {
    table.values(LEReadResolvingListSize.self) { controller, _ in
      .init(size: controller.configuration.resolvingListSize)
    }
    table.action(LEClearResolvingList.self) { controller, _ in controller.resolvingList = [] }
    table.action(LEAddDeviceToResolvingList.self) { controller, command in
      guard command.peerIdentity.type.rawValue <= 1,
        !controller.resolvingList.contains(where: { $0.peer == command.peerIdentity })
      else { throw HCIErrorCode.invalidParameters }
      guard controller.resolvingList.count < Int(controller.configuration.resolvingListSize) else {
        throw HCIErrorCode.memoryCapacityExceeded
      }
      controller.resolvingList.append(
        ResolvingEntry(
          peer: command.peerIdentity, peerKey: command.peerIdentityResolvingKey,
          localKey: command.localIdentityResolvingKey, mode: .network))
    }
    table.action(LERemoveDeviceFromResolvingList.self) { controller, command in
      guard let index = controller.resolvingList.firstIndex(where: { $0.peer == command.peerIdentity }) else {
        throw HCIErrorCode.unknownConnectionIdentifier
      }
      controller.resolvingList.remove(at: index)
    }
    table.values(LEReadPeerResolvableAddress.self) { _, _ in throw HCIErrorCode.unknownConnectionIdentifier }
    table.values(LEReadLocalResolvableAddress.self) { _, _ in throw HCIErrorCode.unknownConnectionIdentifier }
    table.action(LESetAddressResolutionEnable.self) { $0.host.isResolving = $1.isEnabled }
    table.action(LESetResolvablePrivateAddressTimeout.self) { _, command in
      guard (1...3_600).contains(command.seconds) else { throw HCIErrorCode.invalidParameters }
    }
    table.action(LESetPrivacyMode.self) { controller, command in
      guard command.mode.rawValue <= 1 else { throw HCIErrorCode.invalidParameters }
      guard let index = controller.resolvingList.firstIndex(where: { $0.peer == command.peerIdentity }) else {
        throw HCIErrorCode.unknownConnectionIdentifier
      }
      controller.resolvingList[index].mode = command.mode
    }
  }
}
