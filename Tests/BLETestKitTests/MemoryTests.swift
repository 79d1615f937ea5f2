import BLETestKit
import CoreBluetooth
import Foundation
import Measurements
import TestSupport
import Testing

/// Ten thousand repetitions leave nothing behind. Each test measures in a process of its own, where no other test allocates.
@Suite(.enabled(if: Allocations.areKnown, "a sanitizer has an allocator of its own")) struct MemoryTests {
  @Test("10,000 times connect, discover, read, disconnect leave nothing behind")
  func tenThousandTimesConnectDiscover() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let world = World(seed: 1, keepsPackets: false)
      let device = PeripheralApp.lamp(on: world.makeDevice("lamp"))
      let cycles = ConnectionCycles(on: world.makeDevice("phone"))
      try await Footprint.compare("connections") { goal in
        cycles.goal = goal
        try await world.wait(within: .seconds(1_000_000)) { cycles.isResting && cycles.count >= goal }
      }
      #expect(cycles.reads == cycles.count)
      withExtendedLifetime(device) {}
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }

  @Test("A leak in each repetition is found, and blocks that Dispatch keeps are not taken for one")
  func aLeakInEachRepetitionIsFound() async throws {
    await #expect(processExitsWith: .success) {
      var kept: [UnsafeMutableRawPointer?] = []
      kept.reserveCapacity(5_000)
      // Each thread that runs blocks of another one keeps them.
      func useDispatch() {
        for _ in 0..<8 {
          let group = DispatchGroup()
          for _ in 0..<64 {
            let queue = DispatchQueue(label: "one of many")
            for _ in 0..<100 { queue.async(group: group) {} }
          }
          group.wait()
        }
      }
      let growth = await Allocations.leftBehind(byEachOf: 5_000) { goal in
        while kept.count < goal { kept.append(malloc(64)) }
        useDispatch()
      }
      #expect((60...100).contains(growth.octets), "\(growth)")
      let none = await Allocations.leftBehind(byEachOf: 5_000) { goal in
        for _ in 0..<goal { free(malloc(64)) }
        useDispatch()
      }
      #expect(abs(none.octets) < 10, "\(none)")
    }
  }

  @Test("10,000 managers of both kinds, created, used and released, leave nothing behind")
  func tenThousandManagersOfBothKinds() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let world = World(seed: 1, keepsPackets: false)
      let (phone, lamp) = (world.makeDevice("phone"), world.makeDevice("lamp"))
      var count = 0
      var sightings = 0
      try await Footprint.compare("managers") { goal in
        while count < goal {
          let device = PeripheralApp.lamp(on: lamp)
          let scanner = CentralApp(phone.options)
          scanner.scanWhenPoweredOn()
          try await world.wait(within: .seconds(60)) { !scanner.sightings.isEmpty }
          sightings += scanner.sightings.count
          count += 1
          withExtendedLifetime(device) {}
        }
        await world.settle()
      }
      #expect(sightings >= count)
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }
}

private enum Footprint {
  /// Lets `work` reach its 2,000th and its 12,000th repetition, and compares the memory.
  static func compare(_ name: String, _ work: (Int) async throws -> Void) async throws {
    try await work(2_000)
    let first = Double(Allocations.resident)
    let growth = try await Allocations.leftBehind(byEachOf: 10_000) { try await work(2_000 + $0) }
    let last = Double(Allocations.resident)
    func kibibytes(_ octets: Double) -> String { String(format: "%.0f KiB", octets / 1024) }
    print("memory of \(name): \(growth);", terminator: " ")
    print("resident \(kibibytes(first)) after 2,000, \(kibibytes(last)) after 12,000,", terminator: " ")
    print(String(format: "%+.2f %%", (last / first - 1) * 100))
    #expect(growth.octets < 20, "\(growth)")
    #expect(last <= first * 1.05)
  }
}

extension PeripheralApp {
  /// A lamp: one service with one value to read, advertised.
  fileprivate static func lamp(on device: Device) -> PeripheralApp {
    let service = CBMutableService("FFE0", [CBMutableCharacteristic("FFE1", .read)])
    let app = PeripheralApp("lamp", on: device, services: [service], advertises: [])
    app.value = Data("on".utf8)
    app.keepsRecord = false
    return app
  }
}

/// Connects, discovers, reads, disconnects, and starts over, until it has done so often enough.
///
/// `@unchecked Sendable`: callbacks come on the app's serial queue, and the tests look while the world is not running.
private final class ConnectionCycles: @unchecked Sendable {
  private let app: CentralApp
  private(set) var count = 0
  private(set) var reads = 0
  private(set) var isResting = false
  /// Set while the world is not running.
  var goal = 0 {
    didSet { if isResting, count < goal { connect() } }
  }

  init(on device: Device) {
    app = CentralApp(device.options)
    app.onWalked = { [unowned app] in app.read("FFE1") }
    app.reactions["value"] = { [unowned self] in
      if app.values == [Data("on".utf8)] { reads += 1 }
      app.disconnect()
    }
    app.reactions["disconnected"] = { [unowned self] in
      count += 1
      app.forget()
      if count < goal { connect() } else { isResting = true }
    }
    app.seek("lamp")
  }

  private func connect() {
    isResting = false
    app.connect()
  }
}
