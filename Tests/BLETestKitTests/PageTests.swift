import BLECore
import BLETestKit
import CoreBluetooth
import Foundation
import Testing

/// The page of a failing test.
@Suite("The page of a failing test")
struct PageTests {
  private struct Failure: Error {}

  /// The page that `body`, a test that fails, leaves, and the names of all files beside it.
  private func page(_ body: @Sendable () async throws -> Void) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID())").path
    defer { if environment("BLE_KEEP_PAGES") == nil { try? FileManager.default.removeItem(atPath: folder) } }
    let test = try #require(Test.current)
    try await WorldCapture.$folder.withValue(folder) {
      do {
        try await CaptureKeepingTrait().provideScope(for: test, testCase: Test.Case.current, performing: body)
      } catch is Failure {}
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }
    let name = try #require(names.first)
    #expect(names.count == 1)
    return try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  private func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// The objects of the page's elements of a class, or with an identifier.
  private func data(_ page: String, _ mark: String) throws -> [[String: Any]] {
    try page.components(separatedBy: "<script type=\"application/json\" \(mark)>").dropFirst().map { rest in
      let text = rest.components(separatedBy: "</script>")[0]
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
  }

  /// A test of the guide that fails: the lamp moves away while it is being switched.
  private func lampMovesAway() async throws -> String {
    try await page {
      let world = World(seed: 81)
      let (lampDevice, phone) = (world.makeDevice("lamp"), world.makeDevice("phone"))
      let lamp = StoryLamp(options: lampDevice.options)
      let remote = RemoteControl(options: phone.options)
      try await world.wait(within: .seconds(10)) { remote.isConnected }
      remote.setBrightness(1)
      try await world.wait(within: .seconds(5)) { remote.acknowledged == 1 }
      lampDevice.moveAway()
      remote.setBrightness(2)
      await world.advance(by: .seconds(40))
      withExtendedLifetime(lamp) {}
      throw Failure()
    }
  }

  @Test("I14.6 the page shows the devices, their programs' calls joined to packets, what the test did, and the failure")
  func contents() async throws {
    let page = try await lampMovesAway()
    let about = try #require(try data(page, "id=\"about\"").first)
    #expect(about["devices"] as? [String] == ["lamp", "phone"])
    let notes = try #require(about["notes"] as? [String])
    #expect(notes.contains { $0.contains("BLE_SEED=81") } && notes.contains { $0.contains("Failure") }, "\(notes)")
    let events = try Events(rows: try data(page, "class=\"rows\""), texts: try data(page, "class=\"texts\""))
    // A write: the call, its request, the same at the lamp, the lamp's callback, its answer, and the callback on the phone.
    let callback = try #require(events.firstIndex { $0.text.hasPrefix("peripheral(_:didWriteValueFor:error:)") })
    let chain = events.chain(to: callback)
    let words = [
      "writeValue(_:for:type:)", "ATT_WRITE_REQ", "ATT_WRITE_REQ", "peripheralManager(_:didReceiveWrite:)",
      "respond(to:withResult:)", "ATT_WRITE_RSP", "ATT_WRITE_RSP", "didWriteValueFor",
    ]
    for word in words { #expect(chain.contains { $0.contains(word) }, "\(word) in \(chain)") }
    #expect(events.texts.contains("lamp: it moves out of range"))
    #expect(events.texts.last?.contains("Failure") == true)
    // Each callback that a packet causes is joined to one.
    for name in ["didDiscover:", "didConnect:", "didDiscoverServices:", "didDisconnectPeripheral:"] {
      let index = try #require(events.firstIndex { $0.text.contains(name) }, "\(name)")
      #expect(events.causes[index] != nil, "\(name) is not joined")
    }
  }

  @Test("I14.6 a fault that strikes is marked at its time, on its device")
  func fault() async throws {
    let page = try await page {
      let world = World(seed: 82)
      let (lampDevice, phone) = (world.makeDevice("lamp"), world.makeDevice("phone"))
      let lamp = StoryLamp(options: lampDevice.options)
      let remote = RemoteControl(options: phone.options)
      try await world.wait(within: .seconds(10)) { remote.isConnected }
      lampDevice.setFaults([.at(.write(.any), .nth(1), .error(.unlikelyError))])
      remote.setBrightness(1)
      await world.advance(by: .seconds(2))
      #expect(world.faultsStruck.count == 1)
      withExtendedLifetime(lamp) {}
      throw Failure()
    }
    let events = try Events(rows: try data(page, "class=\"rows\""), texts: try data(page, "class=\"texts\""))
    let fault = try #require(events.firstIndex { $0.text.hasPrefix("lamp: ") && $0.text.contains("write") })
    let error = try #require(events.firstIndex { $0.text.contains("ATT_ERROR_RSP") && $0.text.contains("0x0E") })
    // The strike is told at the instant of the answer, once that has been sent.
    #expect(abs(fault - error) == 1)
  }

  @Test("I14.6 the same world gives the same page, octet for octet")
  func sameSeed() async throws {
    let (first, second) = (try await lampMovesAway(), try await lampMovesAway())
    #expect(first == second)
  }

  /// The events of a page.
  private struct Events {
    var texts: [String] = []
    var causes: [Int: [Int]] = [:]

    init(rows: [[String: Any]], texts parts: [[String: Any]]) throws {
      for (row, part) in zip(rows, parts) {
        let base = texts.count
        let strings = try #require(part["s"] as? [String])
        texts += try #require(part["x"] as? [Int]).map { strings[$0] }
        let joins = try #require(row["j"] as? [Int])
        for index in stride(from: 0, to: joins.count, by: 2) {
          causes[base + joins[index], default: []].append(base + joins[index] - joins[index + 1])
        }
      }
    }

    func firstIndex(where isMeant: ((text: String, index: Int)) -> Bool) -> Int? {
      texts.indices.first { isMeant((texts[$0], $0)) }
    }

    /// The texts of everything that led to an event, itself among them.
    func chain(to event: Int) -> [String] {
      var (found, open) = (Set([event]), [event])
      while let next = open.popLast() {
        for cause in causes[next] ?? [] where found.insert(cause).inserted { open.append(cause) }
      }
      return found.sorted().map { texts[$0] }
    }
  }
}
