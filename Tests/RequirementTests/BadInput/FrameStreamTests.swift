import BLESession
import BLETestKit
import CoreBluetooth
import Testing

/// Frames that arrive cut, doubled, reordered, or with a wrong length or check, over the radio.
@Suite("A4: damaged frames", .keepsCapture) struct FrameStreamTests {
  private static func format() throws -> FrameFormat {
    try FrameFormat(
      start: Data([0xA5]), fields: [.init(.type), .init(.length)],
      check: FrameCheck(.cyclicRedundancyCheck("CRC-16/MODBUS")), maximumPayload: 64)
  }

  private static func scene(
    in world: World, answers: @escaping @Sendable (Frame) -> [Data]
  ) async throws -> (VendorScene, CommandQueue) {
    let format = try format()
    let parser = Locked(FrameParser(format: format))
    let vendor = try await VendorScene.make(in: world) { told in
      var frames: [Frame] = []
      parser.change { parser in
        for case .frame(let frame) in parser.append(told) { frames.append(frame) }
      }
      return frames.flatMap(answers).enumerated().map { (.milliseconds(5 * ($0.offset + 1)), $0.element) }
    }
    try await vendor.scene.connect()
    let commands = CommandQueue(
      vendor.scene.session, commandPath: SessionScene.line, answerPath: SessionScene.line
    ) { CodecChain([FrameCodec(format: format, type: 1)]) }
    return (vendor, commands)
  }

  @Test("R4.8 answers are found however their frames are cut, doubled, or mixed with other frames and noise")
  func cut() async throws {
    let world = World()
    let format = try Self.format()
    let (vendor, commands) = try await Self.scene(in: world) { frame in
      guard let whole = try? format.encode(Frame(type: 2, payload: Data([0x80]) + frame.payload)),
        let other = try? format.encode(Frame(type: 3, payload: Data([0x55])))
      else { return [] }
      let wrong = whole.dropLast() + [whole[whole.count - 1] ^ 1]
      // Noise, a frame with a wrong check, another frame, the answer octet by octet between others, and the answer twice.
      return [Data([0, 1, 0xA5]), wrong, other] + whole.map { Data([$0]) } + [
        other + whole.prefix(3), whole.dropFirst(3),
      ]
    }
    let unsolicited = Locked<[Data]>([])
    let listening = world.start {
      for await value in commands.unsolicitedMessages() { unsolicited.change { $0.append(value) } }
    }
    defer { listening.cancel() }
    for number in UInt8(0)..<30 {
      unsolicited.value = []
      let content = Data(repeating: number, count: Int(number) + 1)
      let answer = try await world.perform {
        try await commands.send(Command(content, answer: .beginning(Data([0x80]))))
      }
      #expect(answer == Data([0x80]) + content)
      await world.advance(by: .seconds(1))
      #expect(unsolicited.value == [Data([0x55]), Data([0x55]), answer])
    }
    withExtendedLifetime(vendor) {}
  }

  @Test(
    "R4.9 whatever is wrong with an answer, the command fails in time or gets its answer, and the next command is sent")
  func mutations() async throws {
    let world = World(seed: 5)
    let format = try Self.format()
    let chance = Locked(UInt64(77))
    @Sendable func draw(_ limit: Int) -> Int {
      var number = 0
      chance.change { state in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        number = Int(state >> 33) % max(1, limit)
      }
      return number
    }
    let (vendor, commands) = try await Self.scene(in: world) { frame in
      guard var octets = (try? format.encode(Frame(type: 2, payload: Data([0x80]) + frame.payload))).map(Array.init)
      else {
        return []
      }
      switch draw(6) {
      case 0: octets[draw(octets.count)] ^= UInt8(1 + draw(255))
      case 1: octets.removeLast(1 + draw(octets.count - 1))
      case 2: octets.insert(UInt8(draw(256)), at: draw(octets.count))
      case 3: octets[2] = UInt8(draw(256))
      case 4: octets.swapAt(draw(octets.count), draw(octets.count))
      default: break
      }
      let middle = draw(octets.count)
      return [Data(octets[..<middle]), Data(octets[middle...])].filter { !$0.isEmpty }
    }
    var (right, failed) = (0, 0)
    for number in 0..<300 {
      let content = UInt32(number).octets(order: .bigEndian)
      let task = world.start {
        try await commands.send(
          Command(content, answer: .exactly(Data([0x80]) + content), timeLimit: .milliseconds(300)))
      }
      try await world.wait(within: .seconds(2)) { task.isOver }
      if task.error(as: SessionError.self)?.code == .timedOut {
        failed += 1
      } else {
        #expect(try await task.value == Data([0x80]) + content)
        right += 1
      }
    }
    #expect(right > 40 && failed > 40 && right + failed == 300)
    withExtendedLifetime(vendor) {}
  }
}
