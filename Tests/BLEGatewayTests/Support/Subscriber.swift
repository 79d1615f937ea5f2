import BLESession
import Foundation

@testable import BLEGateway

/// A client that keeps what arrives on some topics, in order.
final class Subscriber: Sendable {
  private let arrived: Arrivals
  private let link: BrokerLink

  init(_ port: UInt16, _ filters: String..., identifier: String = "subscriber-\(UUID().uuidString.prefix(8))") {
    let arrived = Arrivals()
    self.arrived = arrived
    var settings = BrokerSettings(host: "127.0.0.1", port: port)
    settings.largestMessage = 16 << 20
    link = BrokerLink(
      settings, identifier: identifier, backOff: .init(first: .milliseconds(20), longest: .milliseconds(100))
    ) { event, publisher in
      switch event {
      case .connected:
        publisher.subscribe(filters)
        arrived.connected()
      case .received(let messages): arrived.add(messages)
      default: break
      }
    }
    link.start()
  }

  var messages: [BrokerMessage] { arrived.messages }

  /// Publishes with QoS 1.
  func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
    link.perform { $0.publish(BrokerPublication(topic: topic, payload: Data(text.utf8), isRetained: isRetained)) }
  }

  /// Waits until the broker has accepted it.
  func connected() async -> Bool { await arrived.wait(20) { _, isConnected in isConnected ? true : nil } ?? false }

  /// The first result of `find` over all messages that is not `nil`; `nil` after `seconds`.
  func wait<Value: Sendable>(_ seconds: Double = 20, _ find: @escaping @Sendable ([BrokerMessage]) -> Value?) async
    -> Value?
  {
    await arrived.wait(seconds) { messages, _ in find(messages) }
  }

  /// Waits until so many messages have arrived on topics that contain `part`.
  func wait(for count: Int, on part: String, _ seconds: Double = 20) async -> [BrokerMessage] {
    let found: [BrokerMessage]? = await wait(seconds) { messages in
      let found = messages.filter { $0.topic.contains(part) }
      return found.count >= count ? found : nil
    }
    return found ?? []
  }

  func stop() async { await link.stop() }

  /// `@unchecked Sendable`: touched under its condition only.
  private final class Arrivals: @unchecked Sendable {
    private let condition = NSCondition()
    private var all: [BrokerMessage] = []
    private var isConnected = false

    var messages: [BrokerMessage] { condition.withLock { all } }

    func add(_ messages: [BrokerMessage]) {
      condition.withLock {
        all += messages
        condition.broadcast()
      }
    }

    func connected() {
      condition.withLock {
        isConnected = true
        condition.broadcast()
      }
    }

    /// On a thread of its own: tasks have few.
    func wait<Value: Sendable>(
      _ seconds: Double, _ find: @escaping @Sendable ([BrokerMessage], Bool) -> Value?
    ) async -> Value? {
      let deadline = Date().addingTimeInterval(seconds)
      return await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: self.wait(until: deadline, find)) }
      }
    }

    private func wait<Value>(until deadline: Date, _ find: ([BrokerMessage], Bool) -> Value?) -> Value? {
      condition.withLock {
        while true {
          if let value = find(all, isConnected) { return value }
          if !condition.wait(until: deadline) { return find(all, isConnected) }
        }
      }
    }
  }
}

extension BrokerMessage {
  /// The payload, if it is an object.
  var object: [String: Any] {
    (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any] ?? [:]
  }
  var text: String { String(decoding: payload, as: UTF8.self) }
}
