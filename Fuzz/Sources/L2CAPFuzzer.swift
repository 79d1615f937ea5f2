import BLECore
import BLEHost
import BLEWire

extension Fuzzer {
  /// A link's L2CAP: fragments of frames, both fixed channels of protocols, and the signaling channel.
  static let l2cap = Fuzzer(name: "l2cap") { octets in
    let carrier = FuzzCarrier()
    let link = L2CAPLink(role: .central, loop: VirtualLoop(), carrier: carrier)
    let receiver = FuzzReceiver()
    link.attributeProtocol = receiver
    link.securityManager = receiver
    for (flag, fragment) in Pieces(octets) { link.receive(fragment: fragment, isFirst: flag & 1 == 0) }
    link.close()
    require(carrier.frameCount <= octets.count, "more answers than octets")
    require(receiver.octetCount <= octets.count, "more was received than sent")
  } seeds: {
    L2CAPRegistry.all.flatMap { packet in
      packet.examples().map { example in
        let code: [UInt8] = packet.code.map { [UInt8($0), 1, UInt8(example.count), 0] } ?? []
        return Pieces.seed(frame: code + example, channel: .lowEnergySignaling)
      }
    }
  }
}

/// Counts the frames that a link sends.
final class FuzzCarrier: L2CAPCarrier {
  private(set) var frameCount = 0
  var queuedFrames: Int { 0 }
  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) { frameCount += 1 }
}

private final class FuzzReceiver: L2CAPChannelReceiver {
  private(set) var octetCount = 0
  func receive(_ payload: ArraySlice<UInt8>) { octetCount += payload.count }
}

extension Pieces {
  /// One frame in two pieces.
  static func seed(frame payload: [UInt8], channel: ChannelIdentifier) -> [UInt8] {
    let frame = L2CAPFrame(channel: channel, informationPayload: payload[...]).octets
    let first = frame.prefix(frame.count / 2)
    let second = frame.dropFirst(first.count)
    return [0, UInt8(truncatingIfNeeded: first.count)] + first + [1, UInt8(truncatingIfNeeded: second.count)] + second
  }
}
