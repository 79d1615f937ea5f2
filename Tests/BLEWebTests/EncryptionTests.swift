import Dispatch
import Foundation
import Testing

@testable import BLEWeb

/// What a program has printed, and how it has ended.
private struct Run: Sendable {
  let output: String
  let status: Int32

  /// Runs a program of the system, which ends by itself.
  /// - Parameter text: when it has printed this, it is ended.
  init(_ program: String, _ arguments: [String], until text: String? = nil) async throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let reader = pipe.fileHandleForReading
    output = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var output = Data()
        while case let more = reader.availableData, !more.isEmpty {
          output += more
          if let text, String(decoding: output, as: UTF8.self).contains(text) { break }
        }
        continuation.resume(returning: String(decoding: output, as: UTF8.self))
      }
    }
    if text != nil { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

@Suite("An explorer with TLS")
struct EncryptionTests {
  private static let curl = "/usr/bin/curl"
  private static let patience = "\(longestWait)"
  private static let openssl = "/usr/bin/openssl"
  private static let isTestable = [curl, openssl].allSatisfy(FileManager.default.isExecutableFile)

  private static func run(_ body: (WholeExplorer, String) async throws -> Void) async throws {
    try await CertificateTests.inFolder { folder in
      try await WholeExplorer.run({
        $0.certificate = .made(inFolder: folder)
        $0.names = ["tower.example"]
      }) { whole in try await body(whole, folder + "/certificate.pem") }
    }
  }

  @Test(
    "I15.1 with TLS a client that knows the certificate is answered, under each of its names", .enabled(if: isTestable))
  func answered() async throws {
    try await Self.run { whole, certificate in
      #expect(whole.explorer.entrance == "https://127.0.0.1:\(whole.port)/")
      for name in ["127.0.0.1", "localhost", "tower.example"] {
        let run = try await Run(
          Self.curl,
          [
            "-sS", "--max-time", Self.patience, "--cacert", certificate, "--resolve", "\(name):\(whole.port):127.0.0.1",
            "https://\(name):\(whole.port)/api/v1/status",
          ])
        #expect(run.status == 0 && run.output.contains("\"adapter\":\"a radio\""), "\(run.output)")
      }
      // A name that it does not have; and a client that does not know it.
      let other = try await Run(
        Self.curl,
        [
          "-sS", "--max-time", Self.patience, "--cacert", certificate, "--resolve",
          "evil.example:\(whole.port):127.0.0.1",
          "https://evil.example:\(whole.port)/",
        ])
      #expect(other.status == 60)
      let unknown = try await Run(Self.curl, ["-sS", "--max-time", Self.patience, "https://127.0.0.1:\(whole.port)/"])
      #expect(unknown.status == 60)
    }
  }

  @Test("I15.1 events come through TLS, one by one", .enabled(if: isTestable))
  func events() async throws {
    try await Self.run { whole, certificate in
      let text = "event: reset\ndata: {}\n\n"
      let run = try await Run(
        Self.curl,
        ["-sN", "--max-time", Self.patience, "--cacert", certificate, "https://127.0.0.1:\(whole.port)/api/v1/events"],
        until: text)
      #expect(run.output.contains(text), "\(run.output)")
    }
  }

  @Test("I15.1 TLS before 1.2 is refused, and what is not TLS is not answered", .enabled(if: isTestable))
  func versions() async throws {
    try await Self.run { whole, _ in
      for (version, isTaken) in [("-tls1_3", true), ("-tls1_2", true), ("-tls1_1", false), ("-tls1", false)] {
        let run = try await Run(
          Self.openssl,
          ["s_client", "-connect", "127.0.0.1:\(whole.port)", version, "-cipher", "ALL:@SECLEVEL=0", "-brief"])
        #expect((run.status == 0) == isTaken, "\(version): \(run.output)")
      }
      let weak = try await Run(
        Self.openssl,
        ["s_client", "-connect", "127.0.0.1:\(whole.port)", "-tls1_2", "-cipher", "kRSA:@SECLEVEL=0", "-brief"])
      #expect(weak.status != 0)
      let plain = try RawClient(whole.port)
      await plain.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(whole.port)\r\n\r\n")
      #expect(try await !plain.readAll().contains("HTTP/1.1"))
    }
  }

  @Test("I15.1 a client that begins with TLS and goes no further is not waited for, and does not keep others out")
  func halfway() async throws {
    let identity = try #require(CertificatePair(names: ["localhost"], at: time(nil))?.identity)
    var limits = WebServer.Limits.patient
    limits.connections = 16
    // In the middle of a handshake libmicrohttpd 0.9.75 does not always notice that its socket was shut down. The client
    // is told at once all the same; the place comes back after the idle time, which is 30 s otherwise.
    limits.idleSeconds = 3
    let server = try TestServer(limits, identity: identity)
    defer { server.server.stop() }
    let clients = try (0..<40).map { _ in try server.client() }
    // Part of a record that begins a handshake.
    for client in clients { await client.send([0x16, 0x03, 0x01, 0x02]) }
    // Again and again, because the server has not yet taken all of them.
    let sweeping = Task {
      while !Task.isCancelled {
        server.server.connections.sweep(at: .now + limits.requestTime + .seconds(1))
        await Task.yield()
      }
    }
    defer { sweeping.cancel() }
    for client in clients { _ = try await client.readAll() }
    try await eventually("all are closed") { server.server.connections.count == 0 }
  }

  @Test(
    "I15.1 what openssl sees is what was asked for, and the fingerprint is the one that was told",
    .enabled(if: isTestable))
  func seen() async throws {
    try await Self.run { whole, certificate in
      let run = try await Run(
        Self.openssl, ["x509", "-in", certificate, "-noout", "-text", "-fingerprint", "-sha256"])
      let fingerprint = try #require(whole.explorer.fingerprint)
      for text in [
        "Version: 3", "ASN1 OID: prime256v1", "Signature Algorithm: ecdsa-with-SHA256", "TLS Web Server Authentication",
        "IP Address:127.0.0.1, DNS:localhost, DNS:tower.example", "CA:FALSE", "Digital Signature",
        "Fingerprint=\(fingerprint)",
      ] {
        #expect(run.output.contains(text), "\(text): \(run.output)")
      }
      let verified = try await Run(Self.openssl, ["verify", "-CAfile", certificate, certificate])
      #expect(verified.status == 0, "\(verified.output)")
    }
  }

  @Test("I15.1 the cookie of a server with TLS is sent to it alone, and never without TLS", .enabled(if: isTestable))
  func cookie() async throws {
    try await CertificateTests.inFolder { folder in
      try await WholeExplorer.run({
        $0.certificate = .made(inFolder: folder)
        $0.asksForToken = true
      }) { whole in
        let run = try await Run(
          Self.curl,
          ["-sSi", "--max-time", Self.patience, "--cacert", folder + "/certificate.pem", whole.explorer.entrance])
        let line = try #require(run.output.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
        #expect(line.hasPrefix("Set-Cookie: __Host-ble-token-\(whole.port)=") && line.hasSuffix("; Secure"))
      }
    }
  }
}
