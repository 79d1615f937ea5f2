import BLETestKit
import CoreBluetooth

/// Many devices in one world.
enum Crowd {
  /// Advertisements that a scanning program hears from 100 devices, duplicates allowed.
  static func advertisingIngest(_ effort: Effort) async throws -> Measurement {
    let world = World(seed: 1, keepsPackets: false)
    let queue = DispatchQueue(label: "programs")
    let devices = advertisers(100, in: world, queue: queue)
    let central = CentralProgram(queue: queue, options: world.makeDevice("scanner").options)
    central.connectsToAll = false
    try await world.wait(within: .seconds(30)) { devices.allSatisfy(\.isAdvertising) }
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await world.advance(by: .seconds(2))
    var rates: [Double] = []
    let span = Duration.seconds(effort.isBrief ? 2 : 10)
    for _ in 0..<effort.rounds {
      let (heard, start) = (central.discoveries, ProcessUsage.cpuSeconds)
      await world.advance(by: span)
      rates.append(Double(central.discoveries - heard) / (ProcessUsage.cpuSeconds - start))
    }
    let heard = central.discoveries
    let allocations = await ProcessUsage.allocations { await world.advance(by: span) }
    // An object without references is gone, and with it its advertising.
    return withExtendedLifetime(devices) {
      Measurement(
        value: rates.median, unit: .rate, allocations: allocations / Double(central.discoveries - heard))
    }
  }

  /// Resident memory of one more device: its controller, host and program, with one service, advertising.
  static func deviceMemory(_ effort: Effort) async throws -> Measurement {
    let world = World(seed: 1, keepsPackets: false)
    let queue = DispatchQueue(label: "programs")
    let first = advertisers(10, in: world, queue: queue)
    try await world.wait(within: .seconds(30)) { first.allSatisfy(\.isAdvertising) }
    let count = effort.isBrief ? 100 : 400
    let before = ProcessUsage.residentKibibytes
    let more = advertisers(count, in: world, queue: queue)
    try await world.wait(within: .seconds(30)) { more.allSatisfy(\.isAdvertising) }
    let after = ProcessUsage.residentKibibytes
    return withExtendedLifetime((first, more)) {
      Measurement(value: (after - before) / Double(count), unit: .kibibytes)
    }
  }

  /// An hour of 100 connections, each notifying once a second.
  static func simulatedHour(_ effort: Effort) async throws -> Measurement {
    let world = World(seed: 1, keepsPackets: false)
    let queue = DispatchQueue(label: "programs")
    var characteristics: [CBMutableCharacteristic] = []
    let devices = advertisers(100, in: world, queue: queue) { characteristics.append($0) }
    let central = CentralProgram(queue: queue, options: world.makeDevice("central").options)
    try await world.wait(within: .seconds(30)) { devices.allSatisfy(\.isAdvertising) }
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(300)) { central.connected == devices.count }
    central.manager.stopScan()
    for peripheral in central.found { central.discoverEverything(of: peripheral) }
    try await world.wait(within: .seconds(300)) { central.discoveriesLeft == 0 }
    for peripheral in central.found {
      for characteristic in peripheral.services?.first?.characteristics ?? [] {
        peripheral.setNotifyValue(true, for: characteristic)
      }
    }
    try await world.wait(within: .seconds(300)) { central.notifying == devices.count }

    let seconds = effort.isBrief ? 60 : 3600
    let before = central.received
    let (cpu, wall) = (ProcessUsage.cpuSeconds, ProcessUsage.wallSeconds)
    for second in 0..<seconds {
      let value = Data("send data : \(second)".utf8)
      for (device, characteristic) in zip(devices, characteristics) {
        device.notify(value, of: characteristic, times: 1)
      }
      await world.advance(by: .seconds(1))
    }
    let scale = 3600 / Double(seconds)
    let measurement = Measurement(
      value: (ProcessUsage.cpuSeconds - cpu) * scale, unit: .seconds,
      wallSeconds: (ProcessUsage.wallSeconds - wall) * scale)
    await world.advance(by: .seconds(1))
    guard central.received - before == seconds * devices.count else {
      throw Failure(description: "\(central.received - before) of \(seconds * devices.count) notifications arrived")
    }
    return measurement
  }

  private static func advertisers(
    _ count: Int, in world: World, queue: DispatchQueue, _ made: (CBMutableCharacteristic) -> Void = { _ in }
  ) -> [PeripheralProgram] {
    (0..<count).map { index in
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: .notify, value: nil, permissions: .readable)
      made(characteristic)
      let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
      service.characteristics = [characteristic]
      return PeripheralProgram(
        "device \(index)", queue: queue, options: world.makeDevice("device \(index)").options, services: [service])
    }
  }
}
