import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

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

  /// Conversations with one device, out of which a clone is made, written, read and played. A flag's first bit is the direction, the others are
  /// the time since the last PDU.
  static let clone = Fuzzer(name: "clone") { octets in
    let address = DeviceAddress(1, kind: .public)
    var device = LoggedDevice(address: address)
    var time: Int64 = 0
    var link = 1
    func add(_ content: LogEvent.Content) {
      device.add(LogEvent(time: CaptureTimestamp(nanoseconds: time), device: address, link: link, content: content))
    }
    let parameters = LinkParameters(interval: 24, latency: 0, supervisionTimeout: 72)
    add(.connected(parameters))
    for (flag, piece) in Pieces(octets) {
      // From 1 ms to 90 hours.
      time += 1_000_000 << Int64(flag >> 1 & 0x1F)
      if piece.isEmpty {
        add(.disconnected(reason: 0x13))
        link += 1
        add(.connected(parameters))
      } else {
        add(flag & 1 == 0 ? .toServer(Array(piece)) : .fromServer(Array(piece)))
      }
      if flag & 0x40 != 0 { add(.encrypted) }
    }
    let learned = DeviceLearner.learn(device)
    let report = CloneReplay(device, learned.recording).run()
    require(report.reproduced <= report.total && report.total <= device.pdus.count, "more PDUs than the log has")
    for copy in [learned, RecordingDisguise.disguised(learned)] {
      let text = DeviceDescription(name: copy.name, recording: copy.recording).recordingText ?? ""
      do throws(DeviceFileError) {
        let read = try DeviceDescription(text: text, file: "f")
        require(read.recording == copy.recording, "another recording than was written")
      } catch {
        require(false, "a file that cannot be read: \(error.lines)")
      }
    }
    var server = ClonedServer(learned.recording)
    server.connected(at: .zero)
    for (flag, piece) in Pieces(octets) {
      let answers = server.receive(Array(piece), at: .milliseconds(Int(flag) * 10))
      require(answers.allSatisfy { !$0.isEmpty && $0.count <= 65_535 }, "an empty or endless answer")
    }
    _ = server.advance(to: .seconds(3_600))
  } seeds: {
    func piece(_ flag: UInt8, _ octets: [UInt8]) -> [UInt8] {
      [flag, UInt8(truncatingIfNeeded: octets.count)] + octets
    }
    let discovery =
      piece(2, [0x02, 0, 2]) + piece(3, [0x03, 0, 2]) + piece(2, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28])
      + piece(3, [0x11, 6, 1, 0, 9, 0, 0xF0, 0xFF]) + piece(2, [0x08, 1, 0, 9, 0, 3, 0x28])
      + piece(3, [0x09, 7, 2, 0, 0x1A, 3, 0, 0xF1, 0xFF]) + piece(2, [0x04, 4, 0, 9, 0])
      + piece(3, [0x05, 1, 4, 0, 2, 0x29]) + piece(2, [0x12, 4, 0, 1, 0]) + piece(3, [0x13])
    let talk = (0..<4 as Range<UInt8>).flatMap { number in
      piece(10, [0x12, 3, 0, 5, number]) + piece(3, [0x13]) + piece(9, [0x1B, 3, 0, 0x85, number, number &* 3])
        + piece(2, [0x0A, 3, 0]) + piece(3, [0x0B, number])
    }
    return [discovery + talk + piece(2, []) + discovery, talk]
  }
}
