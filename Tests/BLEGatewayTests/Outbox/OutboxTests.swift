import BLESession
import BLESessionStore
import Foundation
import Testing

@testable import BLEGateway

@Suite("Outbox", .timeLimit(.minutes(10)))
struct OutboxTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("attic.outbox") }

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ change: (inout OutboxLimits) -> Void = { _ in }, report: @escaping @Sendable (Outbox.Report) -> Void = { _ in }
  )
    throws -> Outbox
  {
    var limits = OutboxLimits()
    change(&limits)
    return try Outbox(
      path, gateway: "attic", limits: limits,
      lossDraft: {
        OutboxDraft(.loss, topic: "event", payload: "{\"advertisements\":\($0.advertisements),\"values\":\($0.values)}")
      }, report: report)
  }

  private func draft(_ kind: OutboxKind, _ number: Int) -> OutboxDraft {
    OutboxDraft(kind, topic: "t/\(kind.rawValue)", payload: "{\"number\":\(number)}")
  }

  private func messages(_ outbox: Outbox, after sequence: Int64 = 0) async -> [OutboxMessage] {
    await withCheckedContinuation { continuation in
      outbox.messages(after: sequence, limit: 10_000) { continuation.resume(returning: $0) }
    }
  }

  private func texts(_ outbox: Outbox) async -> [String] {
    await messages(outbox).map { message in
      let text = String(decoding: message.publication.payload, as: UTF8.self)
      return String(text[(text.firstIndex(of: ",") ?? text.startIndex)...].dropFirst().dropLast())
    }
  }

  @Test("I17.2 numbers rise and are never used twice, also when everything was delivered and the file was opened again")
  func numbersRise() async throws {
    var outbox = try open()
    try outbox.commit((1...3).map { draft(.value, $0) })
    let first = await messages(outbox)
    #expect(first.map(\.sequence) == [1, 2, 3])
    let key = try #require(first.first?.publication.key)
    #expect(first[0].publication.payload == Data("{\"key\":\"\(key)\",\"number\":1}".utf8))
    outbox.deliver([1, 2, 3])
    await outbox.close()
    outbox = try open()
    #expect(outbox.contents.rows == 0 && outbox.contents.octets == 0)
    try outbox.commit([draft(.value, 4)])
    let next = try #require(await messages(outbox).first)
    #expect(next.sequence == 4 && next.publication.key == key.dropLast() + "4")
    await outbox.close()
    try FileManager.default.removeItem(atPath: path)
    outbox = try open()
    try outbox.commit([draft(.value, 1)])
    #expect(await messages(outbox).first?.publication.key != key, "an outbox that was made again has other keys")
    await outbox.close()
  }

  @Test(
    "I17.2 in a full outbox advertisements give way first, then the oldest values, and one message counts what was dropped"
  )
  func oldestGiveWay() async throws {
    let outbox = try open { $0.rows = 6 }
    try outbox.commit([draft(.advertisement, 1), draft(.value, 2), draft(.value, 3), draft(.advertisement, 4)])
    try outbox.commit((5...9).map { draft(.value, $0) })
    let left = await texts(outbox).filter { $0.hasPrefix("\"number") }
    #expect(left == [3, 5, 6, 7, 8, 9].map { "\"number\":\($0)" })
    #expect(outbox.contents.losses.advertisements == 2 && outbox.contents.losses.values == 1)
    try outbox.commit([draft(.advertisement, 10)])
    #expect(outbox.contents.losses.advertisements == 3, "an advertisement takes the place of no value")
    let told = await texts(outbox).filter { $0.contains("advertisements") }
    #expect(told == ["\"advertisements\":3,\"values\":1"], "one message with the sums, in the place of the earlier one")
    await outbox.close()
  }

  @Test("I17.2 with refuse_newest the values that are there stay, and the new ones are counted")
  func newestAreRefused() async throws {
    let outbox = try open {
      $0.rows = 3
      $0.policy = .refuseNewest
    }
    try outbox.commit((1...5).map { draft(.value, $0) })
    #expect(await texts(outbox).prefix(3) == ["\"number\":1", "\"number\":2", "\"number\":3"])
    #expect(outbox.contents.losses.values == 2)
    try outbox.commit([draft(.answer, 6)])
    #expect(await texts(outbox).last == "\"number\":6", "an answer always has room")
    await outbox.close()
  }

  @Test("I17.2 the size in octets is a limit too, and nothing is counted twice")
  func octetsAreLimited() async throws {
    let outbox = try open { $0.octets = 1_000 }
    let payload = "{\"text\":\"" + String(repeating: "x", count: 300) + "\"}"
    for _ in 0..<50 { try outbox.commit([OutboxDraft(.value, topic: "t", payload: payload)]) }
    #expect(outbox.contents.octets <= 1_100 && outbox.contents.losses.values + 3 == 50)
    await outbox.close()
    let again = try open()
    #expect(again.contents.losses.values == 47, "what was dropped is still known")
    await again.close()
  }

  @Test("I17.2 a full disk is reported, values wait in memory meanwhile, and are written in order when there is room")
  func fullDisk() async throws {
    let told = Guarded<[String]>([])
    let outbox = try open {
      $0.backlog = 50
    } report: { report in
      switch report {
      case .failed(let error): told.with { $0.append(error.code.rawValue) }
      case .recovered: told.with { $0.append("recovered") }
      default: break
      }
    }
    let payload = "{\"text\":\"" + String(repeating: "x", count: 3_000) + "\"}"
    let pages = try outbox.read { (database) throws(StoreError) in try database.number("PRAGMA page_count") }
    try outbox.read { (database) throws(StoreError) in
      #expect(try database.number("PRAGMA max_page_count = 20") >= pages)
    }
    for _ in 0..<40 { outbox.add(OutboxDraft(.value, topic: "t", payload: payload)) }
    for _ in 0..<20 { outbox.add(draft(.advertisement, 1)) }
    try await untilTrue { told.with { $0 } == ["full"] }
    for number in 1...10 { outbox.add(draft(.value, number)) }
    try outbox.read { (database) throws(StoreError) in _ = try database.number("PRAGMA max_page_count = 100000") }
    try await untilTrue { told.with { $0 } == ["full", "recovered"] }
    let texts = await texts(outbox)
    #expect(texts.suffix(11).filter { $0.contains("number") }.suffix(10) == (1...10).map { "\"number\":\($0)" }[...])
    #expect(outbox.contents.losses.values == 0 && outbox.contents.losses.advertisements > 0)
    await outbox.close()
  }

  @Test("I17.2 a second gateway cannot have the outbox, nor can a file of another kind be one")
  func oneOwner() async throws {
    let outbox = try open()
    #expect(throws: StoreError.self) { try open() }
    await outbox.close()
    try FileManager.default.removeItem(atPath: path)
    try Data("no database".utf8 + [UInt8](repeating: 0x20, count: 200)).write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.self) { try open() }
  }

  /// Waits for something that another queue does.
  private func untilTrue(_ condition: @escaping @Sendable () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
      try #require(ContinuousClock.now < deadline)
      await Task.yield()
    }
  }
}
