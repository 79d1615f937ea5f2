import BLEAdapter
import BLECore
import BLEHost
import BLEWire

extension Fuzzer {
  /// A whole GATT server behind a link: PDU after PDU of a hostile client, with its writes, queues and subscriptions.
  static let attributeServer = Fuzzer(name: "gatt-server") { octets in
    let loop = VirtualLoop()
    let carrier = FuzzCarrier()
    let link = L2CAPLink(role: .peripheral, loop: loop, carrier: carrier)
    let bearer = ATTBearer(loop: loop, channel: link)
    link.attributeProtocol = bearer
    let server = GATTServer()
    let served = server.makeLink(on: bearer)
    for (_, pdu) in Pieces(octets) { bearer.receive(pdu) }
    withExtendedLifetime((server, served)) {}
  } seeds: {
    let requests = ATTRegistry.all.filter { ATTOpcode(UInt8($0.code ?? 0)).role != .response }
    return [
      requests.flatMap { packet in
        packet.examples().prefix(1).flatMap { [0, UInt8($0.count + 1), UInt8(packet.code ?? 0)] + $0 }
      }
    ]
      + requests.map { packet in
        packet.examples().flatMap { [0, UInt8($0.count + 1), UInt8(packet.code ?? 0)] + $0 }
      }
  }
}
