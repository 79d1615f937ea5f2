import BLECore
import BLEHCI
import BLEWire
import Testing

@Suite("Commands")
struct CommandTests {
  private typealias Answer<Command: HCICommand> = Result<Command.ReturnParameters, HCICommandError>

  @Test("each command is completed with its return parameters, one after the other")
  func inOrder() async throws {
    let bench = await HostBench.started()
    var numbers: [UInt64] = []
    for _ in 0..<3 { bench.controller.send(LERand()) { if case .success(let it) = $0 { numbers.append(it.number) } } }
    #expect(bench.chip.sentCommands.count == 1)
    await bench.settle()
    #expect(numbers == [UInt64](repeating: 0x0123_4567_89AB_CDEF, count: 3))
  }

  @Test("a command that is answered by Command Status is completed when it has started")
  func status() async {
    let bench = await HostBench.started()
    var answers: [Answer<HCIDisconnect>] = []
    let command = HCIDisconnect(connectionHandle: ConnectionHandle(1), reason: .remoteUserTerminated)
    bench.controller.send(command) { answers.append($0) }
    await bench.settle()
    #expect(answers == [.success(HCIStatusReturn())])
  }

  @Test(
    "a refusal is an error, in either event",
    arguments: [
      HCIPacket.commandStatus(.commandDisallowed, of: LERand.opcode),
      HCIPacket(CommandCompleteEvent(commandCredits: 1, opcode: LERand.opcode, returnParameters: [0x0C])),
      HCIPacket(CommandCompleteEvent(commandCredits: 1, opcode: LERand.opcode, returnParameters: [0x0C, 0, 0])),
    ])
  func refusal(_ answer: HCIPacket) async {
    let bench = await HostBench.started { chip, _ in chip.answers[LERand.opcode] = [answer] }
    var answers: [Answer<LERand>] = []
    bench.controller.send(LERand()) { answers.append($0) }
    await bench.settle()
    #expect(answers == [.failure(.refused(.commandDisallowed))])
  }

  @Test("H1: return parameters that are too short are an error of that command only")
  func malformed() async {
    let short = HCIPacket(CommandCompleteEvent(commandCredits: 1, opcode: LERand.opcode, returnParameters: [0, 1, 2]))
    let bench = await HostBench.started { chip, _ in chip.answers[LERand.opcode] = [short] }
    var answers: [Answer<LERand>] = []
    bench.controller.send(LERand()) { answers.append($0) }
    await bench.settle()
    guard case .failure(.malformed) = answers.first else {
      Issue.record("\(answers)")
      return
    }
    var size: UInt8?
    bench.controller.send(LEReadResolvingListSize()) { size = try? $0.get().size }
    await bench.settle()
    #expect(size == 8)
  }

  @Test("a controller that accepts no commands is waited for until it accepts them")
  func credits() async {
    let noMore = HCIPacket.commandComplete(LERand.self, .init(number: 1), commandCredits: 0)
    let bench = await HostBench.started { chip, _ in chip.answers[LERand.opcode] = [noMore] }
    var count = 0
    for _ in 0..<2 { bench.controller.send(LERand()) { _ in count += 1 } }
    await bench.settle()
    #expect(count == 1)
    #expect(bench.chip.sentCommands.count == 1)
    bench.chip.inject(CommandCompleteEvent(commandCredits: 1, opcode: .none, returnParameters: []))
    await bench.settle()
    #expect(count == 2)
  }

  @Test("H6: answers to a command never sent, of a wrong opcode or doubled are counted and ignored")
  func unexpectedAnswers() async {
    let good = HCIPacket.commandComplete(LERand.self, .init(number: 1))
    let wrong = HCIPacket.commandComplete(LEReadResolvingListSize.self, .init(size: 1))
    let early = HCIPacket.commandStatus(.success, of: LERand.opcode)
    let bench = await HostBench.started { chip, _ in chip.answers[LERand.opcode] = [wrong, early, good, good] }
    bench.chip.inject(HCIPacket.commandComplete(HCIReset.self, .init()))
    #expect(bench.controller.counters.unexpectedAnswers == 1)
    var numbers: [UInt64] = []
    bench.controller.send(LERand()) { if case .success(let it) = $0 { numbers.append(it.number) } }
    await bench.settle()
    #expect(numbers == [1])
    #expect(bench.controller.counters.unexpectedAnswers == 4)
    #expect(bench.controller.features != nil)
  }

  @Test("H6: a command that is never answered leads to a reset; it and those behind it fail once")
  func unanswered() async {
    let bench = await HostBench.started { chip, number in if number == 0 { chip.silent = [LERand.opcode] } }
    var answers: [Answer<LERand>] = []
    for _ in 0..<3 { bench.controller.send(LERand()) { answers.append($0) } }
    await bench.advance(.seconds(9))
    #expect(answers.isEmpty)
    await bench.advance(.milliseconds(1_050))
    #expect(answers == [Answer<LERand>](repeating: .failure(.notReady), count: 3))
    #expect(bench.heard.failures == [.unanswered(LERand.opcode)])
    await bench.settle()
    #expect(bench.controller.features != nil)
    bench.controller.send(LERand()) { answers.append($0) }
    await bench.settle()
    #expect(answers.count == 4)
  }

  @Test("H6: a controller that never answers is given up after a bounded time")
  func dead() async {
    let bench = HostBench { chip, _ in chip.silent = [HCIReset.opcode] }
    bench.controller.start()
    await bench.advance(.seconds(120))
    #expect(bench.controller.state == .failed(.unanswered(HCIReset.opcode)))
    #expect(bench.chipCount == 6)
  }

  @Test("H6: a controller that accepts no commands indefinitely is reset")
  func noCredits() async {
    let noMore = HCIPacket.commandComplete(LERand.self, .init(number: 1), commandCredits: 0)
    let bench = await HostBench.started { chip, number in if number == 0 { chip.answers[LERand.opcode] = [noMore] } }
    bench.controller.send(LERand())
    bench.controller.send(LERand())
    await bench.advance(.seconds(11))
    #expect(bench.heard.failures == [.unanswered(LERand.opcode)])
  }

  @Test("H6: a command sent while the controller accepts none is waited for no longer than others")
  func noCreditsLater() async {
    let noMore = HCIPacket.commandComplete(LERand.self, .init(number: 1), commandCredits: 0)
    let bench = await HostBench.started { chip, number in if number == 0 { chip.answers[LERand.opcode] = [noMore] } }
    bench.controller.send(LERand())
    await bench.advance(.seconds(60))
    #expect(bench.heard.failures.isEmpty)
    var answers: [Answer<LEReadResolvingListSize>] = []
    bench.controller.send(LEReadResolvingListSize()) { answers.append($0) }
    await bench.advance(.milliseconds(9_900))
    #expect(answers.isEmpty)
    await bench.advance(.milliseconds(200))
    #expect(bench.heard.failures == [.unanswered(LEReadResolvingListSize.opcode)])
    #expect(answers == [.failure(.notReady)])
  }

  @Test("a command without a ready controller fails immediately")
  func notReady() async {
    let bench = HostBench()
    var answers: [Answer<LERand>] = []
    bench.controller.send(LERand()) { answers.append($0) }
    #expect(answers == [.failure(.notReady)])
  }
}
