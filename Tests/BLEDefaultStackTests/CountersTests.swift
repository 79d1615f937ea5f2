import BLEAdapter
import BLECore
import BLETransports
import Dispatch
import Foundation
import Testing

@testable import BLEDefaultStack

@Suite("Counters of running programs")
final class CountersTests {
  private let runtime = "/tmp/ble-p-\(UInt32.random(in: .min ... .max))"
  private var folder: String { runtime + "/programs" }
  private let queue = DispatchQueue(label: "test")

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: runtime) }

  private static let full = ProgramCounters(
    program: "gateway",
    counters: [
      .bluez("hci0"): AdapterCounters(
        resets: 3, restartedScans: 2, lostLinks: [.lost: 4, .closedByPeer: 1, .refused(code: 62): 5]),
      .hci("1"): AdapterCounters(sentOctets: .max, receivedOctets: 0),
      .unixClient(path: "/run/a b"): AdapterCounters(),
    ])

  @Test("I12.5 a program's counters are read as it sent them")
  func text() throws {
    #expect(ProgramCounters(Array(Self.full.text.utf8)) == Self.full)
    #expect(ProgramCounters(program: "a\nresets 9", counters: [:]).text.split(separator: "\n").count == 2)
    let reasons: [EndReason] = [
      .requested, .closedByPeer, .lost, .failedToEstablish, .refused(code: 0), .refused(code: 255), .timedOut,
      .poweredOff, .bondLost, .encryptionTimedOut, .limitReached, .protocolViolated,
    ]
    let all = ProgramCounters(
      program: "x",
      counters: [.standard: AdapterCounters(lostLinks: Dictionary(uniqueKeysWithValues: reasons.map { ($0, 1) }))])
    #expect(ProgramCounters(Array(all.text.utf8)) == all)
  }

  @Test("I12.5 an invalid text is refused, and invalid entries are omitted")
  func hostileTexts() throws {
    let title = "swift-corebluetooth counters 1\n"
    for text in ["", "\n", "HTTP/1.1 200 OK\n", title.uppercased(), String(repeating: "a", count: 100_000)] {
      #expect(ProgramCounters(Array(text.utf8)) == nil)
    }
    #expect(ProgramCounters(Array(title.utf8) + [UInt8](repeating: 0x0A, count: 40_000)) == nil)
    let odd =
      title + "resets 5\nprogram \(String(repeating: "p", count: 9_000))\nadapter nonsense:x\nresets 1\nadapter hci:0\n"
      + "resets -4\nresets 99999999999999999999\nrestarted-scans 2\nlost moon 3\nlost lost\nlost lost many\nsent -1\nreceived 7\n"
      + "future 12\n\u{1B}[2J\n"
    let read = try #require(ProgramCounters(Array(odd.utf8) + [0xFF, 0xFE]))
    #expect(read.program.count == 64)
    #expect(
      read.entries.map(\.counters) == [AdapterCounters(restartedScans: 2, lostLinks: [.lost: 0], receivedOctets: 7)])
    let many = title + (0..<1_000).map { "adapter hci:\($0)\nresets 1\n" }.joined()
    #expect(ProgramCounters(Array(many.utf8))?.entries.count == 16)
    var random = SystemRandomNumberGenerator()
    let whole = Array(Self.full.text.utf8)
    for _ in 0..<2_000 {
      var octets = whole
      octets[Int.random(in: 0..<octets.count, using: &random)] = .random(in: .min ... .max, using: &random)
      _ = ProgramCounters(Array(octets.prefix(Int.random(in: 0...octets.count, using: &random))))
    }
  }

  /// A program that sends this text when it is asked; nothing where it sends nothing.
  private func program(_ number: Int, says octets: [UInt8]?) throws -> AnswerSocket {
    try AnswerSocket(path: "\(folder)/\(number)", on: queue) { answer in
      if let octets { answer(octets) }
    }
  }

  @Test("I12.5 running programs are asked; killed, silent or unrelated ones do no harm")
  func programs() throws {
    let silent = try program(9, says: nil)
    let good = try program(11, says: Array(Self.full.text.utf8))
    let foreign = try program(12, says: Array("hello".utf8))
    let long = try program(13, says: [UInt8](repeating: 0x61, count: 60_000))
    // The file of a killed process: a socket without a listener.
    let dead = try program(15, says: [])
    try FileManager.default.linkItem(atPath: "\(folder)/15", toPath: "\(folder)/16")
    dead.close()
    for name in ["17", "name"] { try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/18", withDestinationPath: "/dev/zero")
    // The first in order uses up the time limit; the others have answered meanwhile, which takes a busy machine longer.
    var found: [RunningPrograms.Program] = []
    for patience in [Duration.milliseconds(100), .seconds(2), .seconds(30)]
    where found.map(\.counters) != [nil, Self.full, nil, nil] {
      found = RunningPrograms.all(in: [runtime], patience: patience)
    }
    #expect(found.map(\.counters) == [nil, Self.full, nil, nil])
    #expect(found.allSatisfy { $0.process == getpid() })
    for socket in [good, foreign, long, silent] { socket.close() }
    #expect(RunningPrograms.all(in: [runtime]).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["16", "17", "18", "name"])
  }

  @Test("I12.5 a folder that others may write to is not read, and a missing one has no programs")
  func foreignFolder() throws {
    #expect(RunningPrograms.all(in: [runtime + "/none"]).isEmpty)
    let good = try program(11, says: Array(Self.full.text.utf8))
    defer { good.close() }
    try FileManager.default.createSymbolicLink(atPath: runtime + "/link", withDestinationPath: folder)
    #expect(RunningPrograms.all(in: [runtime, runtime + "/none"]).count == 1)
    try FileManager.default.createDirectory(atPath: runtime + "/other", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: runtime + "/other/programs", withDestinationPath: folder)
    #expect(RunningPrograms.all(in: [runtime + "/other"]).isEmpty)
  }
}
