import BLECore
import CKernelBluetooth
import Dispatch
import Foundation
import Testing

@testable import BLETransports

/// The process that keeps the privilege, and dropping it. Requests name an adapter that no machine has.
@Suite("The keeper of the privilege", .timeLimit(.minutes(10)))
struct KeeperTests {
  private static let noAdapter: UInt16 = 0xFFF0

  /// A keeper's socket, used without `AdapterKeeper`.
  private final class RawKeeper {
    let socket: FileDescriptor

    init() throws {
      let number = kernel_bluetooth_start_keeper()
      try #require(number >= 0)
      socket = FileDescriptor(number)
    }

    func send(_ octets: [UInt8]) {
      #expect(Glibc.send(socket.number, octets, octets.count, Int32(MSG_NOSIGNAL)) == octets.count)
    }

    /// The next packet; empty at the end.
    func receive() -> [UInt8] {
      var octets = [UInt8](repeating: 0, count: 64)
      let count = recv(socket.number, &octets, octets.count, 0)
      return Array(octets.prefix(max(0, count)))
    }

    /// Waits for the keeper's end.
    func end() {
      shutdown(socket.number, Int32(SHUT_WR))
      while !receive().isEmpty {}
    }
  }

  @Test("X5 I12.1 the keeper answers each invalid request once with an error, and continues")
  func malformed() throws {
    let keeper = try RawKeeper()
    let invalid = withUnsafeBytes(of: EINVAL) { Array($0) }
    let index = [UInt8(Self.noAdapter & 0xFF), UInt8(Self.noAdapter >> 8)]
    let packets: [[UInt8]] = [
      [], [1], [1, 0, 0], [1, 0] + index + [0], [UInt8](repeating: 1, count: 60_000), [1, 1] + index, [2, 2] + index,
      [2, 0xFF] + index, [3, 1] + index, [2, 0, 0xFF, 0xFF],
    ]
    for packet in packets {
      keeper.send(packet)
      let answer = keeper.receive()
      #expect(answer.count == 8 && Array(answer.suffix(4)) == invalid, "\(packet.prefix(8))")
    }
    for what in 0...255 where !(1...3).contains(what) {
      keeper.send([UInt8(what), 0] + index)
      #expect(Array(keeper.receive().suffix(4)) == invalid)
    }
    // A valid one is tried: its result is the kernel's.
    keeper.send([1, 0] + index)
    let answer = keeper.receive()
    #expect(answer.count == 8 && answer[0] == 1 && Array(answer.suffix(4)) != invalid)
    keeper.end()
  }

  @Test("X5 I12.1 the keeper holds no file of the program but its socket, and ends when the program closes its end")
  func files() throws {
    let ends = try Self.pair()
    let keeper = try RawKeeper()
    // Its answer shows that it has started to serve.
    keeper.send([0])
    #expect(keeper.receive().count == 8)
    Self.expectEnd(of: ends)
    keeper.end()
    #expect(keeper.receive().isEmpty)
  }

  /// Two sockets that are connected to each other.
  private static func pair() throws -> [Int32] {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return ends
  }

  private static func expectEnd(of ends: [Int32]) {
    close(ends[1])
    var octet: UInt8 = 0
    #expect(read(ends[0], &octet, 1) == 0, "somebody else holds the other end")
    close(ends[0])
  }

  /// Sends octets and an open file.
  private func send(_ octets: [UInt8], with file: Int32, over socket: Int32) -> Int {
    var octets = octets
    var control = FileMessage(file: file)
    return octets.withUnsafeMutableBytes { octets in
      withUnsafeMutableBytes(of: &control) { control in
        var part = iovec(iov_base: octets.baseAddress, iov_len: octets.count)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  /// A control message with one file (SCM_RIGHTS), as it lies in memory.
  private struct FileMessage {
    var header = cmsghdr()
    var file: Int32
    var padding: Int32 = 0

    init(file: Int32) {
      self.file = file
      header.cmsg_len = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
      header.cmsg_level = SOL_SOCKET
      header.cmsg_type = 1
    }
  }

  @Test("X5 I12.1 files that are sent to the keeper are not accepted")
  func sentFiles() throws {
    let ends = try Self.pair()
    let keeper = try RawKeeper()
    #expect(send([9, 9, 9, 9], with: ends[1], over: keeper.socket.number) == 4)
    #expect(keeper.receive().count == 8)
    Self.expectEnd(of: ends)
    keeper.end()
  }

  @Test("X5 I12.1 a keeper that has ended answers everything with an error, including earlier requests")
  func lost() async throws {
    let raw = try RawKeeper()
    let keeper = AdapterKeeper(socket: raw.socket)
    let queue = DispatchQueue(label: "loop")
    shutdown(raw.socket.number, Int32(SHUT_RDWR))
    for _ in 0..<3 {
      let error = await withCheckedContinuation { continuation in
        keeper.open(Self.noAdapter, on: queue) { result in
          if case .failure(let error) = result { continuation.resume(returning: error.number) }
        }
      }
      #expect(error == ENOTCONN)
    }
  }

  @Test("X5 I12.1 without the privilege each request is refused as the kernel would")
  func unprivileged() async {
    let keeper = AdapterKeeper(socket: nil)
    let error = await withCheckedContinuation { continuation in
      keeper.setPowered(Self.noAdapter, true, on: DispatchQueue(label: "loop")) { result in
        if case .failure(let error) = result { continuation.resume(returning: error.number) }
      }
    }
    #expect(error == EPERM)
  }

  @Test("X5 I12.1 answers come in the order of the requests, on the requesting queue")
  func order() async throws {
    let raw = try RawKeeper()
    let keeper = AdapterKeeper(socket: raw.socket)
    let queue = DispatchQueue(label: "loop")
    let count = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
      let heard = LoopBound(Count())
      for number in 0..<100 {
        keeper.open(Self.noAdapter, on: queue) { result in
          dispatchPrecondition(condition: .onQueue(queue))
          if case .failure = result, heard.value.number == number { heard.value.number += 1 }
          if number == 99 { continuation.resume(returning: heard.value.number) }
        }
      }
    }
    #expect(count == 100)
  }

  private final class Count { var number = 0 }

  /// CAP_WAKE_ALARM, which nothing here needs: to set a timer that wakes the machine up.
  private static let harmless = UInt64(1) << 35

  @Test(
    "X5 I12.1 a capability is dropped in every thread, also in those that block all signals and in later ones",
    .enabled(if: kernel_capabilities_permitted() & harmless != 0, "this process has no capability to give up"))
  func everyThread() {
    let (started, release, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    for number in 0..<16 {
      ended.enter()
      Thread {
        if number % 2 == 0 {
          var all = sigset_t()
          sigfillset(&all)
          pthread_sigmask(SIG_BLOCK, &all, nil)
        }
        started.signal()
        release.wait()
        ended.leave()
      }.start()
    }
    // Dispatch's own threads block all signals but those of faults.
    for _ in 0..<4 {
      DispatchQueue.global().async(group: ended) {
        started.signal()
        release.wait()
      }
    }
    for _ in 0..<17 { started.wait() }
    #expect(Self.threads(with: Self.harmless) > 16)
    #expect(kernel_capabilities_give_up(Self.harmless) == 0)
    #expect(Self.threads(with: Self.harmless) == 0)
    #expect(kernel_capabilities_permitted() & Self.harmless == 0)
    let later = DispatchSemaphore(value: 0)
    Thread {
      #expect(kernel_capabilities_permitted() & Self.harmless == 0)
      later.signal()
    }.start()
    later.wait()
    for _ in 0..<20 { release.signal() }
    ended.wait()
  }

  /// How many threads of this process have a capability in one of their sets.
  private static func threads(with capability: UInt64) -> Int {
    SystemFiles.names(in: "/proc/self/task").filter { thread in
      let lines = SystemFiles.lines(of: "/proc/self/task/\(thread)/status")
      return lines.contains { line in
        let parts = line.split(separator: "\t")
        let sets: Set<Substring> = ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"]
        guard parts.count == 2, sets.contains(parts[0]) else { return false }
        return (UInt64(parts[1], radix: 16) ?? .max) & capability != 0
      }
    }.count
  }
}
