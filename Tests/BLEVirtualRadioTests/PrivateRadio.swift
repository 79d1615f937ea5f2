import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire

/// The host's commands for privacy, legacy or extended.
extension TestHost {
  static let interval = ScanInterval(rawValue: 0x30)

  func addToResolvingList(_ peer: DeviceAddress, peerKey: HCISecret, localKey: HCISecret) {
    send(
      LEAddDeviceToResolvingList(
        peerIdentity: HCIAddress(peer), peerIdentityResolvingKey: peerKey, localIdentityResolvingKey: localKey))
  }

  func resolve(_ isEnabled: Bool = true) { send(LESetAddressResolutionEnable(isEnabled: isEnabled)) }

  /// Under a private address towards `peer`.
  func advertisePrivately(
    for peer: DeviceAddress, isExtended: Bool, isDirected: Bool = false,
    filterPolicy: LEAdvertisingFilterPolicy = .all, ownAddressType: LEOwnAddressType = .resolvableOrRandom
  ) {
    let interval = AdvertisingInterval(rawValue: 0x20)
    guard isExtended else {
      send(
        LESetAdvertisingParameters(
          intervalMinimum: interval, intervalMaximum: interval, type: isDirected ? .directed : .connectable,
          ownAddressType: ownAddressType, peerAddress: HCIAddress(peer), channels: .all, filterPolicy: filterPolicy))
      send(LESetAdvertisingEnable(isEnabled: true))
      return
    }
    let handle = LEAdvertisingHandle(rawValue: 1)
    send(
      LESetExtendedAdvertisingParameters(
        advertisingHandle: handle, properties: isDirected ? [.connectable, .directed] : .connectable,
        primaryIntervalMinimum: interval, primaryIntervalMaximum: interval, primaryChannels: .all,
        ownAddressType: ownAddressType, peerAddress: HCIAddress(peer), filterPolicy: filterPolicy,
        transmitPower: 127, primaryPHY: .le1M, secondaryMaximumSkip: 0, secondaryPHY: .le1M, setIdentifier: 1,
        reportsScanRequests: true))
    send(LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address))
    send(
      LESetExtendedAdvertisingEnable(
        isEnabled: true,
        sets: [.init(advertisingHandle: handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 0)]))
  }

  func stopAdvertising(isExtended: Bool) {
    if isExtended {
      send(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
    } else {
      send(LESetAdvertisingEnable(isEnabled: false))
    }
  }

  func startScan(isExtended: Bool, filterPolicy: LEScanFilterPolicy = .all) {
    guard isExtended else {
      send(
        LESetScanParameters(
          type: .passive, interval: Self.interval, window: Self.interval, ownAddressType: .resolvableOrRandom,
          filterPolicy: filterPolicy))
      send(LESetScanEnable(isEnabled: true, filtersDuplicates: false))
      return
    }
    send(
      LESetExtendedScanParameters(
        ownAddressType: .resolvableOrRandom, filterPolicy: filterPolicy, phys: .le1M,
        entries: [.init(type: .passive, interval: Self.interval, window: Self.interval)]))
    send(
      LESetExtendedScanEnable(
        isEnabled: true, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0))
  }

  func stopScan(isExtended: Bool) {
    if isExtended {
      send(
        LESetExtendedScanEnable(
          isEnabled: false, duplicates: .reportAll, duration: HCICentiseconds(rawValue: 0), period: 0))
    } else {
      send(LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    }
  }

  /// `nil` connects to any device on the accept list.
  func connectPrivately(to peer: DeviceAddress?, isExtended: Bool) {
    let interval = ConnectionInterval(rawValue: 24)
    let parameters = ConnectionParameters(
      intervalMinimum: interval, intervalMaximum: interval, latency: 0,
      supervisionTimeout: SupervisionTimeout(rawValue: 100), eventLengthMinimum: 0, eventLengthMaximum: 0)
    let address = peer.map { HCIAddress($0) } ?? .none
    guard isExtended else {
      send(
        LECreateConnection(
          scanInterval: Self.interval, scanWindow: Self.interval,
          filterPolicy: peer == nil ? .acceptList : .peerAddress,
          peerAddress: address, ownAddressType: .resolvableOrRandom, parameters: parameters))
      return
    }
    send(
      LEExtendedCreateConnection(
        filterPolicy: peer == nil ? .acceptList : .peerAddress, ownAddressType: .resolvableOrRandom,
        peerAddress: address, phys: .le1M,
        entries: [.init(scanInterval: Self.interval, scanWindow: Self.interval, parameters: parameters)]))
  }

  /// The reported advertisers, in legacy and extended reports.
  var reportedAddresses: [HCIAddress] {
    events.flatMap { _, event -> [HCIAddress] in
      switch event {
      case .leAdvertisingReport(let event): event.reports.map(\.address)
      case .leExtendedAdvertisingReport(let event): event.reports.map(\.address)
      default: []
      }
    }
  }
}

/// Keeps the advertisers' addresses, as on the air, and the targets.
final class AdvertiserTap: AirTap {
  private(set) var advertisers: [DeviceAddress] = []
  private(set) var targets: [DeviceAddress] = []

  func air(_ air: Air, carried frame: AirFrame) {
    var reader = ByteReader(frame.octets, layer: "test")
    guard frame.accessAddress == AdvertisingChannelPDU.accessAddress,
      let pdu = try? AdvertisingChannelPDU(from: &reader)
    else { return }
    switch pdu {
    case .advertisement(let pdu): advertisers.append(pdu.advertiser)
    case .directed(let pdu):
      advertisers.append(pdu.advertiser)
      targets.append(pdu.target)
    case .extended(let pdu):
      if let advertiser = pdu.advertiser { advertisers.append(advertiser) }
      if let target = pdu.target { targets.append(target) }
    default: break
    }
  }
}
