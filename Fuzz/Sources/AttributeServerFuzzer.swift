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
    let application = FuzzApplication(server)
    _ = server.addGenericServices(name: "fuzz")
    _ = server.database.place(attributes(of: application))
    let served = server.makeLink(on: bearer)
    for (_, pdu) in Pieces(octets) { bearer.receive(pdu) }
    require(carrier.frameCount <= octets.count, "more answers than octets")
    bearer.close()
    served.close()
    link.close()
    withExtendedLifetime((server, application)) {}
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

extension Fuzzer {
  /// A service whose values are everywhere that values can be.
  private static func attributes(of application: FuzzApplication) -> [Attribute] {
    let all = AttributePermissions(read: .open, write: .open)
    let value = AttributeHandle(0x0102)
    return [
      Attribute(
        handle: AttributeHandle(0x0100), type: BLEUUID(0x2800), permissions: .readable, content: .value([0x0F, 0x18]),
        groupEnd: AttributeHandle(0x01FF)),
      Attribute(
        handle: AttributeHandle(0x0101), type: BLEUUID(0x2803), permissions: .readable,
        content: .value([0x3E, 0x02, 0x01, 0x19, 0x2A])),
      Attribute(
        handle: value, type: BLEUUID(0x2A19), permissions: all, content: .application(application, tag: 1)),
      Attribute(
        handle: AttributeHandle(0x0103), type: BLEUUID(0x2902), permissions: all,
        content: .clientConfiguration(of: value, offers: [.notification, .indication])),
      Attribute(
        handle: AttributeHandle(0x0104), type: BLEUUID(high: 1, low: 2), permissions: all,
        content: .value(Array(repeating: 7, count: 300))),
    ]
  }
}

/// A program that answers each request at once.
private final class FuzzApplication: AttributeApplication {
  private weak var server: GATTServer?

  init(_ server: GATTServer) { self.server = server }

  func read(_ request: AttributeReadRequest) {
    server?.respond(to: request.number, error: nil, value: Array(repeating: 7, count: max(0, 40 - request.offset)))
  }

  func write(_ request: AttributeWriteRequest) { server?.respond(to: request.number, error: nil) }

  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}
}
