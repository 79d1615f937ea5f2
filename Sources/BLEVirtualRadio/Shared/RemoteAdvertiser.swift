import BLECore
import BLEWire

/// An advertising set in another process, during one of its events.
final class RemoteAdvertiser: AdvertisingSource {
  private let message: AdvertisingMessage
  private let channel: any AirPeer
  private let bridge: SharedAir

  init(_ message: AdvertisingMessage, channel: any AirPeer, bridge: SharedAir) {
    self.message = message
    self.channel = channel
    self.bridge = bridge
  }

  /// `nil` if the message is invalid.
  var offer: AdvertisingOffer? {
    let flags = message.flags
    guard (1...3).contains(message.primaryPHY), !flags.contains(.extended) || (1...3).contains(message.secondaryPHY),
      message.data.count <= 1_650, message.scanData.count <= 1_650
    else { return nil }
    return AdvertisingOffer(
      source: self, advertiser: flags.contains(.hasAdvertiser) ? message.advertiser : nil,
      target: flags.contains(.hasTarget) ? message.target : nil, isConnectable: flags.contains(.connectable),
      isScannable: flags.contains(.scannable), channels: LEPrimaryChannels(rawValue: message.channels & 0x07),
      primaryPHY: LEPHY(rawValue: message.primaryPHY),
      secondary: flags.contains(.extended)
        ? .init(
          phy: LEPHY(rawValue: message.secondaryPHY), setIdentifier: message.setIdentifier,
          dataIdentifier: message.dataIdentifier) : nil,
      transmitPower: message.transmitPower, data: message.data, scanData: message.scanData)
  }

  func path(to node: AirNode) -> AirPath {
    node.isSilent ? .blocked : node.air.path(from: message.station, to: node.station)
  }

  func path(from node: AirNode) -> AirPath {
    node.isSilent ? .blocked : node.air.path(from: node.station, to: message.station)
  }

  func answersScanRequest(from scanner: DeviceAddress) -> Bool {
    if message.flags.contains(.scanFiltered) { return false }
    if message.flags.contains(.reportsScanRequests) {
      channel.send(.scanRequest(node: message.node, set: message.set, scanner: scanner))
    }
    return true
  }

  func connect(
    _ indication: ConnectIndication, by initiator: Initiator, created: StackInstant, arrives: Bool
  ) -> ConnectAnswer {
    let isLegacy = !message.flags.contains(.extended)
    guard arrives else { return isLegacy ? .sent(.none) : .unanswered }
    let link = RemoteLink(
      accessAddress: indication.accessAddress, station: message.station, channel: channel, bridge: bridge)
    bridge.insert(link)
    channel.send(
      .connect(
        ConnectMessage(
          node: message.node, set: message.set, station: initiator.node.station, created: created,
          phy: isLegacy ? LEPHY.le1M.rawValue : message.secondaryPHY, indication: indication)))
    return .sent(.remote(link))
  }
}
