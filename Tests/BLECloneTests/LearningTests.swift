import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLEWire
import CoreBluetooth
import Testing

/// What is learned of a log, and what a clone of it says to a client that asks for something else.
@Suite struct LearningTests {
  /// A lamp with a control point at 0x0021 that answers by notifications of 0x0023.
  private func lamp(_ talk: (inout LogScript) -> Void) -> LoggedDevice {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x12, 0x24, 0, 1, 0])
    log.answer([0x13])
    talk(&log)
    return log.device(LogScript.lamp)
  }

  private func write(_ log: inout LogScript, _ octets: [UInt8], said: [UInt8]?) {
    log.ask([0x12, 0x21, 0] + octets)
    log.answer([0x13])
    log.wait(20)
    if let said { log.answer([0x1B, 0x23, 0] + said) }
    log.wait(3_000)
  }

  /// A clone whose client has subscribed; returns what it says to a write.
  private func played(_ learned: LearnedDevice, _ writes: [[UInt8]], every: Duration = .seconds(3)) -> [[UInt8]] {
    var server = ClonedServer(learned.recording)
    var now = Duration.zero
    server.connected(at: now)
    _ = server.receive([0x12, 0x24, 0, 1, 0], at: now)
    return writes.flatMap { write -> [[UInt8]] in
      _ = server.receive([0x12, 0x21, 0] + write, at: now)
      now += every
      return server.advance(to: now).map { Array($0.dropFirst(3)) }
    }
  }

  @Test(
    "I14.1 a device that refuses with a reserved error is learned, written, read and played",
    arguments: [0, 0x7E, 0xFF])
  func reservedCodes(code: UInt8) throws {
    let device = lamp { log in
      log.ask([0x0A, 0x21, 0])
      log.answer([0x01, 0x0A, 0x21, 0, code])
    }
    let learned = DeviceLearner.learn(device)
    let text = try #require(DeviceDescription(name: learned.name, recording: learned.recording).recordingText)
    let read = try DeviceDescription(text: text, file: "lamp")
    #expect(read.recording == learned.recording)
    var server = ClonedServer(try #require(read.recording))
    server.connected(at: .zero)
    #expect(server.receive([0x0A, 0x21, 0], at: .zero).map(Array.init) == [[0x01, 0x0A, 0x21, 0, code]])
  }

  @Test("I14.1 a log with the handle 0, which no attribute has, is learned, written and read")
  func handleZero() throws {
    let device = lamp { log in
      log.ask([0x04, 0, 0, 9, 0])
      log.answer([0x05, 1, 0, 0, 2, 0x29])
      log.ask([0x0A, 0, 0])
      log.answer([0x0B, 7])
      for octet in [1, 2, 3] as [UInt8] {
        log.ask([0x12, 0, 0, octet])
        log.answer([0x13])
        log.answer([0x1B, 0x23, 0, octet])
        log.answer([0x1B, 0, 0, octet])
        log.wait(100)
      }
    }
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.attribute(0) == nil && !learned.recording.answers.contains { $0.handle == 0 })
    let text = try #require(DeviceDescription(name: learned.name, recording: learned.recording).recordingText)
    #expect(try DeviceDescription(text: text, file: "lamp").recording == learned.recording)
  }

  @Test("I14.1 the table of a log is learned with its handles, properties and values, and discovered again PDU by PDU")
  func theTableIsLearned() throws {
    let device = lamp { log in
      log.ask([0x0A, 0x03, 0])
      log.answer([0x0B, 0x4C, 0x61, 0x6D, 0x70])
    }
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.attributes.map(\.handle) == [1, 2, 3, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24])
    #expect(
      learned.recording.attribute(0x20)?.kind
        == .characteristic(CBUUID(string: "FFF1"), valueHandle: 0x21, properties: 0x0C))
    #expect(learned.recording.attribute(3)?.value == .constant(Data("Lamp".utf8)))
    #expect(learned.name == "Lamp")
    let report = CloneReplay(device, learned.recording).run()
    #expect(report.share == 10_000, "\(report.differences)")
    #expect(report.total == device.pdus.count { $0.isFromDevice })
    #expect(learned.recording.exchanges.isEmpty, "\(learned.recording.exchanges)")
  }

  @Test("I14.1 the same write has the same answer, as late as in the log")
  func sameWrite() throws {
    let learned = DeviceLearner.learn(
      lamp { log in
        write(&log, [1], said: [0xA0])
        write(&log, [2], said: [0xB0])
        write(&log, [1], said: [0xA0])
      })
    #expect(played(learned, [[2], [1], [2], [9]]) == [[0xB0], [0xA0], [0xB0]])
    #expect(learned.recording.answers.map(\.turns.count) == [1, 1])
    #expect(learned.recording.answers.allSatisfy { $0.turns.first?.first?.delay == 22_000 })
    #expect(learned.counts.sequences == 0)
  }

  @Test("I14.1 writes with the same prefix have the same answer, with octets of the write in it")
  func prefixAndCopy() {
    let learned = DeviceLearner.learn(
      lamp { log in
        write(&log, [0x10, 7, 1], said: [0x90, 7, 0])
        write(&log, [0x10, 9, 2], said: [0x90, 9, 0])
        write(&log, [0x20, 1, 1, 1], said: [0xEE])
        write(&log, [0x20, 2], said: [0xEE])
      })
    #expect(played(learned, [[0x10, 0x55, 1], [0x20, 0x77, 0x77]]) == [[0x90, 0x55, 0], [0xEE]])
    #expect(learned.counts.rules == 2)
  }

  @Test("I14.1 an echo of any length is learned")
  func echo() {
    let learned = DeviceLearner.learn(
      lamp { log in
        write(&log, [1, 2], said: [0xE0, 1, 2])
        write(&log, [3], said: [0xE0, 3])
        write(&log, [4, 5, 6], said: [0xE0, 4, 5, 6])
      })
    #expect(played(learned, [[9, 8, 7, 6, 5]]) == [[0xE0, 9, 8, 7, 6, 5]])
  }

  @Test("I14.1 a field that counts goes on counting, in either order of octets")
  func counter() {
    let learned = DeviceLearner.learn(
      lamp { log in
        for number in 0..<4 as Range<UInt8> {
          write(&log, [5], said: [0xC0, 250 + number, 0x01, 0xFE &+ number])
        }
      })
    #expect(
      played(learned, Array(repeating: [5], count: 5)).map { Array($0.prefix(2)) }
        == [[0xC0, 250], [0xC0, 251], [0xC0, 252], [0xC0, 253], [0xC0, 254]])
  }

  @Test("I14.1 a field that moves with time is a clock, also where the client asks at other times")
  func clock() {
    let learned = DeviceLearner.learn(
      lamp { log in
        for number in 0..<6 {
          log.wait(Int64(number) * 1_700)
          // The device's clock shows whole seconds, 100 when the link begins.
          write(&log, [5], said: [0xD0, UInt8(100 + (log.now + 22) / 1_000)])
        }
      })
    #expect(learned.counts.sequences == 0, "\(learned.recording.notes)")
    let said = played(learned, [[5], [5], [5]], every: .seconds(10))
    #expect(said.map { $0.first } == [0xD0, 0xD0, 0xD0])
    #expect(zip(said, said.dropFirst()).allSatisfy { $1[1] - $0[1] == 10 }, "\(said)")
  }

  @Test("I14.1 what no rule makes is played in its order, and said so")
  func sequence() {
    let device = lamp { log in
      for value in [[7], [9], [1], [200]] as [[UInt8]] { write(&log, [5], said: value) }
    }
    let learned = DeviceLearner.learn(device)
    #expect(played(learned, Array(repeating: [5], count: 5)) == [[7], [9], [1], [200], [7]])
    #expect(learned.counts.sequences == 1)
    #expect(learned.recording.notes.contains { $0.contains("attribute 33") && $0.contains("no rule") })
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 a value that is written or notified is read back so, one that changes by itself is a sequence")
  func values() {
    let device = lamp { log in
      log.ask([0x0A, 0x03, 0])
      log.answer([0x0B, 1])
      log.ask([0x12, 0x03, 0, 9])
      log.answer([0x13])
      log.ask([0x0A, 0x03, 0])
      log.answer([0x0B, 9])
      for value in [4, 8, 5] as [UInt8] {
        log.ask([0x0A, 0x21, 0])
        log.answer([0x0B, value])
      }
    }
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.attribute(3)?.follows == [.written])
    #expect(learned.recording.attribute(0x21)?.value == .sequence([Data([4]), Data([8]), Data([5])]))
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 notifications have their times behind the subscription, and go on at their pace behind the last")
  func streams() throws {
    let device = lamp { log in
      for number in 1...5 as ClosedRange<UInt8> {
        log.wait(999)
        log.answer([0x1B, 0x23, 0, number])
      }
      log.wait(200)
      log.disconnect(0x40)
    }
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.answers.isEmpty)
    let stream = try #require(learned.recording.streams.first)
    #expect(stream.runs == [[], [1_001_000, 2_001_000, 3_001_000, 4_001_000, 5_001_000]].suffix(stream.runs.count))
    #expect(stream.pause == 1_000_000)
    var server = ClonedServer(learned.recording)
    server.connected(at: .seconds(7))
    #expect(server.nextDue == nil)
    _ = server.receive([0x12, 0x24, 0, 1, 0], at: .seconds(8))
    #expect(server.nextDue == .microseconds(9_001_000))
    let said = server.advance(to: .seconds(15))
    #expect(said.map { $0[3] } == [1, 2, 3, 4, 5, 6], "the counter goes on")
    _ = server.receive([0x12, 0x24, 0, 0, 0], at: .seconds(15))
    #expect(server.advance(to: .seconds(60)).isEmpty)
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 what is notified after a subscription is no answer to a write in front of it")
  func subscriptionsAfterWrites() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x52, 0x21, 0, 7])
    log.ask([0x12, 0x24, 0, 1, 0])
    log.answer([0x13])
    for number in 1...3 as ClosedRange<UInt8> {
      log.wait(200)
      log.answer([0x1B, 0x23, 0, number])
    }
    let learned = DeviceLearner.learn(log.device(LogScript.lamp))
    #expect(learned.recording.answers.isEmpty)
    #expect(learned.counts.streams == 1)
  }

  @Test("I14.1 a stream is not taken for the answers to writes that fall between")
  func streamsBesideWrites() {
    let device = lamp { log in
      for number in 0..<40 as Range<UInt8> {
        log.wait(249)
        log.answer([0x1B, 0x23, 0, number % 7 * 3])
        if number % 6 == 1 {
          log.wait(Int64(number) * 3)
          log.ask([0x52, 0x21, 0, number])
        }
        if number % 6 == 2 { log.wait(-Int64(number - 1) * 3 - 1) }
      }
    }
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.answers.isEmpty, "\(learned.recording.answers)")
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 refusals are learned: for ever, and until the link is encrypted")
  func refusals() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.ask([0x0A, 0x21, 0])
    log.answer([0x01, 0x0A, 0x21, 0, 0x05])
    log.ask([0x0A, 0x23, 0])
    log.answer([0x01, 0x0A, 0x23, 0, 0x02])
    log.frame([0x02, 3, 0, 5, 16, 3, 3], 0x40, .received, channel: 6)
    log.event(0x08, [0, 0x40, 0, 1])
    log.ask([0x0A, 0x21, 0])
    log.answer([0x0B, 0x77])
    let device = log.device(LogScript.lamp)
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.attribute(0x21)?.readRefusal == RecordedRefusal(code: 5, endsWithEncryption: true))
    #expect(learned.recording.attribute(0x23)?.readRefusal == RecordedRefusal(code: 2, endsWithEncryption: false))
    #expect(learned.recording.security.isPaired && learned.recording.security.isEncrypted)
    var server = ClonedServer(learned.recording)
    server.connected(at: .zero)
    #expect(server.receive([0x0A, 0x21, 0], at: .zero) == [[0x01, 0x0A, 0x21, 0, 0x05]])
    server.encrypted()
    #expect(server.receive([0x0A, 0x21, 0], at: .zero) == [[0x0B, 0x77]])
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 the parameters of a link are learned, with what the device asks for by L2CAP")
  func parameters() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.discoverLamp()
    log.frame([0x12, 1, 8, 0, 12, 0, 24, 0, 4, 0, 200, 0], 0x40, .received, channel: 5)
    log.event(0x3E, [0x03, 0, 0x40, 0, 18, 0, 4, 0, 200, 0])
    let recording = DeviceLearner.learn(log.device(LogScript.lamp)).recording
    #expect(recording.connections.map(\.interval) == [24, 18])
    #expect(
      recording.parameterRequests == [
        RecordedParameterRequest(
          delay: 11_000, minimumInterval: 12, maximumInterval: 24, latency: 4, supervisionTimeout: 200)
      ])
  }

  @Test("I14.1 attributes of a client that knows the handles from before are there without a type, and said so")
  func undiscovered() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    log.ask([0x12, 0x24, 0, 1, 0])
    log.answer([0x13])
    for value in [3, 1, 4] as [UInt8] {
      log.wait(1_500)
      log.answer([0x1B, 0x23, 0, value])
    }
    log.ask([0x0A, 0x30, 0])
    log.answer([0x0B, 1, 2])
    let device = log.device(LogScript.lamp)
    let learned = DeviceLearner.learn(device)
    #expect(learned.recording.attributes.map(\.handle) == [0x23, 0x24, 0x30])
    #expect(learned.recording.attribute(0x24)?.kind == .value(type: CBUUID(string: "2902")))
    #expect(learned.counts.undiscovered == 2)
    #expect(learned.recording.notes.contains { $0.hasPrefix("2 attributes have no type") })
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 a device that packs its answers in its own way is cloned with its own answers")
  func exchanges() {
    var log = LogScript()
    log.connect(LogScript.lamp, 0x40)
    // One service in each response, where two fit.
    log.ask([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
    log.answer([0x11, 6, 1, 0, 3, 0, 0x00, 0x18])
    log.ask([0x10, 4, 0, 0xFF, 0xFF, 0x00, 0x28])
    log.answer([0x11, 6, 0x1F, 0, 0x24, 0, 0xF0, 0xFF])
    let device = log.device(LogScript.lamp)
    let learned = DeviceLearner.learn(device)
    #expect(learned.counts.exchanges == 1)
    #expect(CloneReplay(device, learned.recording).run().share == 10_000)
  }

  @Test("I14.1 the file of a clone is read again as the same recording, octet for octet the same each time")
  func theFileIsReadAgain() throws {
    let device = lamp { log in
      write(&log, [0x10, 7, 1], said: [0x90, 7, 0])
      write(&log, [0x10, 9, 2], said: [0x90, 9, 0])
      for number in 0..<3 as Range<UInt8> { write(&log, [5, 5], said: [0xC0, number]) }
      for value in [[7], [9], [1]] as [[UInt8]] { write(&log, [6], said: value) }
      log.advertise(LogScript.lamp, [2, 1, 6, 5, 9] + Array("Lamp".utf8))
    }
    let learned = DeviceLearner.learn(device)
    let text = try #require(DeviceDescription(name: learned.name, recording: learned.recording).recordingText)
    let read = try DeviceDescription(text: text, file: "clone.json")
    #expect(read.recording == learned.recording)
    #expect(read.recordingText == text)
    #expect(read.recognition.names == ["Lamp"])
    #expect(DeviceDescription(name: "Lamp", recording: DeviceLearner.learn(device).recording).recordingText == text)
  }
}
