import BLECore
import BLEHCI
import Dispatch
import Testing

@testable import BLETransports

@Suite("The signal strength of the kernel's links")
struct LinkStrengthTests {
  private static let peer = DeviceAddress(0xC012_3456_789A, kind: .random)
  private static let asked: [UInt8] = [0x9A, 0x78, 0x56, 0x34, 0x12, 0xC0, 2]

  /// A kernel's management interface that answers as the test says: with a status, and return parameters.
  private final class Kernel {
    let queue = DispatchQueue(label: "strength")
    private(set) var questions: [[UInt8]] = []
    private(set) var openings = 0
    private var ends: [PacketEnd] = []
    var answers: [(status: UInt8, parameters: [UInt8])] = []
    var isThere = true

    func makeStrength() -> LinkStrength {
      LinkStrength(on: queue) { [self] () throws(TransportError) in
        openings += 1
        guard isThere else { throw TransportError(.unreachable, "there is none") }
        let (end, descriptor) = PacketEnd.pair(on: queue)
        end.onPacket = { [weak self, weak end] octets in if let self, let end { answer(octets, on: end) } }
        ends.append(end)
        return descriptor
      }
    }

    private func answer(_ octets: [UInt8], on end: PacketEnd) {
      guard let message = try? ManagementMessage(octets) else { return }
      questions.append(Array(message.parameters))
      guard !answers.isEmpty else { return }
      let (status, parameters) = answers.removeFirst()
      let result = [0x31, 0x00, status] + parameters
      end.send([1, 0, UInt8(truncatingIfNeeded: message.index), 0, UInt8(result.count), 0] + result)
    }
  }

  /// The answers to this many simultaneous requests.
  private func read(_ count: Int, _ prepare: @escaping @Sendable (LoopBound<Kernel>) -> Void) async -> (
    [Int8?], LoopBound<Kernel>
  ) {
    let kernel = LoopBound(Kernel())
    return await withCheckedContinuation { continuation in
      kernel.value.queue.async {
        prepare(kernel)
        let strength = kernel.value.makeStrength()
        var seen: [Int8?] = []
        for _ in 0..<count {
          strength.read(Self.peer, on: 3) { value in
            seen.append(value)
            if seen.count == count { withExtendedLifetime(strength) { continuation.resume(returning: (seen, kernel)) } }
          }
        }
        #expect(seen.isEmpty)
      }
    }
  }

  @Test("I12.2 it is read by the peer's address, one request after the other; 127 and another peer's do not count")
  func values() async {
    let (seen, kernel) = await read(4) { kernel in
      kernel.value.answers = [
        (0, Self.asked + [0xC4, 4, 8]), (0, Self.asked + [127, 127, 127]), (0, [1, 2, 3, 4, 5, 6, 2, 0xC4, 4, 8]),
        (0x02, Self.asked + [0xC4, 4, 8]),
      ]
    }
    #expect(seen == [-60, nil, nil, nil])
    let (questions, openings) = kernel.value.queue.sync { (kernel.value.questions, kernel.value.openings) }
    #expect(questions == [[UInt8]](repeating: Self.asked, count: 4) && openings == 1)
  }

  @Test(
    "I12.2 a kernel that refuses, has no interface or is silent gives none, and is not asked again after a refusal"
  )
  func refusals() async {
    let (denied, kernel) = await read(3) { $0.value.answers = [(0x14, [])] }
    #expect(denied == [nil, nil, nil])
    #expect(kernel.value.queue.sync { kernel.value.questions.count } == 1)
    #expect(await read(2) { $0.value.isThere = false }.0 == [nil, nil])
    // Truncated, and then nothing.
    #expect(await read(2) { $0.value.answers = [(0, [0x9A])] }.0 == [nil, nil])
  }
}
