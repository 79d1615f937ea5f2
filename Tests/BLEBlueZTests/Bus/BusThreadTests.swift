import Dispatch
import Glibc
import Synchronization
import Testing

@testable import BLEBlueZ

@Suite("The thread that waits for a bus")
struct BusThreadTests {
  /// How often the thread has waited, in vain, and paused.
  private final class Counts: Sendable {
    let waits = Atomic(0)
    let pauses = Atomic(0)
  }

  @Test(
    "I12.2 where the system refuses to wait, the bus is looked at after each pause, and waited for when that can be done"
  )
  func refused() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (BusDescriptor(taking: ends[0]), BusDescriptor(taking: ends[1]))
    let counts = Counts()
    let polling = BusPolling(
      poll: { waits, count in
        if counts.waits.wrappingAdd(1, ordering: .relaxed).newValue > 3 { return Glibc.poll(waits, count, -1) }
        errno = ENOMEM
        return -1
      }, pause: { counts.pauses.wrappingAdd(1, ordering: .relaxed) })
    let (looks, look) = AsyncStream.makeStream(of: Int.self)
    let thread = try #require(
      BusThread(of: reader.borrowed, on: DispatchQueue(label: "bus"), by: polling) {
        var octets = (UInt64(0), UInt64(0))
        let isThere = poll(reader.borrowed)
        look.yield(isThere ? read(reader.borrowed, &octets, 16) : 0)
      })
    var iterator = looks.makeAsyncIterator()
    for _ in 0..<3 { #expect(await iterator.next() == 0) }
    var octet: UInt8 = 1
    #expect(write(writer.borrowed, &octet, 1) == 1)
    #expect(await iterator.next() == 1)
    #expect(counts.pauses.load(ordering: .relaxed) == 3)
    _ = thread
  }

  private func poll(_ descriptor: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&wait, 1, 0) > 0
  }
}
