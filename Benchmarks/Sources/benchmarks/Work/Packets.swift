import BLETestKit
import CoreBluetooth

/// Values and commands between two programs, as fast as flow control lets them.
struct Packets: Work {
  enum Kind { case notification, writeWithoutResponse, read }

  private let kind: Kind
  private let value: Data
  private let pair: Pair
  /// They do nothing but advertise.
  private let bystanders: Crowd?

  init(_ kind: Kind, octets: Int, beside bystanders: Int = 0) async throws {
    self.kind = kind
    value = Data(count: octets)
    pair = try await Pair(readValue: value)
    self.bystanders = bystanders > 0 ? try await Crowd(bystanders, in: pair.world) : nil
  }

  func run(_ operations: Int) async throws -> Done {
    let (central, peripheral) = (pair.central, pair.peripheral)
    let arrived: @Sendable () -> Int
    switch kind {
    case .notification, .read: arrived = { central.received }
    case .writeWithoutResponse: arrived = { peripheral.written }
    }
    let goal = arrived() + operations
    switch kind {
    case .notification: peripheral.notify(value, of: pair.local, times: operations)
    case .writeWithoutResponse: central.write(value, to: pair.remote, of: pair.found, times: operations)
    case .read: central.read(pair.remote, of: pair.found, times: operations)
    }
    try await pair.world.wait(within: Pair.limit) { arrived() >= goal }
    return Done(operations: operations)
  }
}
