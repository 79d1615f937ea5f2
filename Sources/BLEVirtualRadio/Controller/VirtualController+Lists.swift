import BLECore
import BLEWire

/// The filter accept list.
extension VirtualController {
  /// The list must not change while an activity uses it (Core, Vol 4 Part E 7.8.15).
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
  }
}
