import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation
import Measurements
import Testing

/// A log that is made while it is read: a beginning, then the same packets again and again.
private final class MadeLog: CaptureInput {
  private let beginning: [UInt8]
  private let block: [UInt8]
  private let length: Int
  private var offset = 0

  init(_ beginning: [UInt8], _ block: [UInt8], blocks: Int) {
    self.beginning = beginning
    self.block = block
    length = beginning.count + block.count * blocks
  }

  func read(_ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(count)
    while octets.count < count, offset < length {
      let isBeginning = offset < beginning.count
      let source = isBeginning ? beginning : block
      let start = isBeginning ? offset : (offset - beginning.count) % block.count
      let piece = source[start...].prefix(count - octets.count)
      octets += piece
      offset += piece.count
    }
    return octets
  }
}

/// A record of Android's log.
private func record(_ packet: CapturedPacket) -> [UInt8] { Array(LogFiles.androidLog([packet]).dropFirst(16)) }

@Suite struct LongLogTests {
  @Test(
    "I14.B a log of 48 MiB with another device's traffic is read without keeping it", .enabled(if: Allocations.areKnown)
  )
  func aLongLogIsNotKept() async {
    await #expect(processExitsWith: .success) {
      var opening = LogScript()
      opening.connect(LogScript.lamp, 0x40)
      opening.connect(LogScript.scale, 0x41)
      opening.discoverLamp()
      var talk = LogScript()
      for number in 0..<64 as Range<UInt8> {
        talk.frame([0x1B, 0x10, 0] + Array(repeating: number, count: 240), 0x41, .received, size: 251)
        talk.advertise(DeviceAddress(UInt64(number), kind: .random), [2, 1, 6])
      }
      talk.answer([0x1B, 0x23, 0, 1])
      let block = talk.packets.flatMap { record($0) }
      let (octets, limit) = (48 << 20, 24 << 20)
      let log = MadeLog(LogFiles.androidLog(opening.packets), block, blocks: octets / block.count)
      guard let reader = try? BtsnoopReader(log) else { preconditionFailure("the log is not recognised") }
      var follower = LogFollower()
      var survey = LogSurvey()
      var device = LoggedDevice(address: LogScript.lamp)
      let before = Allocations.live
      var most = 0
      var count = 0
      while let packet = try? reader.next() {
        for event in follower.follow(packet) {
          survey.add(event)
          if event.device == LogScript.lamp { device.add(event) }
        }
        count += 1
        if count.isMultiple(of: 10_000) { most = max(most, Allocations.live - before) }
      }
      precondition(count > 150_000, "\(count) packets")
      precondition(device.pdus.count > 500, "\(device.pdus.count) PDUs")
      precondition(most < limit, "\(most) octets are kept of \(octets)")
      precondition(CloneReplay(device, DeviceLearner.learn(device).recording).run().share > 9_000)
    }
  }

  @Test(
    "I14.B a damaged log, of mixed links and links that cannot be read, makes a clone of the rest, and says what is missing"
  )
  func damagedLog() {
    var log = LogScript()
    // A link from before the log, an encrypted one of which only lengths are there, and the lamp's with a hole.
    log.ask([0x0A, 3, 0], 0x77)
    log.connect(LogScript.scale, 0x41)
    log.event(0x08, [0, 0x41, 0, 1])
    log.add(.aclData, [0x41, 0x20, 9, 0], .received)
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x0A, 0x03, 0])
    log.add(.aclData, [0x40, 0x10, 2, 0, 1, 2], .received)
    log.ask([0x0A, 0x03, 0])
    log.answer([0x0B, 7])
    log.answer([0x0B, 8])
    log.answer([0xFF, 1, 2])
    log.answer([])
    let followed = log.followed()
    #expect(followed.follower.framesOfUnknownLinks == 1)
    let device = log.device(LogScript.lamp)
    let learned = DeviceLearner.learn(device)
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
    for note in ["responses have no request", "requests have no response", "pieces of frames have no rest"] {
      #expect(learned.recording.notes.contains { $0.contains(note) }, "\(learned.recording.notes)")
    }
    let scale = DeviceLearner.learn(log.device(LogScript.scale))
    #expect(scale.recording.attributes.isEmpty)
    #expect(scale.recording.notes.contains { $0.hasPrefix("Links were encrypted") })
  }

  @Test("I14.B times that go back, or leap by years, make neither a trap nor an endless stream")
  func wildTimes() {
    var device = LoggedDevice(address: LogScript.lamp)
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.ask([0x12, 0x24, 0, 1, 0])
    log.answer([0x13])
    for number in 0..<5 as Range<UInt8> { log.answer([0x1B, 0x23, 0, number]) }
    log.ask([0x0A, 0x30, 0])
    log.answer([0x0B, 1])
    let leaps: [Int64] = [.min, .max, 0, -1, .max - 1, 86_400_000_000_000 * 365 * 200]
    for (index, event) in log.followed().events.enumerated() {
      device.add(
        LogEvent(
          time: CaptureTimestamp(nanoseconds: leaps[index % leaps.count]), device: event.device, link: event.link,
          content: event.content))
    }
    let learned = DeviceLearner.learn(device)
    let report = CloneReplay(device, learned.recording).run()
    #expect(report.total > 0)
  }

  @Test("I14.1 an anonymous clone has the stand-ins' lengths, and is the same each time")
  func anonymous() throws {
    var log = LogScript()
    log.advertise(LogScript.lamp, [2, 1, 6, 5, 9] + Array("Lamp".utf8) + [6, 0xFF, 0x4C, 0, 1, 2, 3])
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x0A, 0x03, 0])
    log.answer([0x0B] + Array("Lamp".utf8))
    let learned = DeviceLearner.learn(log.device(LogScript.lamp))
    let copy = RecordingDisguise.disguised(learned)
    #expect(copy.name == "Device")
    guard case .parts(let parts)? = copy.recording.attribute(3)?.value, case .constant(let name)? = parts.first else {
      Issue.record("no value")
      return
    }
    #expect(name.count == 4 && name != Data("Lamp".utf8) && name.allSatisfy { (0x61...0x7A).contains($0) })
    let data = try #require(copy.recording.advertisements.first?.data)
    #expect(data.count == learned.recording.advertisements.first?.data.count)
    #expect(data.prefix(3) == Data([2, 1, 6]))
    #expect(data.dropFirst(5).prefix(4) == name, "the same octets have the same stand-in")
    #expect(Array(data.suffix(6).prefix(3)) == [0xFF, 0x4C, 0])
    #expect(data.suffix(3) != Data([1, 2, 3]))
    #expect(RecordingDisguise.disguised(learned).recording == copy.recording)
  }
}
