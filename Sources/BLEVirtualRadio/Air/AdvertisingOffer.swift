import BLECore
import BLEWire

/// The sender of advertisements: a set of a controller in this process, or a radio in another one.
protocol AdvertisingSource: AnyObject {
  /// The path of packets from this sender to a node of this process.
  func path(to node: AirNode) -> AirPath
  /// The path in the other direction.
  func path(from node: AirNode) -> AirPath
  /// A scan request has arrived; true if it is answered.
  func answersScanRequest(from scanner: DeviceAddress) -> Bool
  /// `initiator` has sent a connection request, at the end of an advertising event.
  func connect(_ indication: ConnectIndication, by initiator: Initiator, created: StackInstant, arrives: Bool)
    -> ConnectAnswer
}

/// The result of a connection request.
enum ConnectAnswer {
  /// The request was sent; the initiator's end of the connection begins, whether or not the advertiser has received it.
  case sent(Connection.Peer)
  /// The advertiser is no longer there: the initiator continues to listen.
  case unanswered
}

/// What an advertising set sends in each of its events. Made once for many events and immutable.
final class AdvertisingOffer {
  /// The data that does not fit into the packets on the primary channels.
  struct Secondary {
    var phy: LEPHY
    var setIdentifier: UInt8
    var dataIdentifier: UInt16
  }

  unowned let source: any AdvertisingSource
  /// `nil` for an anonymous advertiser.
  let advertiser: DeviceAddress?
  let target: DeviceAddress?
  let isConnectable: Bool
  let isScannable: Bool
  /// The primary channels in use, one bit for each.
  let channels: LEPrimaryChannels
  let primaryPHY: LEPHY
  /// `nil` with legacy PDUs.
  let secondary: Secondary?
  /// The transmit power in the advertisement, in dBm; 127 if it is absent.
  let transmitPower: Int8
  let data: [UInt8]
  let scanData: [UInt8]

  init(
    source: any AdvertisingSource, advertiser: DeviceAddress?, target: DeviceAddress?, isConnectable: Bool,
    isScannable: Bool, channels: LEPrimaryChannels, primaryPHY: LEPHY, secondary: Secondary?, transmitPower: Int8,
    data: [UInt8], scanData: [UInt8]
  ) {
    self.source = source
    self.advertiser = advertiser
    self.target = target
    self.isConnectable = isConnectable
    self.isScannable = isScannable
    self.channels = channels.isDisjoint(with: .all) ? .all : channels
    self.primaryPHY = primaryPHY
    self.secondary = secondary
    self.transmitPower = transmitPower
    self.data = data
    self.scanData = scanData
  }

  var isLegacy: Bool { secondary == nil }

  /// The octets of payload of the packet on the primary channels.
  private var primaryPayload: Int {
    if !isLegacy { return 7 }
    return target == nil ? 6 + data.count : 12
  }

  /// The duration of the packet on a primary channel.
  var primaryDuration: StackDuration { AirTime.packet(primaryPayload, primaryPHY) }

  /// From the start of the packet on one primary channel to that on the next.
  var channelStep: StackDuration { primaryDuration + .microseconds(400) }

  /// From the start of an event to the end of all its packets.
  var duration: StackDuration {
    let primary = channelStep * Int64(channels.rawValue.nonzeroBitCount)
    guard let secondary else { return primary }
    return primary + auxiliaryDelay + AirTime.packet(min(data.count, 230) + 20, secondary.phy)
      + (data.count > 230 ? AirTime.packet(data.count - 230, secondary.phy) : .zero)
  }

  /// From the last primary packet to the auxiliary one.
  private var auxiliaryDelay: StackDuration { .microseconds(300) }

  /// The numbers of the primary channels, in the order in which they are used.
  static let primaryChannels: ClosedRange<UInt8> = 37...39

  /// Whether it is sent on this primary channel. Asked for each number: a list of those in use would be an object for each event.
  func uses(_ channel: UInt8) -> Bool { channels.rawValue >> (channel - 37) & 1 == 1 }

  /// The secondary channel of the auxiliary packet.
  var auxiliaryChannel: UInt8 { UInt8(truncatingIfNeeded: (advertiser?.value ?? 5) % 37) }

  // MARK: PDUs

  /// The packet on the primary channels.
  var primaryPDU: AdvertisingChannelPDU {
    guard let secondary else {
      if let target, let advertiser {
        return .directed(DirectedAdvertisement(advertiser: advertiser, target: target, supportsChannelSelection2: true))
      }
      let kind: LegacyAdvertisement.Kind = isConnectable ? .connectable : isScannable ? .scannable : .nonConnectable
      return .advertisement(
        LegacyAdvertisement(
          kind, advertiser: advertiser ?? DeviceAddress(0, kind: .public), data: data,
          supportsChannelSelection2: isConnectable))
    }
    return .extended(
      ExtendedAdvertisement(
        mode: mode, dataInformation: information(secondary),
        auxiliaryPointer: .init(
          channel: auxiliaryChannel,
          offset: UInt32(clamping: (channelStep + auxiliaryDelay).microseconds), phy: secondary.phy.rawValue - 1)))
  }

  /// The packets on the secondary channel: none with legacy PDUs.
  var auxiliaryPDUs: [AdvertisingChannelPDU] {
    guard let secondary else { return [] }
    var rest = data[...]
    var parts: [ArraySlice<UInt8>] = []
    repeat {
      parts.append(rest.prefix(230))
      rest = rest.dropFirst(230)
    } while !rest.isEmpty
    return parts.enumerated().map { index, part in
      .extended(
        ExtendedAdvertisement(
          mode: index == 0 ? mode : .nonConnectableNonScannable, advertiser: index == 0 ? advertiser : nil,
          target: index == 0 ? target : nil, dataInformation: information(secondary),
          auxiliaryPointer: index + 1 < parts.count
            ? .init(channel: auxiliaryChannel, offset: 300, phy: secondary.phy.rawValue - 1) : nil,
          transmitPower: index == 0 && transmitPower != 127 ? transmitPower : nil, data: Array(part)))
    }
  }

  /// The response to a scan request.
  var scanResponsePDU: AdvertisingChannelPDU {
    guard let secondary else {
      return .advertisement(
        LegacyAdvertisement(.scanResponse, advertiser: advertiser ?? DeviceAddress(0, kind: .public), data: scanData))
    }
    return .extended(
      ExtendedAdvertisement(
        mode: .nonConnectableNonScannable, advertiser: advertiser, dataInformation: information(secondary),
        data: Array(scanData.prefix(230))))
  }

  private var mode: ExtendedAdvertisement.Mode {
    isConnectable ? .connectable : isScannable ? .scannable : .nonConnectableNonScannable
  }

  private func information(_ secondary: Secondary) -> ExtendedAdvertisement.DataInformation {
    .init(dataIdentifier: secondary.dataIdentifier, setIdentifier: secondary.setIdentifier)
  }

  /// Reports the packets of an event to a tap.
  func report(to tap: any AirTap, on air: Air, start: StackInstant) {
    let primary = primaryPDU.octets
    var time = start
    for channel in Self.primaryChannels where uses(channel) {
      tap.air(air, carried: frame(primary, at: time, channel: channel, phy: primaryPHY))
      time = time + channelStep
    }
    guard let secondary else { return }
    time = time + auxiliaryDelay
    for pdu in auxiliaryPDUs {
      let octets = pdu.octets
      tap.air(air, carried: frame(octets, at: time, channel: auxiliaryChannel, phy: secondary.phy))
      time = time + AirTime.packet(octets.count - 2, secondary.phy) + .microseconds(300)
    }
  }

  func frame(_ octets: [UInt8], at time: StackInstant, channel: UInt8, phy: LEPHY) -> AirFrame {
    AirFrame(
      time: time, channel: channel, phy: phy, accessAddress: AdvertisingChannelPDU.accessAddress, octets: octets,
      signal: transmitPower == 127 ? 0 : transmitPower, wasReceived: true)
  }
}
