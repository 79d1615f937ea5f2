import BLECore
import BLEWire

/// Follows which devices the packets of a capture concern, and what these are called: by their advertisements, and by the Device Name
/// that was read from them.
///
/// Pass it the packets of one capture in order, each after the dissector has described it. Memory is bounded, whatever the capture holds.
struct CapturedDevices {
  /// The limits for links that are followed at one time, and for names that are kept. At a limit all of them are dropped.
  private static let linkLimit = 1_024
  private static let nameLimit = 8_192
  /// The maximum number of characters of a name.
  private static let nameLength = 64

  private var links: [CapturedFrames.Link: DeviceAddress] = [:]
  /// The device of each access address of the air.
  private var airLinks: [UInt32: DeviceAddress] = [:]
  private var names: [DeviceAddress: String] = [:]
  /// The devices of the latest command with an answer, by opcode and interface.
  private var asked: [Question: [DeviceAddress]] = [:]

  private struct Question: Hashable {
    let interface: Int
    let opcode: HCIOpcode
  }

  /// The name of a device, if the capture has said it so far.
  func name(of device: DeviceAddress) -> String? { names[device] }

  /// The devices that the next packet concerns, each once.
  mutating func follow(_ packet: CapturedPacket, _ dissector: Dissector) -> [DeviceAddress] {
    let devices: [DeviceAddress]
    switch packet.content {
    case .hci(let hci, _): devices = follow(hci, packet.interface)
    case .air(let air): devices = follow(air)
    case .other: devices = []
    }
    if let octets = dissector.deviceName, dissector.frame?.direction == .received, let device = devices.first {
      learn(AdvertisedName(octets: octets, isComplete: true), of: device)
    }
    return devices
  }

  private mutating func follow(_ hci: HCIPacket, _ interface: Int) -> [DeviceAddress] {
    var devices: [DeviceAddress] = []
    func add(_ device: DeviceAddress?) {
      if let device, !devices.contains(device) { devices.append(device) }
    }
    let event = hci.kind == .event ? (try? HCIEventPacket(hci.octets)).flatMap { try? HCIEvent($0) } : nil
    switch event {
    case .leAdvertisingReport(let event)?:
      for report in event.reports {
        learn(AdvertisingData(report.data), of: report.address.address)
        add(report.address.address)
      }
    case .leExtendedAdvertisingReport(let event)?:
      for report in event.reports where report.address.type != .anonymous {
        learn(AdvertisingData(report.data), of: report.address.address)
        add(report.address.address)
      }
    default:
      if let complete = event?.connectionComplete {
        let device = complete.peerAddress.address
        if complete.status == .success { open(complete.connectionHandle, interface, device) }
        add(device)
      }
    }
    for handle in CapturedHandles.handles(in: hci) {
      add(links[CapturedFrames.Link(interface: interface, handle: handle)])
    }
    add(CapturedHandles.peer(in: hci))
    if let opcode = CapturedHandles.commandOpcode(of: hci) {
      let question = Question(interface: interface, opcode: opcode)
      if hci.kind == .command {
        if asked.count >= Self.linkLimit { asked.removeAll() }
        asked[question] = devices.isEmpty ? nil : devices
      } else if let answered = asked[question] {
        for device in answered { add(device) }
      }
      if opcode == HCIReset.opcode {
        for link in links.keys where link.interface == interface { links[link] = nil }
      }
    }
    if case .disconnectionComplete(let end)? = event, end.status == .success {
      links[CapturedFrames.Link(interface: interface, handle: end.connectionHandle)] = nil
    }
    return devices
  }

  private mutating func open(_ handle: ConnectionHandle, _ interface: Int, _ device: DeviceAddress) {
    if links.count >= Self.linkLimit { links.removeAll() }
    links[CapturedFrames.Link(interface: interface, handle: handle)] = device
  }

  // MARK: The air

  private mutating func follow(_ air: AirPacket) -> [DeviceAddress] {
    guard air.accessAddress == AdvertisingChannelPDU.accessAddress else {
      return airLinks[air.accessAddress].map { [$0] } ?? []
    }
    // Header, then the advertiser's address; in a connection request and in a scan request the other side's is in front of it.
    guard let first = air.pdu.first, air.pdu.count >= 8 else { return [] }
    let kind = first & 0x0F
    let isRequest = kind == 3 || kind == 5
    guard kind <= 6 else { return [] }
    let address = air.pdu.dropFirst(isRequest ? 8 : 2).prefix(6)
    guard address.count == 6 else { return [] }
    let isRandom = first & (isRequest ? 0x80 : 0x40) != 0
    let device = DeviceAddress(octets: address, kind: isRandom ? .random : .public)
    if kind == 5, air.pdu.count >= 18 {
      if airLinks.count >= Self.linkLimit { airLinks.removeAll() }
      let accessAddress = air.pdu[14..<18].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      airLinks[accessAddress] = device
    } else if !isRequest, kind != 1 {
      learn(AdvertisingData(air.pdu.dropFirst(8)), of: device)
    }
    return [device]
  }

  // MARK: Names

  private mutating func learn(_ data: AdvertisingData, of device: DeviceAddress) {
    guard let name = data.localName else { return }
    learn(name, of: device)
  }

  private mutating func learn(_ name: AdvertisedName, of device: DeviceAddress) {
    // A shortened name does not take the place of a whole one.
    guard name.isComplete || names[device] == nil else { return }
    let text = String(name.text.prefix(Self.nameLength))
    guard !text.isEmpty, names[device] != text else { return }
    if names.count >= Self.nameLimit, names[device] == nil { names.removeAll() }
    names[device] = text
  }
}
