import Foundation
import Testing

@testable import BLEWeb

@Suite("As many connections as this machine allows")
struct ManyConnectionsTests {
  private static func openFiles() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// Memory of this process, in octets.
  private static func memory() throws -> Int { try #require(ProcessMemory.resident) }

  /// Both ends are in this process.
  private static func raiseLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur) - 1_000
  }

  private static func open(_ count: Int, _ server: TestServer) async throws {
    var clients: [RawClient] = []
    for number in 0..<count {
      let client = try server.client()
      if number.isMultiple(of: 4) { await client.send("GET /a HTTP/1.1\r\nHo") }
      clients.append(client)
      // What the kernel keeps for the server must not run over: it would be tried again after a second. Who is answered
      // comes after all who came before.
      if number.isMultiple(of: 100) {
        #expect(server.server.connections.count <= server.server.limits.connections)
        #expect(try await server.isAlive())
      }
    }
    #expect(try await server.isAlive())
    for client in clients { client.close() }
    try await eventually("all are closed") { server.server.connections.count == 0 }
    #expect(server.server.load == (0, 0, 0))
    #expect(try await server.isAlive())
  }

  /// In a process of its own, whose files and memory are those of this test.
  @Test("I15.1 ten thousand connections: the server answers meanwhile and afterwards, and files and memory come back")
  func tenThousand() async {
    await #expect(processExitsWith: .success) {
      let count = min(10_000, Self.raiseLimit())
      try await TestServer.run { server in
        try await Self.open(1_000, server)
        let (files, memory) = (try Self.openFiles(), try Self.memory())
        try await Self.open(count, server)
        // The queues of the process have a few of their own.
        try await eventually("no file is left") { (try? Self.openFiles()) ?? .max <= files + 8 }
        // 10,000 connections with the memory that each may have for its headers would be 320 MiB.
        #expect(try Self.memory() - memory < 32 << 20)
      }
    }
  }

  /// In a process of its own, which has another state folder.
  @Test("I15.1 on an address that others can reach there is TLS, also where nobody has asked for it")
  func usualFolder() async {
    await #expect(processExitsWith: .success) {
      try await CertificateTests.inFolder { folder in
        setenv("XDG_STATE_HOME", folder, 1)
        var options = WebExplorer.Options()
        // An address for documentation, which no machine has.
        options.address = "192.0.2.1"
        #expect(throws: WebError.listen(EADDRNOTAVAIL)) { _ = try ServerPlace(options) }
        let path = folder + "/swift-corebluetooth/web/certificate.pem"
        let made = try Array(Data(contentsOf: URL(filePath: path)))
        let pair = try #require(CertificatePair(certificate: made, key: made))
        #expect(pair.has(["192.0.2.1"] + [HostName.own].compactMap { $0 }) && !pair.has(["localhost"]))
      }
    }
  }

  @Test("I15.1 on all addresses means each of them: the page is opened under one")
  func allAddresses() {
    #expect(HostName.addresses(of: "127.0.0.1") == ["127.0.0.1"])
    #expect(HostName.addresses(of: "0.0.0.0").contains("127.0.0.1"))
    #expect(HostName.addresses(of: "::").contains("127.0.0.1"))
    #expect(!(HostName.addresses(of: "0.0.0.0") + HostName.addresses(of: "::")).contains { $0.contains("%") })
  }
}
