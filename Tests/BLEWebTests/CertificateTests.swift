import Foundation
import Testing

@testable import BLEWeb

@Suite("The certificate of an explorer that others can reach")
struct CertificateTests {
  private static let names = ["192.0.2.1", "2001:db8::1", "tower", "tower.example"]
  private static let day = 86_400

  static func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path)
  }

  private static func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test("I15.1 it is for the names and addresses that were asked for and for no others, and for 397 days")
  func made() throws {
    let now = time(nil)
    let pair = try #require(CertificatePair(names: Self.names, at: now))
    #expect(pair.has(Self.names) && pair.has([]))
    for other in ["192.0.2.2", "2001:db8::2", "towe", "tower.example.com", "x.tower.example", "ble web", "localhost"] {
      #expect(!pair.has([other]) && !pair.has(Self.names + [other]))
    }
    #expect(pair.isValid(at: now) && pair.isValid(at: now - 3_500) && !pair.isValid(at: now - 3_700))
    #expect(pair.isValid(at: now + 396 * Self.day) && !pair.isValid(at: now + 397 * Self.day))
    #expect(pair.fingerprint.wholeMatch(of: /([0-9A-F]{2}:){31}[0-9A-F]{2}/) != nil)
    let identity = try #require(pair.identity)
    let read = try #require(CertificatePair(certificate: identity.certificate, key: identity.key))
    #expect(read.fingerprint == pair.fingerprint)
    let other = try #require(CertificatePair(names: Self.names, at: now)?.identity)
    #expect(CertificatePair(certificate: identity.certificate, key: other.key) == nil)
  }

  @Test("I15.1 its subject is the program's name, without memory of the process behind it")
  func subject() throws {
    // With GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=85 no block of memory ends with zeros by chance.
    let pair = try #require(CertificatePair(names: Self.names, at: time(nil)))
    #expect(pair.subject == "/CN=ble web")
  }

  @Test(
    "I15.1 what is no name makes no certificate: it could be more than one name",
    arguments: [
      "", "a,DNS:b", "a b", "a\nb", "a..b", ".", "é", "*.a", "a:b", "[::1]", String(repeating: "a", count: 254),
    ])
  func badNames(name: String) {
    #expect(CertificatePair(names: [name], at: time(nil)) == nil)
    #expect(CertificatePair(names: ["a", name], at: time(nil)) == nil)
    #expect(CertificatePair(names: [], at: time(nil)) == nil)
  }

  @Test("I15.1 it is kept for this user alone, and is the same until it ends or another name is needed")
  func kept() async throws {
    try await Self.inFolder { folder in
      let kept = KeptCertificate(folder + "/state/web")
      let now = time(nil)
      let first = try kept.certificate(for: Self.names, at: now)
      #expect(try Self.mode(kept.folder) == 0o700 && Self.mode(kept.path) == 0o600)
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: kept.folder)) == ["certificate.pem", "lock"])
      #expect(try kept.certificate(for: Self.names, at: now + 380 * Self.day).fingerprint == first.fingerprint)
      #expect(try kept.certificate(for: ["tower"], at: now).fingerprint == first.fingerprint)
      let later = try kept.certificate(for: Self.names, at: now + 391 * Self.day)
      #expect(later.fingerprint != first.fingerprint)
      // Its beginning lies in the future of a clock that was wrong.
      #expect(try kept.certificate(for: Self.names, at: now).fingerprint != later.fingerprint)
      let other = try kept.certificate(for: ["192.0.2.7"], at: now)
      #expect(try kept.certificate(for: ["192.0.2.7"], at: now).fingerprint == other.fingerprint)
      #expect(
        try CertificateSource.made(inFolder: kept.folder).certificate(for: ["192.0.2.7"]).fingerprint
          == other.fingerprint)
    }
  }

  @Test(
    "I15.1 a damaged file is an error that names it, and stays as it is: another fingerprint would come without a word")
  func damaged() async throws {
    try await Self.inFolder { folder in
      let kept = KeptCertificate(folder)
      _ = try kept.certificate(for: Self.names)
      let whole = try Data(contentsOf: URL(filePath: kept.path))
      let other = try #require(CertificatePair(names: Self.names, at: time(nil))?.identity)
      var flipped = whole
      flipped[whole.count - 60] ^= 1
      let bad = [
        Data(), Data("no".utf8), whole.prefix(whole.count / 2), whole.dropFirst(100), whole.dropLast(40), flipped,
        Data(other.key) + whole, Data(count: 1 << 17),
      ]
      for octets in bad {
        try octets.write(to: URL(filePath: kept.path))
        let error = #expect(throws: WebError.self) {
          _ = try CertificateSource.made(inFolder: folder).certificate(for: Self.names)
        }
        guard case .certificate(let reason)? = error else { continue }
        #expect(reason.contains(kept.path))
        #expect(try Data(contentsOf: URL(filePath: kept.path)) == octets)
      }
      try FileManager.default.removeItem(atPath: kept.path)
      try FileManager.default.createSymbolicLink(atPath: kept.path, withDestinationPath: "/dev/null")
      #expect(throws: WebError.self) { _ = try CertificateSource.made(inFolder: folder).certificate(for: Self.names) }
    }
  }

  @Test("I15.1 a key file that others can open is refused, as OpenSSH refuses it; a certificate may be read by all")
  func files() async throws {
    try await Self.inFolder { folder in
      let identity = try #require(CertificatePair(names: Self.names, at: time(nil))?.identity)
      let old = try #require(CertificatePair(names: Self.names, at: time(nil) - 500 * Self.day)?.identity)
      let (certificate, key) = (folder + "/certificate.pem", folder + "/key.pem")
      func write(_ identity: WebServer.Identity, mode: Int) throws {
        try Data(identity.certificate).write(to: URL(filePath: certificate))
        try Data(identity.key).write(to: URL(filePath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: certificate)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
      }
      let source = CertificateSource.files(certificate: certificate, key: key)
      for mode in [0o600, 0o400] {
        try write(identity, mode: mode)
        #expect(try source.certificate(for: ["anything"]).identity.key == identity.key)
        try FileManager.default.removeItem(atPath: key)
      }
      for mode in [0o644, 0o640, 0o660, 0o602] {
        try write(identity, mode: mode)
        let error = #expect(throws: WebError.self) { _ = try source.certificate(for: []) }
        #expect(error == .certificate("\(key) can be opened by other users: use chmod 600"))
        // Nothing was changed: the user has to know that others may have it.
        #expect(try Self.mode(key) == mode)
      }
      try write(old, mode: 0o600)
      #expect(throws: WebError.self) { _ = try source.certificate(for: []) }
      try write(WebServer.Identity(certificate: identity.certificate, key: old.key), mode: 0o600)
      #expect(throws: WebError.self) { _ = try source.certificate(for: []) }
      #expect(throws: WebError.self) {
        _ = try CertificateSource.files(certificate: folder + "/none", key: key).certificate(for: [])
      }
    }
  }
}
