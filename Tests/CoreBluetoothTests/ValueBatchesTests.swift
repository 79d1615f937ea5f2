import Foundation
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("Values on their way to the loop")
struct ValueBatchesTests {
  @Test("I16.2 what another thread adds to a batch, and asks for behind it, follows the job that passes the batch on")
  func twoThreads() {
    let batches = ValueBatches<Int>()
    let order = Mutex<[String]>([])
    let other = DispatchSemaphore(value: 0)
    batches.add(Data([1]), length: 1, for: 1) {
      Thread.detachNewThread {
        batches.add(Data([2]), length: 1, for: 2) { order.withLock { $0.append("a job of its own") } }
        batches.endBatch()
        order.withLock { $0.append("the other thread's request") }
        other.signal()
      }
      // The other thread gets time to pass by, if nothing keeps it from that.
      _ = other.wait(timeout: .now() + .milliseconds(20))
      order.withLock { $0.append("the batch") }
    }
    other.wait()
    #expect(order.withLock { $0 } == ["the batch", "the other thread's request"])
    var passed: [[UInt8]] = []
    batches.passOn { value, destination in passed.append(value + [UInt8(destination)]) }
    #expect(passed == [[1, 1], [2, 2]])
  }
}
