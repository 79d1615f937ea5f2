import BLESession
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

/// What Docs/gateway.md shows is run, on a broker and an air of the test's own.
@Suite(
  "Docs/gateway.md", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct GatewayDocumentationTests {
  private let place = Neighbourhood()
  private let page: String

  init() throws {
    let root = "/" + URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
    page = try String(contentsOfFile: root + "/Docs/gateway.md", encoding: .utf8)
  }

  /// The blocks behind a line `<!-- MARK -->`.
  private func blocks(_ mark: String) -> [String] {
    page.components(separatedBy: "<!-- \(mark) -->\n").dropFirst().map { rest in
      let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.dropFirst().prefix { !$0.hasPrefix("```") }.joined(separator: "\n")
    }
  }

  @Test("I17.5 the quick start's commands print what the page shows, but for times, numbers and identifiers")
  func quickStart() throws {
    let broker = try TestBroker()
    func here(_ text: String) -> String { text.replacing("1883", with: "\(broker.port)") }
    _ = try place.file("attic.json", here(try #require(blocks("file attic.json").first)))
    var (commands, shown): ([String], [String]) = ([], [])
    for line in try #require(blocks("run").first).split(separator: "\n") {
      guard line.hasPrefix("$ ") else {
        shown.append(String(line))
        continue
      }
      commands.append(String(line.dropFirst(2)))
      if line.hasSuffix(" &") { commands.append("processes=\"$processes $!\"") }
    }
    let script = """
      cd '\(place.folder.path)'
      mkdir bin && ln -s "$BLE_TOOL" bin/ble && PATH="$PWD/bin:$PATH"
      trap 'kill -9 $processes' EXIT
      \(here(commands.joined(separator: "\n")))
      """
    let shell = try place.shell(script)
    let (status, printed) = try shell.finish(within: 120)
    #expect(status == 0 && printed.count == shown.count, "\(shell.transcript)")
    for (line, pattern) in zip(printed, shown) {
      // Where the page has three points, anything may stand.
      var rest = line[...]
      for (index, part) in here(pattern).components(separatedBy: "...").enumerated() where !part.isEmpty {
        let found = try #require(rest.range(of: part), "'\(part)' is not in '\(line)'")
        if index == 0 { #expect(found.lowerBound == line.startIndex) }
        rest = rest[found.upperBound...]
      }
    }
  }

  /// Whether the broker accepts each publication of a user. It may end the link after one that it refuses.
  private func outcomes(_ broker: TestBroker, _ user: String, _ topics: [String]) throws -> [Bool] {
    var settings = BrokerSettings(host: "127.0.0.1", port: broker.port)
    settings.user = user
    settings.version = .version5
    let file = try place.file("password", "secret of \(user)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    settings.password = .file(file)
    let accepted = Guarded<[Bool]>([])
    let done = DispatchSemaphore(value: 0)
    @Sendable func next(_ publisher: any BrokerPublisher) {
      let count = accepted.with { $0.count }
      guard count < topics.count else { return _ = done.signal() }
      publisher.publish(BrokerPublication(topic: topics[count], payload: Data("{}".utf8)))
    }
    let link = BrokerLink(settings, identifier: "rights-\(user)") { event, publisher in
      switch event {
      case .connected: next(publisher)
      case .acknowledged(_, let code):
        accepted.with { $0.append(code < 128) }
        next(publisher)
      default: break
      }
    }
    link.start()
    #expect(done.wait(timeout: .now() + 60) == .success)
    return accepted.with { $0 }
  }

  @Test("I17.4 with the rights of the page a gateway speaks for itself only, and a panel commands one door")
  func rights() throws {
    let rights = try #require(blocks("file gateways.acl").first)
    let acl = try place.file("gateways.acl", rights + "\n")
    let passwords = place.path("passwords")
    let made = try place.shell(
      "cd '\(place.folder.path)' && touch passwords && for user in attic house panel; do mosquitto_passwd -b passwords $user \"secret of $user\" || exit; done; chmod 644 passwords gateways.acl; chmod 755 ."
    ).finish()
    #expect(made.status == 0)
    let broker = try TestBroker("allow_anonymous false\npassword_file \(passwords)\nacl_file \(acl)")
    let gateway = try outcomes(
      broker, "attic",
      ["ble/attic/status", "ble/attic/device/door/value/x", "ble/cellar/status", "ble/cellar/device/door/command"])
    #expect(gateway == [true, true, false, false])
    let panel = try outcomes(
      broker, "panel", ["ble/attic/device/door/command", "ble/attic/device/lamp/command", "ble/attic/status"])
    #expect(panel == [true, false, false])
    #expect(try outcomes(broker, "house", ["ble/house/status", "ble/attic/status"]) == [true, false])
  }
}
