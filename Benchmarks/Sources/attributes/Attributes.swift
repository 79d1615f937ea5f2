import BLEHost
import CInstructions
import Glibc

/// The attribute benchmarks' work done by this package: its ATT and GATT, client and server in one process, over a pair of sockets. What
/// `peer/bluez/bluez_attributes.c` does by BlueZ, with the same names, numbers and lines.
///
/// `attributes NAME`: each line of standard input is a round, for which a line of JSON goes out, with `value` (operations in a second of
/// processor time) and `requests`. `attributes --count NAME`: does the work once with few and once with many operations, for callgrind.
@main
enum Attributes {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    guard let work = AttributeWork.all.first(where: { $0.name == words.last }), words.count <= 2 else {
      throw Failure(description: "usage: attributes [--count] NAME")
    }
    let doing = try AttributeRun(work)
    guard words.count == 2 else {
      while readLine() != nil {
        let start = processorTime()
        let requests = try doing.go(work.operations)
        print("{\"value\": \(Double(work.operations) / (processorTime() - start)), \"requests\": \(requests)}")
        fflush(nil)
      }
      return
    }
    // What is made once is made in the first.
    _ = try doing.go(work.counted)
    for (label, operations) in [("few", work.counted / 4), ("many", work.counted)] {
      instructions_start()
      _ = try doing.go(operations)
      instructions_dump(label)
      instructions_stop()
    }
    print("{\"few\": \(work.counted / 4), \"many\": \(work.counted)}")
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// What is done, by its name.
struct AttributeWork {
  enum Kind { case notify, write, read, discover }

  let name: String
  let kind: Kind
  /// Of a round, and of the greater go under callgrind.
  let operations: Int
  let counted: Int
  let octets: Int
  var services: UInt32 = 1
  var characteristics: UInt32 = 1

  /// As many values are under way at a time, on both sides of the comparison.
  static let window = 32

  static let all = [
    AttributeWork(name: "att_notify_512", kind: .notify, operations: 20_000, counted: 2_000, octets: 512),
    AttributeWork(
      name: "att_write_without_response_510", kind: .write, operations: 20_000, counted: 2_000, octets: 510),
    AttributeWork(name: "att_notify_20", kind: .notify, operations: 20_000, counted: 2_000, octets: 20),
    AttributeWork(name: "att_read_20", kind: .read, operations: 10_000, counted: 800, octets: 20),
    AttributeWork(
      name: "att_discover_10x5", kind: .discover, operations: 20, counted: 24, octets: 0, services: 10,
      characteristics: 5),
  ]
}

/// Does it, again and again.
struct AttributeRun {
  private let work: AttributeWork
  private let loop = SocketLoop()
  private let pair: AttributePair

  init(_ work: AttributeWork) throws {
    self.work = work
    pair = try AttributePair(work, on: loop)
    _ = try pair.result { pair.client.exchangeMTU($0) }
    if work.kind == .notify { try pair.subscribe() }
  }

  /// - Returns: the requests of one operation, where they are counted.
  func go(_ operations: Int) throws -> Int {
    switch work.kind {
    case .notify: try values(operations) { pair.link.update(pair.handle, pair.value[...]) }
    case .write: try values(operations) { pair.client.writeCommand(pair.value[...], to: pair.handle) }
    case .read:
      for _ in 0..<operations {
        let value = try pair.result { pair.client.read(pair.handle, $0) }
        guard value.count == work.octets else { throw Failure(description: "a read was cut") }
      }
    case .discover:
      var requests = 0
      for _ in 0..<operations {
        let fresh = try AttributePair(work, on: loop)
        _ = try fresh.result { fresh.client.exchangeMTU($0) }
        guard try fresh.discoverAll() == 50 else { throw Failure(description: "descriptors are missing") }
        requests += fresh.requests
        fresh.end()
      }
      return requests / operations
    }
    return 0
  }

  private func values(_ operations: Int, _ send: () -> Void) throws {
    let goal = pair.arrived + operations
    while pair.arrived < goal {
      let end = min(goal, pair.arrived + AttributeWork.window)
      for _ in pair.arrived..<end { send() }
      try loop.run { pair.arrived >= end }
    }
  }
}
