import BLEGateway
import BLESession
import BLESessionStore
import CoreBluetooth
import Foundation

/// `ble history --broker`: what the `collect` of a gateway has stored.
@MainActor struct HistoryOfGateways {
  let reader: CollectedReader
  let path: String
  let session: Session

  func print(
    _ subject: HistoryCommand.Subject?, of device: Target?, _ common: StoreFilter, gateway: String?, isCSV: Bool
  ) async throws(ToolError) {
    if common.session != nil { throw Self.noSessions("--session") }
    var filter = CollectedFilter()
    (filter.from, filter.until, filter.gateway, filter.last) = (common.from, common.until, gateway, common.last)
    let paths = common.paths
    filter.matches = { message in
      (device?.matches(message) ?? true) && (paths.map { $0.contains { $0.matches(message) } } ?? true)
    }
    let (reader, chosen) = (reader, filter)
    let lines = HistoryLines(session, isCSV: isCSV)
    switch subject {
    case nil:
      let summary: CollectedSummary
      do throws(StoreError) { summary = try reader.summary() } catch { throw ToolError(error) }
      let report = CollectedSummaryReport(path: path, summary: summary)
      if session.output.isJSON { session.output.json(report.json) } else { session.output.line(report.text) }
    case .devices:
      // The newest devices are chosen before their messages are read: one that is named has to be among them.
      var named = chosen
      if device != nil { named.last = nil }
      let all = named
      try await lines.print { () throws(StoreError) in try reader.devices(all) }
    case .values:
      try await lines.print(CollectedValueRow.init) { () throws(StoreError) in try reader.messages(.value, chosen) }
    case .rssi:
      try await lines.print(CollectedStrengthRow.init) { () throws(StoreError) in
        try reader.messages(.strength, chosen)
      }
    case .events:
      try await lines.print(CollectedEventRow.init) { () throws(StoreError) in try reader.messages(.event, chosen) }
    case .sessions: throw Self.noSessions("sessions")
    case .connections: throw Self.noSessions("connections")
    }
  }

  private static func noSessions(_ word: String) -> ToolError {
    ToolError(
      .usage, "'\(word)' is for what 'ble record' has written: of gateways there are devices, values, rssi and events.")
  }
}

extension Target {
  /// Whether the message is of this device, whose name is that in topics or its own.
  fileprivate func matches(_ message: CollectedMessage) -> Bool {
    switch self {
    case .name(let name): message.device == name || message.name == name
    case .identifier(let identifier): message.identifier == identifier.uuidString
    case .address: message.address == description || message.device == description.replacing(":", with: "")
    }
  }
}

extension CharacteristicPath {
  fileprivate func matches(_ message: CollectedMessage) -> Bool {
    message.text("characteristic") == characteristic.uuidString
      && (service.map { message.text("service") == $0.uuidString } ?? true)
  }
}
