import BLECore
import BLEHost
import BLEWire

extension Fuzzer {
  /// A GATT client that discovers, reads and writes all it can, against a hostile server: PDU after PDU.
  static let gattClient = Fuzzer(name: "gatt-client") { octets in
    let loop = VirtualLoop()
    let carrier = FuzzCarrier()
    let link = L2CAPLink(role: .central, loop: loop, carrier: carrier)
    let bearer = ATTBearer(loop: loop, channel: link)
    link.attributeProtocol = bearer
    let client = GATTClient(bearer: bearer)
    bearer.client = client
    var procedures = 0
    // The first octet chooses what is asked for, again when the answer was complete.
    func begin() {
      procedures += 1
      let (first, last) = (AttributeHandle.first, AttributeHandle.last)
      switch octets.first.map({ $0 % 8 }) {
      case 0: client.discoverServices { _ in }
      case 1: client.discoverServices(with: BLEUUID(0x180F)) { _ in }
      case 2: client.findIncludedServices(from: first, through: last) { _ in }
      case 3: client.discoverCharacteristics(from: first, through: last) { _ in }
      case 4: client.discoverDescriptors(from: first, through: last) { _ in }
      case 5: client.readLong(first) { _ in }
      case 6:
        client.writeLong(ArraySlice(repeating: 7, count: 100), to: first, checksEcho: octets.count % 2 == 0) { _ in }
      default: client.readValues(of: BLEUUID(0x2A19), from: first, through: last) { _ in }
      }
    }
    begin()
    for (flag, pdu) in Pieces(Array(octets.dropFirst())) {
      bearer.receive(pdu)
      if flag == 0xFF, procedures < 16 { begin() }
    }
    // Each answer makes one request at most, and whatever else is sent answers something.
    require(carrier.frameCount <= octets.count + procedures, "requests without end")
    bearer.close()
    link.close()
    withExtendedLifetime(client) {}
  } seeds: {
    let responses = ATTRegistry.all.filter { ATTOpcode(UInt8($0.code ?? 0)).role == .response }
    return (UInt8(0)..<8).map { procedure in
      [procedure]
        + responses.flatMap { packet in
          packet.examples().flatMap { [0, UInt8($0.count + 1), UInt8(packet.code ?? 0)] + $0 }
        }
    }
  }
}
