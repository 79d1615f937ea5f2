import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

extension WorldClock: SessionClock {}
extension WorldTimer: SessionTimer {}

/// An explorer on a phone of a world, and a device with a few values. The interface is called without a socket.
final class ExplorerScene: Sendable {
  let world: World
  let phone: Device
  let other: Device
  let peripheral: PeripheralApp
  let explorer: Explorer

  /// - Parameter services: of the device, in place of the usual ones.
  init(
    isReadOnly: Bool = false, services: [CBMutableService]? = nil, advertises uuids: [CBUUID]? = nil,
    _ change: (inout ExplorerSurroundings) -> Void = { _ in }
  ) async {
    world = World()
    phone = world.makeDevice("phone")
    other = world.makeDevice("other")
    let named = CBMutableCharacteristic("FFF2", [.read, .write, .writeWithoutResponse], [.readable, .writeable])
    named.descriptors = [.userDescription("name")]
    let level = CBMutableCharacteristic("2A19", [.read, .notify])
    let secret = CBMutableCharacteristic("FF31", [.read], [.readEncryptionRequired])
    peripheral = PeripheralApp(
      "Owenli", on: other,
      services: services ?? [CBMutableService("FFF0", [named, secret]), CBMutableService("180F", [level])],
      advertises: uuids)
    peripheral.values = [named.uuid: Data("owenli".utf8), level.uuid: Data([87]), secret.uuid: Data("secret".utf8)]
    let central = Central(options: phone.options, clock: world.clock)
    var surroundings = ExplorerSurroundings(adapter: "a world", version: "0")
    let options = LoopOptions(phone)
    surroundings.peripheralOptions = { options.value }
    change(&surroundings)
    explorer = Explorer(central: central, surroundings: surroundings, isReadOnly: isReadOnly)
    phone.setPairingAgent(explorer.dialogue)
    await world.settle()
  }

  private struct LoopOptions: @unchecked Sendable {
    let phone: Device
    init(_ phone: Device) { self.phone = phone }
    var value: [String: Any] { phone.options }
  }

  struct Answer: Sendable {
    let status: Int
    let text: String

    /// A value of the document: `answer["devices", 0, "name"]`.
    subscript(path: any Sendable...) -> Any? {
      path.reduce((try? JSONSerialization.jsonObject(with: Data(text.utf8))) as Any?) { value, step in
        if let key = step as? String { return (value as? [String: Any])?[key] }
        guard let list = value as? [Any], let index = step as? Int, list.indices.contains(index) else { return nil }
        return list[index]
      }
    }
  }

  /// Sends a request and runs the world until it is answered.
  func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
    try await end(begin(method, path, body))
  }

  /// Sends a request that is answered while the world runs for others.
  func begin(_ method: String, _ path: String, _ body: String? = nil) -> WorldTask<Answer> {
    world.start { [explorer] in try await Self.ask(explorer, method, path, body) }
  }

  /// Runs the world until a request is answered.
  ///
  /// Where one of Swift's threads has an actor just now, a request waits for it without the world's knowledge, which passes minutes within a second.
  /// Between two steps of the world these threads get a turn: on a busy machine, too, a request has as many of them as it has steps.
  func end(_ task: WorldTask<Answer>) async throws -> Answer {
    for _ in 0..<2_400 where !task.isOver {
      do {
        try await world.wait(within: .milliseconds(50)) { task.isOver }
      } catch is WaitError {
        await Task.yield()
      }
    }
    if !task.isOver { task.cancel() }
    try #require(task.isOver, "not answered within 2,400 steps of the world")
    return try await task.value
  }

  private static func ask(_ explorer: Explorer, _ method: String, _ path: String, _ body: String?) async throws
    -> Answer
  {
    let request = WebRequest(
      method: method, path: "/api/v1/\(path)", query: [:], headers: [:], isAmbiguous: false,
      body: Array((body ?? "").utf8))
    let response = try #require(await API.answer(request, explorer))
    guard case .octets(let octets) = response.content else { return Answer(status: response.status, text: "") }
    return Answer(status: response.status, text: String(decoding: octets, as: UTF8.self))
  }

  /// Asks again and again while time passes, until the answer is as it should be: what a session tells the explorer it tells by way of
  /// threads that the world does not know.
  @discardableResult
  func eventually(
    _ path: String, sourceLocation: SourceLocation = #_sourceLocation, _ holds: (Answer) -> Bool
  ) async throws -> Answer {
    var last = try await ask("GET", path)
    for _ in 0..<2_000 where !holds(last) {
      await world.advance(by: .milliseconds(50))
      await Task.yield()
      last = try await ask("GET", path)
    }
    #expect(holds(last), "\(last.text)", sourceLocation: sourceLocation)
    return last
  }

  /// Scans until the device is in the table.
  func find() async throws -> String {
    _ = try await ask("PUT", "scan", #"{"on":true}"#)
    let table = try await eventually("devices") { ($0["devices"] as? [Any])?.isEmpty == false }
    return try #require(table["devices", 0, "identifier"] as? String)
  }

  /// The same, connected.
  func connect() async throws -> String {
    let identifier = try await find()
    _ = try await ask("POST", "devices/\(identifier)/connect", "{}")
    try await eventually("devices/\(identifier)") {
      $0["state"] as? String == "ready" && ($0["services"] as? [Any])?.isEmpty == false
    }
    return identifier
  }
}
