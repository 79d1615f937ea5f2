import BLESession
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

/// Links by TLS, with certificates that the `openssl` program makes.
@Suite(
  "Encrypted links", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct EncryptedLinkTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for authority in ["ca", "other"] {
      try openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=\(authority) -keyout \(authority).key -out \(authority).pem"
      )
    }
    try Data("subjectAltName=IP:127.0.0.1".utf8).write(to: folder.url.appendingPathComponent("names"))
    for name in ["broker", "client"] {
      try openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
      try openssl(
        "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out \(name).pem")
    }
  }

  private func openssl(_ words: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder.url
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    ended.wait()
    try #require(process.terminationStatus == 0, "openssl \(words)")
  }

  private func settings(_ broker: TestBroker, _ security: BrokerSettings.Security) -> BrokerSettings {
    var settings = BrokerSettings(host: "127.0.0.1", port: broker.port)
    settings.security = security
    return settings
  }

  @Test(
    "I17.1 a client certificate is shown and asked for, and a broker that another authority has signed is not spoken to"
  )
  func certificates() async throws {
    let broker = try TestBroker(
      """
      cafile \(folder.path("ca.pem"))
      certfile \(folder.path("broker.pem"))
      keyfile \(folder.path("broker.key"))
      require_certificate true
      use_identity_as_username true
      """)
    let good = LinkDiary(
      settings(
        broker,
        .init(
          authorities: folder.path("ca.pem"), certificate: folder.path("client.pem"), key: folder.path("client.key"))))
    #expect(await good.until { !$0.versions.isEmpty }, "\(good.reasons)")
    await good.link.stop()
    let unknown = LinkDiary(settings(broker, .init(authorities: folder.path("ca.pem"))), identifier: "unknown")
    #expect(await unknown.until { $0.reasons.count > 1 })
    await unknown.link.stop()
    #expect(unknown.versions.isEmpty)
    let deceived = LinkDiary(
      settings(
        broker,
        .init(
          authorities: folder.path("other.pem"), certificate: folder.path("client.pem"), key: folder.path("client.key"))
      ),
      identifier: "deceived")
    #expect(await deceived.until { $0.reasons.count > 1 })
    await deceived.link.stop()
    #expect(deceived.versions.isEmpty && deceived.reasons.allSatisfy { !$0.contains("BEGIN") })
  }
}
