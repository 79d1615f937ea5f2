import BLECapture
import BLEClone
import BLECore
import BLETestKit
import BLEWire

/// Logs as phones write them, made of the traffic of a phone in a world, from the descriptions of the formats: not by this project's
/// own writers.
enum LogFiles {
  /// The traffic of the world's first device with its controller.
  static func traffic(of world: World) throws -> [CapturedPacket] {
    let reader = try CaptureFiles.reader(CaptureOctets(world.capture))
    var packets: [CapturedPacket] = []
    while let packet = try reader.next() {
      if packet.interface == 0, case .hci = packet.content { packets.append(packet) }
    }
    return packets
  }

  /// Apple's PacketLogger: records of a length without itself, seconds and microseconds since 1970, a type, and the packet, most
  /// significant octet first; some are texts of the system.
  static func packetLogger(_ packets: [CapturedPacket]) -> [UInt8] {
    var file: [UInt8] = []
    func record(_ time: Int64, _ type: UInt8, _ octets: [UInt8]) {
      file += big(UInt64(octets.count + 9), 4) + big(UInt64(time / 1_000_000_000), 4)
      file += big(UInt64(time % 1_000_000_000 / 1_000), 4) + [type] + octets
    }
    for (number, packet) in packets.enumerated() {
      guard case .hci(let hci, let direction) = packet.content else { continue }
      if number.isMultiple(of: 50) { record(packet.timestamp.nanoseconds, 0xFC, Array("bluetoothd: a note".utf8)) }
      let type: UInt8 =
        switch (hci.kind, direction) {
        case (.command, _): 0x00
        case (.event, _): 0x01
        case (_, .sent): 0x02
        default: 0x03
        }
      record(packet.timestamp.nanoseconds, type, hci.octets)
    }
    return file
  }

  /// Android's `btsnoop_hci.log`: version 1, H4, lengths, flags (bit 0: to the host; bit 1: a command or an event), drops, and microseconds
  /// since the year 0.
  static func androidLog(_ packets: [CapturedPacket]) -> [UInt8] {
    var file = Array("btsnoop\0".utf8) + big(1, 4) + big(1_002, 4)
    for packet in packets {
      guard case .hci(let hci, let direction) = packet.content else { continue }
      let isControl = hci.kind == .command || hci.kind == .event
      let flags: UInt64 = (direction == .received ? 1 : 0) | (isControl ? 2 : 0)
      let length = UInt64(hci.octets.count + 1)
      file += big(length, 4) + big(length, 4) + big(flags, 4) + big(0, 4)
      file += big(UInt64(packet.timestamp.nanoseconds / 1_000) + 0x00DC_DDB3_0F2F_8000, 8)
      file += [hci.kind.rawValue] + hci.octets
    }
    return file
  }

  private static func big(_ number: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  /// The device of a log with the most PDUs.
  static func device(_ file: [UInt8]) throws -> LoggedDevice {
    var survey = LogSurvey()
    for event in try events(file) { survey.add(event) }
    let address = survey.all.first?.address ?? DeviceAddress(0, kind: .public)
    var device = LoggedDevice(address: address)
    for event in try events(file) where survey.identity(of: event.device) == address { device.add(event) }
    return device
  }

  private static func events(_ file: [UInt8]) throws -> [LogEvent] {
    let reader = try CaptureFiles.reader(CaptureOctets(file))
    var follower = LogFollower()
    var events: [LogEvent] = []
    while let packet = try reader.next() { events += follower.follow(packet) }
    return events
  }
}
