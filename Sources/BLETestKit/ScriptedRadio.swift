import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire

struct ScriptedAdvertisement {
  let data: [UInt8]
  let scanResponse: [UInt8]
  let isConnectable: Bool

  var type: LEAdvertisingType {
    if isConnectable { return .connectable }
    return scanResponse.isEmpty ? .nonConnectable : .scannable
  }
}

/// A controller and the few commands that a scripted device needs. On the loop.
final class ScriptedRadio: HCITransportReceiver {
  private static let interval = AdvertisingInterval(rawValue: 0xA0)

  let controller: VirtualController
  var answer: ScriptedDevice.Answer?
  private(set) var connectionCount = 0
  private var advertisement: ScriptedAdvertisement?
  private var link: ConnectionHandle?

  init(name: String, address: DeviceAddress, position: Position, air: Air) {
    var configuration = ControllerConfiguration()
    configuration.name = name
    controller = air.makeController(address: address, position: position, configuration: configuration)
  }

  func start() {
    do throws(TransportError) {
      try controller.open(receiver: self)
    } catch {
      // The air was released, and the test with it.
      return
    }
    command(HCIReset())
    command(HCISetEventMask(mask: HCIEventMask(rawValue: .max)))
    command(LESetEventMask(mask: LEEventMask(rawValue: .max)))
  }

  func advertise(_ advertisement: ScriptedAdvertisement?) {
    if self.advertisement != nil { command(LESetAdvertisingEnable(isEnabled: false)) }
    self.advertisement = advertisement
    guard let advertisement else { return }
    command(
      LESetAdvertisingParameters(
        intervalMinimum: Self.interval, intervalMaximum: Self.interval, type: advertisement.type,
        ownAddressType: controller.address.kind == .random ? .random : .public, peerAddress: .none, channels: .all,
        filterPolicy: .all))
    command(LESetAdvertisingData(data: advertisement.data[...]))
    command(LESetScanResponseData(data: advertisement.scanResponse[...]))
    command(LESetAdvertisingEnable(isEnabled: true))
  }

  func send(_ pdu: [UInt8]) {
    guard let link else { return }
    var writer = ByteWriter(capacity: L2CAPHeader.octetCount + pdu.count)
    L2CAPFrame(channel: .attributeProtocol, informationPayload: pdu[...]).encode(into: &writer)
    controller.send(
      HCIPacket(HCIACLPacket(connectionHandle: link, boundary: .firstNonFlushable, payload: writer.octets[...])))
  }

  func disconnect(reason: UInt8) {
    guard let link else { return }
    command(HCIDisconnect(connectionHandle: link, reason: HCIErrorCode(rawValue: reason)))
  }

  private func command(_ command: some HCICommand) { controller.send(HCIPacket(command)) }

  // MARK: From the controller

  func transport(_ transport: any HCITransport, didFail error: TransportError) {}

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    do throws(DecodeError) {
      switch packet.kind {
      case .event: receive(try HCIEvent(HCIEventPacket(packet.octets)))
      case .aclData: try receive(HCIACLPacket(packet.octets))
      default: break
      }
    } catch {
      // An event that this device has no use for.
    }
  }

  private func receive(_ event: HCIEvent) {
    switch event {
    case .leEnhancedConnectionComplete(let event) where event.status.isSuccess: connected(event.connectionHandle)
    case .leConnectionComplete(let event) where event.status.isSuccess: connected(event.connectionHandle)
    case .disconnectionComplete(let event) where event.status.isSuccess && event.connectionHandle == link:
      link = nil
      // A connection ends advertising; the next central has to find the device as well.
      if let advertisement {
        self.advertisement = nil
        advertise(advertisement)
      }
    default: break
    }
  }

  private func connected(_ handle: ConnectionHandle) {
    link = handle
    connectionCount += 1
  }

  /// One frame in each packet: longer frames need a larger MTU than such a device offers.
  private func receive(_ packet: HCIACLPacket) throws(DecodeError) {
    guard packet.boundary != .continuing else { return }
    var reader = ByteReader(packet.payload, layer: "L2CAP")
    let frame = try L2CAPFrame(from: &reader)
    guard frame.channel == .attributeProtocol, let opcode = frame.informationPayload.first else { return }
    let request = Array(frame.informationPayload)
    if let answer {
      if let pdu = answer(request) { send(pdu) }
    } else if ATTOpcode(opcode).role == .request {
      send(ScriptedRadio.refusal(of: opcode))
    }
  }

  /// Error Response: Request Not Supported.
  private static func refusal(of opcode: UInt8) -> [UInt8] { [0x01, opcode, 0x00, 0x00, 0x06] }
}
