import Foundation
import Synchronization
import Testing

@testable import ble

@Suite("Signs of life for systemd", .serialized, .timeLimit(.minutes(10)))
@MainActor struct ServiceManagerTests {
  /// The socket that systemd would listen on.
  private final class Manager {
    private let listener: DatagramListener
    var path: String { listener.path }
    private var socket: Int32 { listener.socket }

    init() throws { listener = try DatagramListener() }

    /// The next message. The main queue goes on meanwhile.
    func next() async throws -> String {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { [socket] in
          var buffer = [UInt8](repeating: 0, count: 4_096)
          let count = recv(socket, &buffer, buffer.count, 0)
          if count < 0 {
            continuation.resume(throwing: POSIXError(.EIO))
          } else {
            continuation.resume(returning: String(decoding: buffer[..<count], as: UTF8.self))
          }
        }
      }
    }
  }

  @Test("I15.3 a command that is ready says so, gives signs of life, and says when it ends")
  func life() async throws {
    let systemd = try Manager()
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "20000"])
    service.ready("Listening\u{1B}[2J")
    #expect(try await systemd.next() == "READY=1\nSTATUS=Listening\\u{1B}[2J")
    for _ in 0..<3 { #expect(try await systemd.next() == "WATCHDOG=1") }
    service.stopping()
    var last = try await systemd.next()
    while last == "WATCHDOG=1" { last = try await systemd.next() }
    #expect(last == "STOPPING=1")
  }

  @Test("I17.4 a command whose parts stand still gives no sign of life until they move again")
  func standstill() async throws {
    let systemd = try Manager()
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "20000"])
    let questions = Mutex(0)
    service.ready(
      "Publishing",
      isAlive: {
        questions.withLock { count in
          count += 1
          return count > 3
        }
      })
    #expect(try await systemd.next().hasPrefix("READY=1"))
    #expect(try await systemd.next() == "WATCHDOG=1" && questions.withLock { $0 } >= 4)
    service.stopping()
  }

  @Test("I15.3 the watchdog of another process, and none, ask for no signs of life")
  func noWatchdog() async throws {
    for environment in [["WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "nonsense"], [:]] {
      let systemd = try Manager()
      let service = ServiceManager(environment: environment.merging(["NOTIFY_SOCKET": systemd.path]) { $1 })
      service.ready("Listening")
      #expect(try await systemd.next().hasPrefix("READY=1"))
      service.stopping()
      #expect(try await systemd.next() == "STOPPING=1")
    }
  }

  @Test("I15.3 a reload is told at its beginning and its end, and what it cannot take over leaves all as it was")
  func reload() async throws {
    let systemd = try Manager()
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": systemd.path])
    var count = 0
    service.ready("Serving") { () async throws(ToolError) in
      count += 1
      if count == 2 { throw ToolError(.badData, "lamp.json:1:1: expected an object") }
    }
    #expect(try await systemd.next() == "READY=1\nSTATUS=Serving")
    for expected in ["READY=1\nSTATUS=Serving", "READY=1\nSTATUS=Serving; not reloaded, see its log"] {
      service.startReload()
      #expect(try await systemd.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
      #expect(try await systemd.next() == expected)
    }
    service.stopping()
    #expect(try await systemd.next() == "STOPPING=1")
  }

  @Test(
    "I15.3 the options of a service are read as systemd reads them",
    arguments: [
      ("", []), ("# none\nPATH=/bin", []), ("OPTIONS=", []),
      ("OPTIONS=Wrist --retain-age 30d", ["Wrist", "--retain-age", "30d"]),
      ("OPTIONS=\"Wrist\"\nOPTIONS=\"Chest 'My Lamp'\"\n", ["Chest", "My Lamp"]), ("  OPTIONS='A B' ", ["A", "B"]),
    ])
  func options(text: String, words: [String]) throws {
    #expect(try ServiceOptions.words(in: text) == words)
  }

  @Test("I15.3 a file of options that cannot be read, or has mistakes, is a clear error")
  func unusableOptions() throws {
    let path = "/tmp/ble-options-\(UInt32.random(in: .min ... .max))"
    defer { unlink(path) }
    let mistakes = [
      ("OPTIONS=--nonsense", "--nonsense"), ("OPTIONS='Wrist", "quote"), ("OPTIONS=--help", "runs no 'ble record'"),
    ]
    for (text, said) in mistakes {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let error = #expect(throws: ToolError.self) {
        _ = try ServiceOptions.command("record", ["ride.sqlite"], environment: ["BLE_OPTIONS_FILE": path])
      }
      #expect(error?.message.contains(said) == true, "\(error?.message ?? "")")
    }
    for environment in [[:], ["BLE_OPTIONS_FILE": "/nonexistent"]] {
      #expect(throws: ToolError.self) {
        _ = try ServiceOptions.command("record", ["ride.sqlite"], environment: environment)
      }
    }
    try "OPTIONS=\"Wrist Chest\"".write(toFile: path, atomically: true, encoding: .utf8)
    let command = try ServiceOptions.command("record", ["ride.sqlite"], environment: ["BLE_OPTIONS_FILE": path])
    #expect((command as? RecordCommand)?.targets == [.name("Wrist"), .name("Chest")])
  }

  @Test(
    "I15.3 unusable addresses are not used",
    arguments: ["relative", "", "/" + String(repeating: "x", count: 200), "/nonexistent/socket"])
  func unusable(address: String) {
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"])
    service.ready("Listening")
    service.stopping()
  }
}
