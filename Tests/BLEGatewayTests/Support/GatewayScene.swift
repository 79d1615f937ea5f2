import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

extension WorldClock: SessionClock {}
extension WorldTimer: SessionTimer {}

/// A world with one gateway, and a folder for its outbox.
final class GatewayScene {
  let world = World()
  let broker: TestBroker
  let folder: URL
  private(set) var gateway: Gateway?
  /// The time of day at the world's beginning.
  static let beginning = Date(timeIntervalSince1970: 1_800_000_000)

  init(_ broker: TestBroker) throws {
    self.broker = broker
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A configuration with these members besides the usual ones.
  func configuration(_ members: String, name: String = "attic") throws -> GatewayConfiguration {
    let text = """
      {"format": "ble-gateway/1", "gateway": "\(name)", "broker": {"host": "127.0.0.1", "port": \(broker.port)}, \(members)}
      """
    return try GatewayConfigurationReader.read(octets: text.utf8, folder: folder.path)
  }

  func start(
    _ configuration: GatewayConfiguration, on device: Device,
    report: @escaping @Sendable (GatewayReport) -> Void = { _ in }
  ) async throws -> Gateway {
    let world = world
    let central = Central(options: device.options, clock: world.clock)
    await world.settle()
    var surroundings = GatewaySurroundings(version: "test")
    surroundings.now = { Self.beginning.addingTimeInterval(world.now.seconds) }
    surroundings.backOff = .init(first: .milliseconds(20), longest: .milliseconds(200), jitter: 0.5)
    let gateway = try Gateway(configuration, central: central, surroundings, report: report)
    // Not within the world's time, which does not wait for the disk.
    try await gateway.start()
    self.gateway = gateway
    // It says so behind its subscriptions.
    let status = Subscriber(broker.port, configuration.topics.status)
    let isOnline = await status.wait { $0.last?.text == "online" ? true : nil }
    try #require(isOnline == true)
    await status.stop()
    return gateway
  }

  /// Runs the world until the condition holds, for at most 20 s of real time: what the broker does takes real time.
  func until(
    _ condition: () throws -> Bool, saying: () -> String = { "" }, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !(try condition()) {
      try #require(ContinuousClock.now < deadline, "not within 20 s \(saying())", sourceLocation: sourceLocation)
      await world.advance(by: .milliseconds(20))
    }
  }

  func stop() async throws {
    guard let gateway else { return }
    let isStopped = Guarded(false)
    Task {
      await gateway.stop()
      isStopped.with { $0 = true }
    }
    try await until { isStopped.with { $0 } }
    self.gateway = nil
  }
}
