import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEWire

/// What joins a hostile radio's layers: they are the host's own, without its rules.
final class RadioCarrier: L2CAPCarrier {
  private let link: HCILink
  init(_ link: HCILink) { self.link = link }
  var queuedFrames: Int { link.queuedFrames }
  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) {
    link.send(frame)
    sent?()
  }
}

final class RadioReceiver: HCILinkReceiver {
  private let channels: L2CAPLink
  init(_ channels: L2CAPLink) { self.channels = channels }
  func link(_ link: HCILink, didReceive packet: HCIACLPacket) {
    channels.receive(fragment: packet.payload, isFirst: packet.boundary != .continuing)
  }
  func link(_ link: HCILink, didHandOver token: UInt64) {}
}

final class AttributeSender: ATTChannel {
  private weak var channels: L2CAPLink?
  let headroom = L2CAPLink.payloadHeadroom
  let isCongested = false
  init(_ channels: L2CAPLink) { self.channels = channels }
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) {
    channels?.send(pdu, on: .attributeProtocol)
    sent?()
  }
}

final class AttributeReceiver: L2CAPChannelReceiver {
  private let bearer: ATTBearer
  init(_ bearer: ATTBearer) { self.bearer = bearer }
  func receive(_ payload: ArraySlice<UInt8>) { bearer.receive(payload) }
}

/// What a hostile radio serves: FF31, which needs encryption, so that the host's program comes to pair.
enum HostileDatabase {
  static func make() -> GATTServer {
    let server = GATTServer()
    server.addGenericServices(name: "hostile")
    _ = server.publish(
      LocalService(
        uuid: BLEUUID(0xFF30), isPrimary: true,
        characteristics: [
          LocalCharacteristic(
            identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0xFF31), properties: 0x1A,
            permissions: LocalPermissions(read: .encryption, write: SecurityDemand.none), value: [1, 2, 3])
        ]), application: Application())
    return server
  }

  private final class Application: AttributeApplication {
    func read(_ request: AttributeReadRequest) {}
    func write(_ request: AttributeWriteRequest) {}
    func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}
  }
}
