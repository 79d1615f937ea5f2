import BLEReports
import BLESession
import Foundation

/// The channels of an open device, or those that devices have opened to this explorer, and some that have ended.
@MainActor final class DeviceChannels {
  /// The most that are open at the same time.
  nonisolated static let mostOpen = 8
  /// The most that are kept, with those that have ended.
  private static let most = 16

  /// `nil` for those of what the explorer publishes.
  private let identifier: UUID?
  private let clock: any SessionClock
  private let hub: EventHub
  private var all: [DeviceChannel] = []
  private var next = 1

  nonisolated init(of identifier: UUID?, clock: any SessionClock, hub: EventHub) {
    self.identifier = identifier
    self.clock = clock
    self.hub = hub
  }

  /// Runs on the main queue. A simulated clock waits for it, which it would not do for a task's way to the main actor.
  nonisolated func perform<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable (DeviceChannels) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      clock.run(on: .main) { continuation.resume(returning: MainActor.assumeIsolated { body(self) }) }
    }
  }

  nonisolated func end(_ why: String) async {
    await perform { channels in channels.endAll(why) }
  }

  func endAll(_ why: String) { for channel in all { channel.end(why) } }

  var hasRoom: Bool { all.count(where: \.isOpen) < Self.mostOpen }

  func add(_ opened: OpenedChannel) -> JSONValue {
    let (owner, hub) = (JSONValue.string(orNull: identifier?.uuidString), hub)
    let channel = DeviceChannel(opened, number: next, clock: clock) { event, about in
      hub.publish(event, about.preceded(by: ["identifier": owner]))
    }
    next += 1
    all.append(channel)
    // Those that have ended give way, the oldest first.
    if all.count > Self.most, let index = all.firstIndex(where: { !$0.isOpen }) { all.remove(at: index) }
    hub.publish("channel", channel.json.preceded(by: ["identifier": owner]))
    return channel.json
  }

  func channel(_ number: UInt64) -> DeviceChannel? { all.first { $0.number == Int(clamping: number) } }

  var json: JSONValue { ["channels": .array(all.map(\.json))] }
}
