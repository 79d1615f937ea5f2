import BLECore
import BLEWire

extension Dissector {
  func describe(_ packet: HCIPacket, _ direction: CaptureDirection, interface: Int) -> String {
    let octets = packet.octets[...]
    switch packet.kind {
    case .command:
      return understood("HCI command", octets) {
        let command = try HCICommandPacket(packet.octets)
        return parameters(command.parameters, of: Self.commands[UInt32(command.opcode.rawValue)], "\(command.opcode)")
      }
    case .event:
      return understood("HCI event", octets) {
        let event = try HCIEventPacket(packet.octets)
        forgetEnded(event, interface: interface)
        return describe(event)
      }
    case .aclData:
      return understood("ACL", octets) {
        let data = try HCIACLPacket(packet.octets)
        return "\(data.connectionHandle) \(describe(data, direction, interface: interface))"
      }
    case .synchronousData: return "SCO \(PacketText.of(octets: octets))"
    case .isochronousData: return "ISO \(PacketText.of(octets: octets))"
    }
  }

  private func describe(_ event: HCIEventPacket) -> String {
    switch try? HCIEvent(event) {
    case .commandComplete(let complete)?:
      return "\(CommandCompleteEvent.name) \(answer(complete))"
    case .leAdvertisingReport(let event)?:
      return LEAdvertisingReportEvent.name + " "
        + event.reports.map { report in
          "\(PacketText.of(report.type)) \(report.address) \(report.rssi) dBm: "
            + PacketText.of(advertisingData: AdvertisingData(report.data))
        }.joined(separator: "; ")
    case .leExtendedAdvertisingReport(let event)?:
      return LEExtendedAdvertisingReportEvent.name + " "
        + event.reports.map { report in
          "\(PacketText.of(report.type)) \(report.address) \(report.rssi) dBm: "
            + PacketText.of(advertisingData: AdvertisingData(report.data))
        }.joined(separator: "; ")
    default:
      return parameters(event.parameters, of: Self.events[UInt32(event.code.rawValue)], "\(event.code)")
    }
  }

  private func answer(_ complete: CommandCompleteEvent) -> String {
    let octets = complete.returnParameters
    if let packet = Self.returnParameters[UInt32(complete.opcode.rawValue)] {
      return parameters(octets, of: packet, "\(complete.opcode)")
    }
    // Most return parameters are only a status.
    guard let status = octets.first else { return "\(complete.opcode)" }
    let rest = octets.count == 1 ? "" : " \(PacketText.of(octets: octets.dropFirst()))"
    return "\(complete.opcode) status: \(HCIErrorCode(rawValue: status))\(rest)"
  }

  /// The parameters as text; as octets if they are not declared.
  func parameters(_ octets: ArraySlice<UInt8>, of packet: PacketDescription?, _ name: String) -> String {
    guard let packet else { return "\(name) \(PacketText.of(octets: octets))" }
    return understood(name, octets) { try packet.describe(Array(octets)) }
  }

  private func forgetEnded(_ event: HCIEventPacket, interface: Int) {
    if case .disconnectionComplete(let end)? = try? HCIEvent(event) {
      links.forget(DissectorLinks.Key(interface: interface, handle: end.connectionHandle))
    }
  }

  private static let commands = byCode(HCIRegistry.commands)
  private static let returnParameters = byCode(HCIRegistry.returnParameters)
  private static let events = byCode(HCIRegistry.events)

  static func byCode(_ packets: [PacketDescription]) -> [UInt32: PacketDescription] {
    Dictionary(
      packets.compactMap { packet in packet.code.map { ($0, packet) } }, uniquingKeysWith: { first, _ in first })
  }
}
