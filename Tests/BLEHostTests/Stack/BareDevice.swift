import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

/// A device whose host does only what a test requests: it sends its peers no request, and answers none.
final class BareDevice: HCITransportReceiver, @unchecked Sendable {
  let controller: VirtualController
  private(set) var events: [HCIEvent] = []

  /// On the loop.
  init(_ world: StackWorld, _ number: UInt64) throws {
    controller = world.air.makeController(address: DeviceAddress(0x00BB_0000_0000 + number, kind: .public))
    try controller.open(receiver: self)
    send(HCIReset())
    send(HCISetEventMask(mask: HCIEventMask(rawValue: .max)))
    send(LESetEventMask(mask: LEEventMask(rawValue: .max)))
  }

  func send(_ command: some HCICommand) { controller.send(HCIPacket(command)) }

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    guard packet.kind == .event, let octets = try? HCIEventPacket(packet.octets), let event = try? HCIEvent(octets)
    else {
      return
    }
    events.append(event)
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {}

  /// The PHYs on which this side sends, as last reported by the controller; `nil` where they never changed.
  var phy: LEPHY? {
    for case .lePHYUpdateComplete(let event) in events.reversed() { return event.transmitPHY }
    return nil
  }

  /// The maximum length of the peer's packets, as last reported by the controller; `nil` where it never changed.
  var receivedLength: UInt16? {
    for case .leDataLengthChange(let event) in events.reversed() { return event.receiveOctets }
    return nil
  }

  var link: ConnectionHandle? {
    for case .leEnhancedConnectionComplete(let event) in events.reversed() where event.status.isSuccess {
      return event.connectionHandle
    }
    return nil
  }

  /// Advertises its name on LE Coded alone, and accepts connections there.
  func advertiseOnCodedPHY(_ data: [UInt8]) {
    let handle = LEAdvertisingHandle(rawValue: 1)
    send(
      LESetExtendedAdvertisingParameters(
        advertisingHandle: handle, properties: .connectable,
        primaryIntervalMinimum: AdvertisingInterval(rawValue: 0xA0),
        primaryIntervalMaximum: AdvertisingInterval(rawValue: 0xA0), primaryChannels: .all, ownAddressType: .public,
        peerAddress: .none, filterPolicy: .all, transmitPower: 127, primaryPHY: .leCoded, secondaryMaximumSkip: 0,
        secondaryPHY: .leCoded, setIdentifier: 1, reportsScanRequests: false))
    send(
      LESetExtendedAdvertisingData(
        advertisingHandle: handle, operation: .complete, fragmentPreference: .mayFragment, data: data[...]))
    send(
      LESetExtendedAdvertisingEnable(
        isEnabled: true,
        sets: [.init(advertisingHandle: handle, duration: HCICentiseconds(rawValue: 0), maximumEvents: 0)]))
  }

  func connect(to peer: DeviceAddress) {
    send(
      LECreateConnection(
        scanInterval: ScanInterval(rawValue: 0x30), scanWindow: ScanInterval(rawValue: 0x30),
        filterPolicy: .peerAddress, peerAddress: HCIAddress(peer), ownAddressType: .public,
        parameters: ConnectionParameters(
          intervalMinimum: ConnectionInterval(rawValue: 24), intervalMaximum: ConnectionInterval(rawValue: 24),
          supervisionTimeout: SupervisionTimeout(rawValue: 300))))
  }
}
