import BLECapture
import BLECore
import BLEWire

/// Follows the LE links of a log, packet by packet: which device a packet concerns, and what it says of that device.
///
/// Links of several devices and several controllers may be mixed. Frames are put together from their pieces. What is remembered is
/// bounded by the number of links that can be open, whatever the log contains.
public struct LogFollower {
  /// The number of links that are followed at the same time. Beyond it a new link is not followed, and `ignoredLinks` counts it.
  public static let linkLimit = 256

  private struct Link {
    let device: DeviceAddress
    let number: Int
  }

  private var open: [CapturedFrames.Link: Link] = [:]
  private var frames = CapturedFrames()
  /// The number of links that the log has shown.
  public private(set) var linkCount = 0
  /// The number of links that were not followed, because `linkLimit` others were open.
  public private(set) var ignoredLinks = 0
  /// The number of frames of the Attribute Protocol on links whose beginning the log does not contain.
  public private(set) var framesOfUnknownLinks = 0
  /// The number of packets that the log contains only the beginnings of.
  public private(set) var cutPackets = 0
  /// The number of packets of the air: encrypted links cannot be followed there.
  public private(set) var airPackets = 0
  /// The number of reports of long advertisements that came in parts, which are not put together.
  public private(set) var partialReports = 0

  public init() {}

  /// What the next packet of the log says of other devices; most packets say nothing.
  public mutating func follow(_ packet: CapturedPacket) -> [LogEvent] {
    switch packet.content {
    case .hci(let hci, let direction):
      switch hci.kind {
      case .event: return follow(event: hci.octets, packet)
      case .aclData: return follow(data: hci.octets, direction, packet)
      case .command:
        // A reset ends all links of the controller without an event for each.
        if hci.octets.count >= 2, HCIOpcode(UInt16(hci.octets[0]) | UInt16(hci.octets[1]) << 8) == HCIReset.opcode {
          for key in open.keys where key.interface == packet.interface { end(key) }
        }
        return []
      default: return []
      }
    case .air:
      airPackets += 1
      return []
    case .other: return []
    }
  }

  private mutating func end(_ key: CapturedFrames.Link) {
    open[key] = nil
    frames.forget(key)
  }

  // MARK: Events

  private mutating func follow(event octets: [UInt8], _ packet: CapturedPacket) -> [LogEvent] {
    guard let decoded = try? HCIEventPacket(octets), let event = try? HCIEvent(decoded) else {
      if packet.isCut { cutPackets += 1 }
      return []
    }
    func key(_ handle: ConnectionHandle) -> CapturedFrames.Link {
      CapturedFrames.Link(interface: packet.interface, handle: handle)
    }
    func about(_ handle: ConnectionHandle, _ content: LogEvent.Content) -> [LogEvent] {
      open[key(handle)].map { [Self.event(packet, $0, content)] } ?? []
    }
    switch event {
    case .disconnectionComplete(let event) where event.status == .success:
      defer { end(key(event.connectionHandle)) }
      return about(event.connectionHandle, .disconnected(reason: event.reason.rawValue))
    case .leConnectionUpdateComplete(let event) where event.status == .success:
      return about(
        event.connectionHandle,
        .updated(
          LinkParameters(
            interval: event.interval.rawValue, latency: event.latency,
            supervisionTimeout: event.supervisionTimeout.rawValue)))
    case .encryptionChange(let event) where event.status == .success && event.state != .off:
      return about(event.connectionHandle, .encrypted)
    case .encryptionChangeV2(let event) where event.status == .success && event.state != .off:
      return about(event.connectionHandle, .encrypted)
    case .leAdvertisingReport(let event): return event.reports.map { heard($0, packet) }
    case .leExtendedAdvertisingReport(let event): return event.reports.compactMap { heard($0, packet) }
    default:
      guard let complete = event.connectionComplete, complete.status == .success else { return [] }
      return connected(complete, key(complete.connectionHandle), packet)
    }
  }

  private mutating func connected(
    _ event: LEEnhancedConnectionCompleteEvent, _ key: CapturedFrames.Link, _ packet: CapturedPacket
  ) -> [LogEvent] {
    end(key)
    guard open.count < Self.linkLimit else {
      ignoredLinks += 1
      return []
    }
    linkCount += 1
    let link = Link(device: event.peerAddress.address, number: linkCount)
    open[key] = link
    let parameters = LinkParameters(
      interval: event.interval.rawValue, latency: event.latency, supervisionTimeout: event.supervisionTimeout.rawValue)
    return [Self.event(packet, link, .connected(parameters))]
  }

  private func heard(_ report: LEAdvertisingReportEvent.Report, _ packet: CapturedPacket) -> LogEvent {
    let advertisement = HeardAdvertisement(
      data: Array(report.data), isScanResponse: report.type == .scanResponse,
      isConnectable: report.type == .connectable || report.type == .directed,
      rssi: report.rssi == 127 ? nil : report.rssi)
    return LogEvent(
      time: packet.timestamp, device: report.address.address, link: nil, content: .heard(advertisement))
  }

  private mutating func heard(
    _ report: LEExtendedAdvertisingReportEvent.Report, _ packet: CapturedPacket
  ) -> LogEvent? {
    guard report.address.type != .anonymous, report.type.isDisjoint(with: [.incomplete, .truncated]) else {
      partialReports += 1
      return nil
    }
    let advertisement = HeardAdvertisement(
      data: Array(report.data), isScanResponse: report.type.contains(.scanResponse),
      isConnectable: report.type.contains(.connectable), rssi: report.rssi == 127 ? nil : report.rssi)
    return LogEvent(
      time: packet.timestamp, device: report.address.address, link: nil, content: .heard(advertisement))
  }

  private static func event(_ packet: CapturedPacket, _ link: Link, _ content: LogEvent.Content) -> LogEvent {
    LogEvent(time: packet.timestamp, device: link.device, link: link.number, content: content)
  }

  // MARK: Data

  private mutating func follow(
    data octets: [UInt8], _ direction: CaptureDirection, _ packet: CapturedPacket
  ) -> [LogEvent] {
    guard let data = try? HCIACLPacket(octets) else {
      // Enough of the packet is there to say whose it was.
      guard octets.count >= 2 else { return [] }
      if packet.isCut { cutPackets += 1 }
      let handle = ConnectionHandle((UInt16(octets[0]) | UInt16(octets[1]) << 8) & HCIACLPacket.handleMask)
      let key = CapturedFrames.Link(interface: packet.interface, handle: handle)
      return open[key].map { [Self.event(packet, $0, .damaged)] } ?? []
    }
    let key = CapturedFrames.Link(interface: packet.interface, handle: data.connectionHandle)
    guard let link = open[key] else {
      // BR/EDR links have no such channel with a begun frame.
      if data.boundary != .continuing, data.payload.count >= L2CAPHeader.octetCount,
        data.payload.dropFirst(2).prefix(2).elementsEqual([4, 0])
      {
        framesOfUnknownLinks += 1
      }
      return []
    }
    switch frames.add(data, of: key, direction) {
    case .frame(let header, let payload):
      return [Self.event(packet, link, Self.content(header.channel, payload, isFromDevice: direction == .received))]
    case .incomplete: return []
    case .stray: return [Self.event(packet, link, .damaged)]
    }
  }

  private static func content(
    _ channel: ChannelIdentifier, _ payload: ArraySlice<UInt8>, isFromDevice: Bool
  ) -> LogEvent.Content {
    switch channel {
    case .attributeProtocol:
      guard let first = payload.first else { return .damaged }
      let isFromServer = ATTOpcode(first).isFromServer
      guard isFromServer == isFromDevice else { return .otherDatabase(isFromDevice: isFromDevice) }
      return isFromDevice ? .fromServer(Array(payload)) : .toServer(Array(payload))
    case .securityManager:
      guard let code = payload.first else { return .damaged }
      if isFromDevice, case .identityAddressInformation(let identity)? = try? SMPPDU(payload) {
        let kind: DeviceAddress.Kind = identity.addressType == 0 ? .public : .random
        return .identity(DeviceAddress(identity.deviceAddress, kind: kind))
      }
      return .security(code: code, isFromDevice: isFromDevice)
    case .lowEnergySignaling where isFromDevice:
      guard let request = parameterRequest(payload) else { fallthrough }
      return .parametersAsked(request)
    default: return .otherChannel(channel.rawValue, isFromDevice: isFromDevice)
    }
  }

  /// The request in a signaling frame: code, identifier, length, data.
  private static func parameterRequest(_ payload: ArraySlice<UInt8>) -> L2CAPConnectionParameterUpdateRequest? {
    guard payload.count >= 4, payload.first == L2CAPSignalingCode.connectionParameterUpdateRequest.rawValue else {
      return nil
    }
    var reader = ByteReader(payload.dropFirst(4), layer: "L2CAP")
    return try? L2CAPConnectionParameterUpdateRequest(from: &reader)
  }
}
