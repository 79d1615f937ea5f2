import BLETestKit
import CoreBluetooth

/// Values and commands between two programs, as fast as flow control lets them.
enum Packets {
  static func notify(octets: Int) -> @Sendable (Effort) async throws -> Measurement {
    { effort in
      let pair = try await Pair()
      let value = Data(count: octets)
      defer { withExtendedLifetime(pair) {} }
      return try await rate(effort, operations: effort.operations(20_000)) { count in
        let goal = pair.central.received + count
        pair.peripheral.notify(value, of: pair.local, times: count)
        try await pair.world.wait(within: Pair.limit) { [central = pair.central] in central.received >= goal }
      }
    }
  }

  static func writeWithoutResponse(octets: Int) -> @Sendable (Effort) async throws -> Measurement {
    { effort in
      let pair = try await Pair()
      let value = Data(count: octets)
      defer { withExtendedLifetime(pair) {} }
      return try await rate(effort, operations: effort.operations(20_000)) { count in
        let goal = pair.peripheral.written + count
        pair.central.write(value, to: pair.remote, of: pair.found, times: count)
        try await pair.world.wait(within: Pair.limit) { [peripheral = pair.peripheral] in peripheral.written >= goal }
      }
    }
  }

  static func read(_ effort: Effort) async throws -> Measurement {
    let pair = try await Pair()
    defer { withExtendedLifetime(pair) {} }
    return try await rate(effort, operations: effort.operations(10_000)) { count in
      let goal = pair.central.received + count
      pair.central.read(pair.remote, of: pair.found, times: count)
      try await pair.world.wait(within: Pair.limit) { [central = pair.central] in central.received >= goal }
    }
  }

  private static func rate(
    _ effort: Effort, operations: Int, _ work: (Int) async throws -> Void
  ) async throws -> Measurement {
    let seconds = try await effort.medianCPUSeconds { try await work(operations) }
    let allocations = try await ProcessUsage.allocations { try await work(operations) }
    return Measurement(
      value: Double(operations) / seconds, unit: .rate, allocations: allocations / Double(operations))
  }
}
