import BLECore
import BLEWire

extension Fuzzer {
  /// ATT PDUs, and the lists in them.
  static let attributeProtocol = Fuzzer(name: "att") { octets in
    if let request = try? ATTClientPDU(octets[...]) {
      require(request.octets == octets, "what was understood is not what came")
      _ = PacketText.of(request)
    }
    guard let pdu = try? ATTServerPDU(octets[...]) else { return }
    require(pdu.octets == octets, "what was understood is not what came")
    switch pdu {
    case .findInformationResponse(let packet): walk(try? packet.entries())
    case .findByTypeValueResponse(let packet): walk(try? packet.entries())
    case .readByTypeResponse(let packet): walk(try? packet.entries())
    case .readByGroupTypeResponse(let packet): walk(try? packet.entries())
    case .readMultipleVariableResponse(let packet):
      let held = packet.tuples().reduce(0) { $0 + 2 + $1.attributeValue.count }
      require(held <= octets.count, "more values than octets")
    case .multipleHandleValueNotification(let packet): _ = try? packet.tuples()
    default: break
    }
    _ = PacketText.of(pdu)
  } seeds: {
    ATTRegistry.all.flatMap { packet in packet.examples().map { [UInt8(packet.code ?? 0)] + $0 } }
  }

  private static func walk<Entry>(_ list: ATTList<Entry>?) {
    guard let list else { return }
    require(!list.isEmpty, "an empty list was accepted")
    guard let ordered = try? list.ascending(from: .first, through: .last) else { return }
    var last: AttributeHandle?
    for entry in ordered {
      require(last.map { $0 < entry.attributeHandle } ?? true, "handles do not ascend")
      last = entry.lastHandle
    }
  }
}
