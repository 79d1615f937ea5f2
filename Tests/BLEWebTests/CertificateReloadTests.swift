import BLESession
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BLEWeb

/// curl that follows the events of a server with TLS.
private final class Follower: Sendable {
  private let process = Mutex<Process?>(nil)
  private let output = Mutex(Data())
  private let isOver = Mutex(false)

  init(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-sSN", "--max-time", "\(longestWait)"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let reader = pipe.fileHandleForReading
    self.process.withLock { $0 = process }
    DispatchQueue.global().async { [self] in
      while case let more = reader.availableData, !more.isEmpty { output.withLock { $0 += more } }
      isOver.withLock { $0 = true }
    }
  }

  var text: String { String(decoding: output.withLock { $0 }, as: UTF8.self) }
  var hasEnded: Bool { isOver.withLock { $0 } }

  func stop() { process.withLock { if let one = $0, one.isRunning { kill(one.processIdentifier, SIGKILL) } } }
}

@Suite("Another certificate, while a server serves")
struct CertificateReloadTests {
  private static let isTestable = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  private struct Files {
    let folder: String
    var certificate: String { folder + "/certificate.pem" }
    var key: String { folder + "/key.pem" }

    /// Puts another certificate in the place of the one before; a copy stays at the returned path.
    func renew(_ name: String) throws -> String {
      let identity = try #require(CertificatePair(names: ["127.0.0.1", "localhost"], at: time(nil))?.identity)
      try ReloadTests.write(String(decoding: identity.certificate, as: UTF8.self), to: certificate)
      try ReloadTests.write(String(decoding: identity.key, as: UTF8.self), to: key)
      let copy = "\(folder)/\(name).pem"
      try Data(identity.certificate).write(to: URL(filePath: copy))
      return copy
    }
  }

  /// How curl ends that asks a server and knows this certificate alone: 60 where the server has another.
  private static func status(_ whole: WholeExplorer, _ certificate: String) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = [
      "-sS", "--max-time", "\(longestWait)", "-o", "/dev/null", "--cacert", certificate, "-X", "PUT", "-H",
      "Content-Type: application/json", "-d", #"{"on":true}"#, "https://127.0.0.1:\(whole.port)/api/v1/scan",
    ]
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }

  @Test(
    "I15.3 a reload serves new connections with the new certificate, and open streams stay", .enabled(if: isTestable))
  func another() async throws {
    try await CertificateTests.inFolder { folder in
      let files = Files(folder: folder)
      let first = try files.renew("first")
      try await WholeExplorer.run({
        $0.certificate = .files(certificate: files.certificate, key: files.key)
      }) { whole in
        let events = "https://127.0.0.1:\(whole.port)/api/v1/events"
        let follower = try Follower(["--cacert", first, events])
        defer { follower.stop() }
        try await eventually("it follows") { follower.text.contains("event: reset\n") }
        let second = try files.renew("second")
        let told = try whole.explorer.reload().fingerprint
        #expect(told != nil && told != whole.explorer.fingerprint)
        #expect(try await Self.status(whole, first) == 60)
        #expect(try await Self.status(whole, second) == 0)
        try await eventually("the stream stays") { follower.text.contains("event: call\n") }
        // What is no certificate, or not that of the key, leaves the one before.
        try ReloadTests.write("no", to: files.certificate)
        #expect(throws: WebError.self) { _ = try whole.explorer.reload() }
        let key = try String(contentsOfFile: files.key, encoding: .utf8)
        let third = try files.renew("third")
        let right = try String(contentsOfFile: files.key, encoding: .utf8)
        try ReloadTests.write(key, to: files.key)
        #expect(throws: WebError.self) { _ = try whole.explorer.reload() }
        #expect(try await Self.status(whole, second) == 0)
        #expect(!follower.hasEnded)
        // The same again is no other one; with the third, streams of the first end: their browsers come again.
        try ReloadTests.write(right, to: files.key)
        let fingerprint = try whole.explorer.reload().fingerprint
        #expect(try whole.explorer.reload().fingerprint == fingerprint)
        #expect(try await Self.status(whole, third) == 0)
        try await eventually("the oldest stream has ended") { follower.hasEnded }
      }
    }
  }

  // MARK: The servers that take each other's place

  private static func identity(_ number: Int) -> WebServer.Identity {
    WebServer.Identity(certificate: Array("\(number)".utf8), key: [])
  }

  @Test("I15.3 a server that has left answers on its connections, asks their clients to come again, and then ends")
  func leaving() async throws {
    let servers = Guarded<[WebServer]>([])
    let latch = Latch()
    let listener = try Listener(address: "127.0.0.1", port: 0)
    // Without TLS: what is tested is how one takes the other's place.
    let renewed = try RenewedServer(listener: listener.socket, identity: nil) { socket, identity throws(WebError) in
      let name = identity.map { String(decoding: $0.certificate, as: UTF8.self) } ?? "first"
      let server = try WebServer(listener: socket, identity: nil, limits: .patient, gate: { _ in nil }) { request in
        if request.path == "/wait" { await latch.wait() }
        return .text(200, name)
      }
      servers.with { $0.append(server) }
      return server
    }
    defer { renewed.stop() }
    func get(_ client: RawClient, _ path: String) async {
      await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
    }
    let (waiting, idle) = (try RawClient(listener.port), try RawClient(listener.port))
    await get(waiting, "/wait")
    await get(idle, "/")
    #expect(try await idle.response().body == "first\n")
    let first = try #require(servers.with { $0.first })
    try await eventually("one is worked on") { first.load.handlers == 1 }
    try renewed.renew(Self.identity(2))
    let other = try RawClient(listener.port)
    await get(other, "/")
    let answer = try await other.response()
    #expect(answer.body == "2\n" && answer.header("Connection") == nil)
    await get(idle, "/")
    let last = try await idle.response()
    #expect(last.body == "first\n" && last.header("Connection")?.lowercased() == "close")
    #expect(try await idle.readAll().isEmpty)
    #expect(first.hasLeft)
    latch.open()
    #expect(try await waiting.response().body == "first\n")
    try await eventually("it has ended") { !first.hasLeft }
    #expect(first.connections.count == 0 && first.load == (0, 0, 0))
  }

  private static func openFiles() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// Asks again and again, each time on a connection of its own.
  /// - Returns: how often it was answered; throws where it was not.
  private static func ask(_ port: UInt16, until isOver: Guarded<Bool>) async throws -> Int {
    var count = 0
    while !isOver.with({ $0 }) {
      let client = try RawClient(port)
      defer { client.close() }
      await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      guard try await client.readAll().hasPrefix("HTTP/1.1 200") else { throw CocoaError(.fileReadUnknown) }
      count += 1
    }
    return count
  }

  private static func replaceOften() async throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    let before = try openFiles()
    let (servers, isOver) = (Guarded<[WebServer]>([]), Guarded(false))
    let renewed = try RenewedServer(listener: listener.socket, identity: nil) { socket, _ throws(WebError) in
      let server = try WebServer(listener: socket, identity: nil, limits: .patient, gate: { _ in nil }) { _ in
        await Task.yield()
        return .text(200, "done")
      }
      servers.with { $0.append(server) }
      return server
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 { group.addTask { try await ask(listener.port, until: isOver) } }
      for number in 0..<40 {
        try renewed.renew(identity(number))
        // Those of a server before the former one would be refused.
        let former = servers.with { $0.dropLast().last }
        try await eventually("the former has no requests") { former?.connections.count == 0 }
      }
      isOver.with { $0 = true }
      var total = 0
      for try await count in group { total += count }
      precondition(total > 40, "\(total) requests")
    }
    renewed.stop()
    try await eventually("no file is left but the listener") { ((try? openFiles()) ?? .max) <= before + 8 }
    precondition(servers.with { $0.allSatisfy { $0.load == (0, 0, 0) && $0.connections.count == 0 } })
  }

  /// In a process of its own, whose files are those of this test.
  @Test("I15.3 no request is lost however often the server is replaced, and no file is left open")
  func storm() async {
    await #expect(processExitsWith: .success) { try await Self.replaceOften() }
  }
}
