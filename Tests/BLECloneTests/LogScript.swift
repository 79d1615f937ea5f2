import BLECapture
import BLEClone
import BLECore
import BLEWire

/// Writes a log packet by packet, one each millisecond, from the descriptions of HCI and L2CAP.
struct LogScript {
  static let lamp = DeviceAddress(0xC001_0203_0405, kind: .random)
  static let scale = DeviceAddress(0x0011_2233_4455, kind: .public)

  private(set) var packets: [CapturedPacket] = []
  private var milliseconds: Int64 = 0
  /// Milliseconds since the beginning.
  var now: Int64 { milliseconds }

  mutating func wait(_ milliseconds: Int64) { self.milliseconds += milliseconds }

  mutating func add(_ kind: HCIPacketKind, _ octets: [UInt8], _ direction: CaptureDirection, on interface: Int = 0) {
    packets.append(
      CapturedPacket(
        timestamp: CaptureTimestamp(nanoseconds: milliseconds * 1_000_000), interface: interface,
        content: .hci(HCIPacket(kind: kind, octets: octets), direction)))
    milliseconds += 1
  }

  mutating func event(_ code: UInt8, _ parameters: [UInt8], on interface: Int = 0) {
    add(.event, [code, UInt8(parameters.count)] + parameters, .received, on: interface)
  }

  /// LE Connection Complete: as central, 30 ms, latency 0, 720 ms.
  mutating func connect(_ device: DeviceAddress, _ handle: UInt8, on interface: Int = 0, status: UInt8 = 0) {
    let head: [UInt8] = [0x01, status, handle, 0, 0, device.kind.rawValue]
    event(0x3E, head + device.octets + [24, 0, 0, 0, 72, 0, 0], on: interface)
  }

  mutating func disconnect(_ handle: UInt8, reason: UInt8 = 0x13, on interface: Int = 0) {
    event(0x05, [0, handle, 0, reason], on: interface)
  }

  /// LE Advertising Report with one report.
  mutating func advertise(_ device: DeviceAddress, _ data: [UInt8], type: UInt8 = 0, rssi: Int8 = -60) {
    let head: [UInt8] = [0x02, 1, type, device.kind.rawValue]
    event(0x3E, head + device.octets + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)])
  }

  /// A frame in pieces of `size` octets.
  mutating func frame(
    _ payload: [UInt8], _ handle: UInt8, _ direction: CaptureDirection, channel: UInt8 = 4, size: Int = 27,
    on interface: Int = 0
  ) {
    let whole: [UInt8] = [UInt8(payload.count), 0, channel, 0] + payload
    for start in stride(from: 0, to: whole.count, by: size) {
      let piece = Array(whole[start..<min(start + size, whole.count)])
      let flag: UInt8 = start > 0 ? 0x10 : direction == .sent ? 0x00 : 0x20
      add(.aclData, [handle, flag, UInt8(piece.count), 0] + piece, direction, on: interface)
    }
  }

  mutating func ask(_ pdu: [UInt8], _ handle: UInt8 = 0x40) { frame(pdu, handle, .sent) }
  mutating func answer(_ pdu: [UInt8], _ handle: UInt8 = 0x40) { frame(pdu, handle, .received) }

  /// A client discovers a lamp: its name at 3, a control point at 0x21, and notifications at 0x23 with their configuration at 0x24.
  mutating func discoverLamp(_ handle: UInt8 = 0x40) {
    ask([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], handle)
    answer([0x11, 6, 1, 0, 3, 0, 0x00, 0x18, 0x1F, 0, 0x24, 0, 0xF0, 0xFF], handle)
    ask([0x10, 0x25, 0, 0xFF, 0xFF, 0x00, 0x28], handle)
    answer([0x01, 0x10, 0x25, 0, 0x0A], handle)
    ask([0x08, 1, 0, 3, 0, 0x03, 0x28], handle)
    answer([0x09, 7, 2, 0, 0x0A, 3, 0, 0x00, 0x2A], handle)
    ask([0x08, 0x1F, 0, 0x24, 0, 0x03, 0x28], handle)
    answer([0x09, 7, 0x20, 0, 0x0C, 0x21, 0, 0xF1, 0xFF, 0x22, 0, 0x10, 0x23, 0, 0xF2, 0xFF], handle)
    ask([0x04, 0x24, 0, 0x24, 0], handle)
    answer([0x05, 1, 0x24, 0, 0x02, 0x29], handle)
  }

  /// All events, with the follower that saw them.
  func followed() -> (events: [LogEvent], follower: LogFollower) {
    var follower = LogFollower()
    var events: [LogEvent] = []
    for packet in packets { events += follower.follow(packet) }
    return (events, follower)
  }

  /// What the log says of one device.
  func device(_ address: DeviceAddress) -> LoggedDevice {
    var device = LoggedDevice(address: address)
    for event in followed().events where event.device == address { device.add(event) }
    return device
  }
}
