import Foundation
import Testing

@testable import ble

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `ble web` as a service, which is asked to reload by SIGHUP.
@Suite("ble web is reloaded", .serialized, .timeLimit(.minutes(5)))
struct WebReloadTests {
  private let place = Neighbourhood()

  private func put(_ token: String, mode: Int = 0o600) throws -> String {
    let path = place.path("token")
    try? FileManager.default.removeItem(atPath: path)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data("\(token)\n".utf8), attributes: [.posixPermissions: mode])
    try #require(isMade)
    return path
  }

  private func status(_ address: String, _ token: String) async throws -> Int? {
    guard let url = URL(string: address + "api/v1/status") else { return nil }
    var request = URLRequest(url: url)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }

  @Test("I15.3 a reload takes over another token, says so without it, and a file with mistakes changes nothing")
  func token() async throws {
    let (old, new) = (String(repeating: "0d", count: 32), String(repeating: "5c", count: 32))
    let path = try put(old)
    // Started by systemd, as far as it can see.
    let web = try place.shell(
      "NOTIFY_SOCKET=/nonexistent/notify exec \"$BLE_TOOL\" web --demo --port 0 --json --token-file '\(path)'")
    let address = try #require(try web.event("listening")["address"] as? String)
    #expect(address.hasSuffix("/"))
    #expect(try await status(address, old) == 200)
    _ = try put(new)
    web.send(SIGHUP)
    #expect(try web.event("reloaded")["new_token"] as? Bool == true)
    #expect(try await status(address, old) == 401)
    #expect(try await status(address, new) == 200)
    _ = try put(old, mode: 0o644)
    web.send(SIGHUP)
    try web.complaint(
      "Not reloaded: There is no token: \(path) can be opened by other users: use chmod 600.")
    #expect(try await status(address, new) == 200)
    web.send(SIGTERM)
    #expect(try web.finish().status == 143)
    #expect(!web.transcript.contains(old) && !web.transcript.contains(new))
  }
}
