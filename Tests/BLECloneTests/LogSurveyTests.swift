import BLECapture
import BLEClone
import BLECore
import BLEWire
import Testing

@Suite struct LogSurveyTests {
  private static let name: [UInt8] = [5, 9, 0x4C, 0x61, 0x6D, 0x70]

  private func survey(_ log: LogScript) -> LogSurvey {
    var survey = LogSurvey()
    for event in log.followed().events { survey.add(event) }
    return survey
  }

  @Test("I14.1 the devices of a log are listed, the one of which most was said first, and found by name and address")
  func devicesAreListed() {
    var log = LogScript()
    for _ in 0..<3 { log.advertise(LogScript.scale, [2, 1, 6]) }
    log.advertise(LogScript.lamp, Self.name, type: 4)
    log.connect(LogScript.lamp, 0x40)
    log.ask([0x0A, 1, 0])
    let survey = survey(log)
    #expect(survey.all.map(\.address) == [LogScript.lamp, LogScript.scale])
    #expect(survey.all.map(\.name) == ["Lamp", nil])
    #expect(survey.all.map(\.advertisementCount) == [1, 3])
    #expect(survey.devices(named: "lA").map(\.address) == [LogScript.lamp])
    #expect(survey.devices(named: "00:11:22:33:44:55").map(\.address) == [LogScript.scale])
    #expect(survey.devices(named: "Door").isEmpty)
  }

  @Test("I14.1 a device that tells its identity in a pairing is one device under all its addresses")
  func identitiesAreOneDevice() {
    let hidden = DeviceAddress(0x4001_0203_0405, kind: .random)
    var log = LogScript()
    log.connect(hidden, 0x40)
    log.ask([0x0A, 1, 0])
    log.frame([0x09, 0] + LogScript.scale.octets, 0x40, .received, channel: 6)
    log.ask([0x0A, 2, 0])
    let survey = survey(log)
    #expect(survey.all.map(\.address) == [LogScript.scale])
    #expect(survey.all.map(\.pduCount) == [2])
    #expect(survey.identity(of: hidden) == LogScript.scale)
  }

  @Test("I14.1 the same advertisement is kept once, with its number and the shortest time between two")
  func advertisementsAreKeptOnce() {
    var log = LogScript()
    for gap in [100, 300, 50] as [Int64] {
      log.advertise(LogScript.lamp, Self.name, rssi: Int8(-gap / 10))
      log.wait(gap - 1)
    }
    log.advertise(LogScript.lamp, Self.name)
    log.advertise(LogScript.lamp, [2, 1, 6], type: 3)
    let device = log.device(LogScript.lamp)
    #expect(device.advertisements.map(\.count) == [4, 1])
    #expect(device.advertisements.map(\.shortestGap) == [50_000_000, nil])
    #expect(device.advertisements.map(\.content.isConnectable) == [true, false])
  }

  @Test("I14.1 a crowd of advertisers takes bounded memory, and does not push the known devices out")
  func aCrowdIsBounded() {
    var survey = LogSurvey()
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    for event in log.followed().events { survey.add(event) }
    var follower = LogFollower()
    for number in 0..<6_000 {
      var crowd = LogScript()
      crowd.advertise(DeviceAddress(UInt64(number + 1), kind: .random), [2, 1, 6])
      for event in crowd.packets.flatMap({ follower.follow($0) }) { survey.add(event) }
    }
    #expect(survey.all.count <= LogSurvey.deviceLimit)
    #expect(survey.droppedCount + survey.all.count == 6_001)
    #expect(survey.all.first?.address == LogScript.lamp)
  }

  @Test("I14.1 a conversation past the limit ends there, and says when and how much is missing")
  func aLongConversationIsCut() throws {
    var device = LoggedDevice(address: LogScript.lamp)
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    for event in log.followed().events { device.add(event) }
    let value = [0x1B, 1, 0] + Array<UInt8>(repeating: 1, count: 65_000)
    let fits = LoggedDevice.octetLimit / value.count
    for number in 0..<(fits + 2) {
      device.add(
        LogEvent(
          time: CaptureTimestamp(nanoseconds: Int64(number)), device: LogScript.lamp, link: 1,
          content: .fromServer(value)))
    }
    #expect(device.pdus.count == fits)
    #expect(device.cutAt?.nanoseconds == Int64(fits))
    #expect(device.leftOutPDUs == 2)
  }
}
