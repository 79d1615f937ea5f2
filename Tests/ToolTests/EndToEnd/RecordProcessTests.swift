import BLESession
import BLESessionStore
import CoreBluetooth
import Foundation
import Testing

@testable import ble

/// `ble record` and `ble history` as processes, on an air of their own.
@Suite("Recording", .serialized, .timeLimit(.minutes(10)))
struct RecordProcessTests {
  private let place = Neighbourhood()

  private var file: String { place.path("seen.sqlite") }
  private func reader() throws -> StoreReader { try StoreReader(file: URL(fileURLWithPath: file)) }

  @discardableResult
  private func counter(_ name: String = "Counter") throws -> ToolProcess {
    let text = """
      {"name": "\(name)", "services": [{"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.02, "values": [{"utf8": "{n}"}]}},
        {"uuid": "FFF2", "properties": ["read"], "value": {"utf8": "constant"}}]}]}
      """
    return try place.serve(try place.file("\(name).json", text), device: name)
  }

  @Test("R0.15 notified values are recorded, and a device that dies and comes back is recorded further")
  func notifiedValuesAreRecorded() throws {
    let first = try counter()
    let record = try place.ble("record", "Counter", file, "--read", "FFF2", "--subscribe", "FFF1", "--json")
    try record.event("connected") { $0["origin"] as? String == "user" }
    try record.event("committed") { $0["values"] as? Int ?? 0 > 10 }
    first.kill9()
    try record.event("disconnected")
    let second = try counter()
    try record.event("connected") { $0["origin"] as? String == "automatic" }
    try second.event("notified")
    let before = try reader().summary().values
    try record.event("committed") { $0["values"] as? Int ?? 0 > before + 5 }
    record.send(SIGINT)
    #expect(try record.finish().status == 130, "\(record.transcript)")
    try second.event("unsubscribed")
    #expect(!FileManager.default.fileExists(atPath: file + "-wal"))

    let reader = try reader()
    #expect(try reader.connections().all().map(\.origin) == [.user, .automatic])
    #expect(try reader.connections().all().map(\.ending) == [.lost, .user])
    #expect(try reader.sessions().all().map(\.ending) == [.ended])
    #expect(
      try reader.values(StoreFilter(paths: [CharacteristicPath("FFF2")])).all().first?.octets == Data("constant".utf8))
    #expect(try reader.signals().all().allSatisfy { $0.source == .connection })
    #expect(try reader.damages() == [])
  }

  @Test("Ctrl-C commits everything that was notified")
  func ctrlCCommitsEverythingThatWasNotified() throws {
    let server = try counter()
    // No timer would commit it.
    let record = try place.ble("record", "Counter", file, "--commit-every", "3600", "--json")
    try record.event("connected")
    for _ in 0..<20 { try server.event("notified") }
    usleep(500_000)
    record.send(SIGINT)
    #expect(try record.finish().status == 130)
    let numbers = try reader().values().all().compactMap { Int(String(decoding: $0.octets, as: UTF8.self)) }
    let first = try #require(numbers.first)
    #expect(numbers.count > 5 && numbers == Array(first..<(first + numbers.count)))
  }

  @Test("Two devices and a scan go into one file")
  func twoDevicesAndAScanGoIntoOneFile() throws {
    for name in ["one", "two"] { try counter(name) }
    let result = try place.run("record", "one", "two", "--scan", file, "--duration", "3")
    #expect(result.status == 0 && result.lines.isEmpty, "\(result.transcript)")
    let reader = try reader()
    #expect(try Set(reader.devices().all().map(\.name)) == ["one", "two"])
    #expect(try reader.devices().all().allSatisfy { $0.address?.count == 17 })
    #expect(try Set(reader.values().all().map(\.deviceName)) == ["one", "two"])
    #expect(try Set(reader.signals().all().map(\.source)) == [.connection, .advertisement])
  }

  @Test("A target that never appears is reported, with 68 at the end")
  func aTargetThatNeverAppearsIsReported() throws {
    let result = try place.run("record", "nobody", file, "--duration", "1")
    #expect(result.status == 68 && result.errors.contains { $0.contains("Never connected: 'nobody'") })
    #expect(try reader().sessions().all().map(\.ending) == [.ended])
  }

  @Test("A file that cannot be made is refused before the radio is used")
  func aFileThatCannotBeMadeIsRefused() throws {
    let text = try place.file(
      "text", "no database, but more than the hundred octets that a header of one would have, to be sure of it.....")
    let noDatabase = try place.run("record", "x", text)
    #expect(noDatabase.status == 65 && noDatabase.errors.first?.contains("it is not a record") == true)
    let nowhere = try place.run("record", "x", "/no/where/at/all.sqlite", "--json")
    #expect(nowhere.status == 66, "\(nowhere.transcript)")
    #expect(try place.run("history", place.path("missing")).status == 66)
    #expect(try place.run("history", text).status == 65)
    let holder = try place.ble("record", "--scan", file, "--json")
    try holder.event("recording")
    let second = try place.run("record", "--scan", file)
    #expect(second.status == 74 && second.errors.first?.contains("is recording into it") == true)
    #expect(try place.run("history", file).status == 0)
    holder.send(SIGTERM)
    #expect(try holder.finish().status == 143)
  }

  /// A record that a hostile device has filled.
  private func hostile() async throws {
    let store = try SessionStore(file: URL(fileURLWithPath: file))
    let session = try await store.beginSession(title: "\u{1B}]0;gone\u{7}")
    let device = UUID()
    let names = ["=HYPERLINK(\"http://x\",\"y\")", "\u{1B}[2J\u{202E}@SUM(A1)\nnext line", "+1\u{0}"]
    for (index, name) in names.enumerated() {
      let time = Date(timeIntervalSince1970: 1_700_000_000.5 + Double(index))
      store.add(StoreEntry(.connected(.user), device: device, name: name, address: "\u{1B}[31m", at: time), to: session)
      store.add(
        StoreEntry(.disconnected(.lost, error: "-\(name)"), device: device, name: name, at: time), to: session)
      store.add(
        StoreEntry(.value(Data(name.utf8), from: CharacteristicPath("FFF1"), .notified), device: device, at: time),
        to: session)
      store.add(StoreEntry(.event(kind: name, detail: name), device: device, at: time), to: session)
      store.add(StoreEntry(.signal(rssi: -40, smoothed: nil, .connection), device: device, at: time), to: session)
    }
    try await store.close()
  }

  @Test("Hostile names are escaped in every form, and no field of CSV starts like a formula")
  func hostileNamesAreEscapedInEveryForm() async throws {
    try await hostile()
    let beginnings: Set<Character> = ["=", "+", "@", "\t", "\r"]
    for what in ["devices", "sessions", "connections", "values", "rssi", "events"] {
      for form in [[], ["--json"], ["--csv"]] {
        let process = try place.run(["history", file, what] + form)
        #expect(process.status == 0 && process.lines.count > 0 && process.lines.arePlain, "\(process.transcript)")
        for line in process.lines {
          #expect(!line.unicodeScalars.contains { $0 != "\\" && String.mayAct($0) }, "\(line.inert)")
          if form == ["--json"] { #expect(ToolProcess.object(line) != nil) }
        }
        guard form == ["--csv"] else { continue }
        for line in process.lines.dropFirst() {
          let fields = line.replacing("\"\"", with: "").split(separator: ",", omittingEmptySubsequences: false)
          for field in fields {
            let content = field.hasPrefix("\"") ? field.dropFirst() : field
            #expect(content.first.map { !beginnings.contains($0) } ?? true, "\(line)")
          }
        }
      }
    }
  }

  @Test("History is selected by time, device and characteristic, and reports what it does not contain")
  func historyIsSelectedByTime() async throws {
    try await hostile()
    func lines(_ words: String...) throws -> [String] {
      let process = try place.run(["history", file] + words + ["--json"])
      #expect(process.status == 0, "\(process.transcript)")
      return process.lines
    }
    #expect(try lines("values").count == 3)
    #expect(try lines("values", "--last", "1").count == 1)
    #expect(try lines("values", "--from", "2023-11-14T22:13:21").count == 2)
    #expect(try lines("values", "--until", "2023-11-14T22:13:21").count == 1)
    #expect(try lines("values", "--from", "1h").isEmpty)
    #expect(try lines("values", "--characteristic", "FFF1").count == 3)
    #expect(try lines("values", "--characteristic", "FFF0/FFF1").isEmpty)
    #expect(try lines("events", "--session", "2").isEmpty)
    let unknown = try place.run("history", file, "values", "--device", "nobody")
    #expect(unknown.status == 68 && unknown.errors.first?.contains("has no device 'nobody'") == true)
    let first = try #require(try lines("values").first)
    let value = try #require(ToolProcess.object(first))
    #expect(value["time"] as? String == "2023-11-14T22:13:20.500Z" && value["source"] as? String == "notified")
    let document = try #require(try lines().first)
    let summary = try #require(ToolProcess.object(document))
    #expect(summary["values"] as? Int == 3 && summary["connections"] as? Int == 3 && summary["devices"] as? Int == 1)
  }

  @Test("A reader that closes the pipe early ends the history")
  func aReaderThatClosesThePipeEarlyEndsTheHistory() async throws {
    let store = try SessionStore(file: URL(fileURLWithPath: file))
    let session = try await store.beginSession(title: "long")
    for number in 0..<60_000 {
      store.add(
        StoreEntry(.value(Data("\(number)".utf8), from: CharacteristicPath("FFF1"), .read), device: UUID(0)),
        to: session)
    }
    try await store.close()
    let shell = try place.shell("\"$BLE_TOOL\" history \(file) values | head -n 2")
    let (status, lines) = try shell.finish()
    #expect(status == 0 && lines.count == 2 && shell.errors.isEmpty, "\(shell.transcript)")
  }
}

extension UUID {
  fileprivate init(_ number: UInt8) { self.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)) }
}
