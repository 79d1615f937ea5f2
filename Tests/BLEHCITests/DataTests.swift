import BLECore
import BLEHCI
import BLEWire
import Testing

@Suite("Data of links")
struct DataTests {
  @Test("a frame that fits is one packet; a longer one is sent in pieces")
  func fragmentation() async throws {
    let bench = await HostBench.started()
    let link = try #require(bench.connect(1)).link
    #expect(link.send(frame(27)) == .handedOver)
    #expect(link.send(frame(60)) == .handedOver)
    let data = bench.chip.sentData
    #expect(data.map(\.boundary) == [.firstNonFlushable, .firstNonFlushable, .continuing, .continuing])
    #expect(data.map(\.payload.count) == [27, 27, 27, 6])
    #expect(data[1...].flatMap(\.payload) == Array(frame(60)))
    #expect(data.allSatisfy { $0.connectionHandle == ConnectionHandle(1) })
  }

  @Test("no more packets are sent than the controller has buffers, and the rest follows as they are returned")
  func credits() async throws {
    let bench = await HostBench.started()
    let (link, received) = try #require(bench.connect(1))
    for token in 1...6 { link.send(frame(10), token: UInt64(token)) }
    #expect(bench.chip.sentData.count == 4)
    #expect(link.queuedFrames == 2)
    bench.chip.complete(1, of: 1)
    #expect(bench.chip.sentData.count == 5)
    #expect(received.tokens == [5])
    bench.chip.complete(4, of: 1)
    #expect(bench.chip.sentData.count == 6)
    #expect(received.tokens == [5, 6])
    #expect(link.queuedFrames == 0)
  }

  @Test("a frame's token is reported when its last piece was sent, and only if it had to wait")
  func tokens() async throws {
    let bench = await HostBench.started()
    let (link, received) = try #require(bench.connect(1))
    #expect(link.send(frame(200), token: 7) == .queued)
    bench.chip.complete(3, of: 1)
    #expect(received.tokens.isEmpty)
    bench.chip.complete(1, of: 1)
    #expect(received.tokens == [7])
    #expect(bench.chip.sentData.flatMap(\.payload) == Array(frame(200)))
  }

  @Test("links take turns, piece by piece, whichever has more to send")
  func fairness() async throws {
    let bench = await HostBench.started { chip, _ in chip.lowEnergyBuffers = (27, 2) }
    let first = try #require(bench.connect(1)).link
    let second = try #require(bench.connect(2)).link
    first.send(frame(27 * 10))
    second.send(frame(27 * 3))
    for _ in 0..<20 {
      for handle: UInt16 in [1, 2] {
        let outstanding = bench.chip.sentData.filter { $0.connectionHandle == ConnectionHandle(handle) }.count
        if outstanding > completedSoFar[handle, default: 0] {
          bench.chip.complete(1, of: handle)
          completedSoFar[handle, default: 0] += 1
        }
      }
    }
    let order = bench.chip.sentData.map(\.connectionHandle.rawValue)
    #expect(order.count == 13)
    #expect(order.prefix(6).filter { $0 == 2 }.count == 3)
    func completed(_ handle: UInt16) -> Int { completedSoFar[handle, default: 0] }
    #expect(completed(1) == 10 && completed(2) == 3)
  }
  private let completedSoFar = Counts()

  @Test("a silent peer cannot keep all buffers from the others")
  func silentPeer() async throws {
    let bench = await HostBench.started()
    let silent = try #require(bench.connect(1)).link
    let alive = try #require(bench.connect(2)).link
    for _ in 0..<10 { silent.send(frame(20)) }
    #expect(bench.chip.sentData.count == 3)
    for round in 1...5 {
      alive.send(frame(20))
      #expect(bench.chip.sentData.filter { $0.connectionHandle == ConnectionHandle(2) }.count == round)
      bench.chip.complete(1, of: 2)
    }
  }

  @Test("when a link ends, its queue is dropped and its buffers are free for the others")
  func disconnection() async throws {
    let bench = await HostBench.started()
    let (first, received) = try #require(bench.connect(1))
    for _ in 0..<10 { first.send(frame(20)) }
    let second = try #require(bench.connect(2)).link
    for _ in 0..<4 { second.send(frame(20)) }
    bench.chip.disconnect(1)
    #expect(!first.isOpen)
    #expect(first.send(frame(20)) == .closed)
    #expect(received.tokens.isEmpty)
    #expect(bench.chip.sentData.filter { $0.connectionHandle == ConnectionHandle(2) }.count == 4)
    #expect(bench.controller.link(ConnectionHandle(1)) == nil)
  }

  @Test("data is delivered to the receiver of its link")
  func receiving() async throws {
    let bench = await HostBench.started()
    let first = try #require(bench.connect(1)).received
    let second = try #require(bench.connect(2)).received
    bench.chip.data([1, 2, 3], on: 1)
    bench.chip.data([4], on: 2)
    bench.chip.data([5], on: 1)
    #expect(first.packets.map(\.payload) == [[1, 2, 3], [5]])
    #expect(second.packets.map(\.payload) == [[4]])
  }

  @Test(
    "H4: data for an unknown or just closed link is dropped and counted, and not given to the next owner of the handle")
  func strayData() async throws {
    let bench = await HostBench.started()
    bench.chip.data([1], on: 9)
    let old = try #require(bench.connect(1))
    bench.chip.disconnect(1)
    bench.chip.data([2], on: 1)
    let new = try #require(bench.connect(1))
    #expect(bench.controller.counters.droppedData == 2)
    #expect(new.received.packets.isEmpty && old.received.packets.isEmpty)
    #expect(new.link !== old.link)
    #expect(old.link.send(frame(5)) == .closed)
    bench.chip.data([3], on: 1)
    #expect(new.received.packets.map(\.payload) == [[3]])
  }

  @Test("H4: completing more packets than are outstanding resets the controller")
  func tooManyCompleted() async throws {
    for handles: [UInt16] in [[1], [1, 2]] {
      let bench = await HostBench.started()
      for handle in handles { try #require(bench.connect(handle)).link.send(frame(5)) }
      bench.chip.complete(2, of: 1)
      #expect(bench.heard.failures == [.tooManyCompletedPackets(ConnectionHandle(1))])
      #expect(bench.controller.link(ConnectionHandle(1)) == nil)
      await bench.settle()
      #expect(bench.controller.features != nil)
    }
  }

  @Test("H4: completed packets of an unknown link give no buffers")
  func strayCompletions() async throws {
    let bench = await HostBench.started()
    let link = try #require(bench.connect(1)).link
    for _ in 0..<6 { link.send(frame(5)) }
    bench.chip.complete(5, of: 2)
    #expect(bench.chip.sentData.count == 4)
    #expect(bench.controller.counters.ignoredEvents == 1)
  }

  @Test("H4: a second connection on a handle in use is ignored, and the first keeps its data")
  func reusedHandle() async throws {
    let bench = await HostBench.started()
    let first = try #require(bench.connect(1))
    let events = bench.heard.events.count
    bench.chip.connect(1)
    bench.chip.connect(0x0F00)
    #expect(bench.heard.events.count == events)
    #expect(bench.controller.counters.ignoredEvents == 2)
    #expect(bench.controller.link(ConnectionHandle(1)) === first.link)
  }

  @Test("H5: data before its connection is complete is refused; the link works afterwards")
  func earlyData() async throws {
    let bench = await HostBench.started()
    bench.chip.data([1], on: 1)
    let link = try #require(bench.connect(1))
    #expect(link.received.packets.isEmpty)
    #expect(bench.controller.counters.droppedData == 1)
    bench.chip.data([2], on: 1)
    #expect(link.received.packets.map(\.payload) == [[2]])
  }

  @Test(
    "H5: data just before its connection goes to the link that comes: a little, for a moment, and never behind another link's end"
  )
  func heldData() async throws {
    let bench = await HostBench.started()
    let received = Received()
    let controller = bench.controller
    bench.heard.onEvent = { [unowned controller] event in
      guard let complete = event.connectionComplete else { return }
      controller.link(complete.connectionHandle)?.receiver = received
    }
    bench.chip.data([1], on: 1)
    bench.chip.data([9], on: 2)
    bench.chip.data([2], on: 1)
    bench.chip.connect(1)
    bench.chip.data([3], on: 1)
    #expect(received.packets.map(\.payload) == [[1], [2], [3]])
    #expect(controller.counters.droppedData == 1)
    // A frame of the link that has just ended.
    bench.chip.disconnect(1)
    bench.chip.data([4], on: 1)
    bench.chip.connect(1)
    #expect(received.packets.count == 3 && controller.counters.droppedData == 2)
    // Too late for the packet with the 9 in it.
    await bench.advance(.seconds(1))
    bench.chip.connect(2)
    #expect(received.packets.count == 3)
    for octet in 0..<20 as Range<UInt8> { bench.chip.data([octet], on: 3) }
    bench.chip.connect(3)
    #expect(received.packets.dropFirst(3).map(\.payload) == (0..<8).map { [$0] })
    #expect(controller.counters.droppedData == 14)
  }

  @Test("a link that outlives its controller is closed")
  func outliving() async throws {
    var bench: HostBench? = HostBench()
    await bench?.start()
    let link = try #require(bench?.connect(1)?.link)
    bench = nil
    #expect(!link.isOpen)
    #expect(link.send(frame(5)) == .closed)
  }

  @Test("H7: ten thousand connections leave nothing behind, not even a buffer")
  func storm() async throws {
    let bench = await HostBench.started()
    for round in 0..<10_000 {
      let handle = UInt16(round % 7 + 1)
      let link = try #require(bench.connect(handle)).link
      for _ in 0..<6 { link.send(frame(30)) }
      bench.chip.disconnect(handle)
      if round % 100 == 0 { bench.chip.forgetSent() }
    }
    bench.chip.forgetSent()
    let link = try #require(bench.connect(1)).link
    for _ in 0..<6 { link.send(frame(5)) }
    #expect(bench.chip.sentData.count == 4)
    #expect(bench.controller.features != nil)
  }
}

/// Numbers by handle.
private final class Counts {
  private var counts: [UInt16: Int] = [:]
  subscript(_ handle: UInt16, default value: Int) -> Int {
    get { counts[handle, default: value] }
    set { counts[handle] = newValue }
  }
}
