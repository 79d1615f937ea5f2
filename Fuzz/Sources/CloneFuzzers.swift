import BLECapture
import BLEClone
import BLECore
import BLEWire

extension Fuzzer {
  /// Packets of a log in a row: flags choose the kind, the direction and the controller.
  static let log = Fuzzer(name: "log") { octets in
    var follower = LogFollower()
    var survey = LogSurvey()
    var devices: [DeviceAddress: LoggedDevice] = [:]
    for (flag, piece) in Pieces(octets) {
      let hci = HCIPacket(kind: HCIPacketKind(rawValue: flag & 0x07) ?? .aclData, octets: Array(piece))
      let packet = CapturedPacket(
        timestamp: .virtualOrigin, interface: Int(flag >> 4), content: .hci(hci, flag & 8 == 0 ? .sent : .received))
      for event in follower.follow(packet) {
        survey.add(event)
        let address = survey.identity(of: event.device)
        devices[address, default: LoggedDevice(address: address)].add(event)
      }
    }
    require(survey.all.count <= LogSurvey.deviceLimit, "more devices than there is room for")
    let kept = devices.values.reduce(0) { $0 + $1.pdus.count }
    require(kept <= octets.count, "more PDUs than octets")
  } seeds: {
    func piece(_ flag: UInt8, _ octets: [UInt8]) -> [UInt8] {
      [flag, UInt8(truncatingIfNeeded: octets.count)] + octets
    }
    let events = HCIRegistry.events.flatMap { packet in
      packet.examples().flatMap { example -> [UInt8] in
        let code = packet.code ?? 0
        let parameters = code > 0xFF ? [UInt8(truncatingIfNeeded: code)] + example : example
        return piece(
          0x0C,
          [code > 0xFF ? 0x3E : UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: parameters.count)]
            + parameters)
      }
    }
    // A link, a request, a response in two pieces, and the end.
    let link: [UInt8] = [0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0xC0, 24, 0, 0, 0, 72, 0, 0]
    let request: [UInt8] = [0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]
    let first: [UInt8] = [0x40, 0x20, 6, 0, 4, 0, 4, 0, 0x0B, 1]
    let second: [UInt8] = [0x40, 0x10, 2, 0, 2, 3]
    let talk =
      piece(12, link) + piece(2, request) + piece(10, first) + piece(10, second) + piece(12, [5, 4, 0, 0x40, 0, 0x13])
    return [events, talk]
  }
}
