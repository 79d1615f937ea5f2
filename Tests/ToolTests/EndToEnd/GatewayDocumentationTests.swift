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
  private let page: DocumentedTranscript

  init() throws { page = try DocumentedTranscript("gateway.md") }

  @Test("I17.5 the quick start's commands print what the page shows, but for times, numbers and identifiers")
  func quickStart() throws {
    let broker = try TestBroker()
    try page.run(in: place, broker, files: ["attic.json"])
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
    let rights = try #require(page.blocks("file gateways.acl").first)
    let acl = try place.file("gateways.acl", rights + "\n")
    let passwords = place.path("passwords")
    let made = try place.shell(
      "cd '\(place.folder.path)' && touch passwords && for user in attic house porter panel; do mosquitto_passwd -b passwords $user \"secret of $user\" || exit; done; chmod 644 passwords gateways.acl; chmod 755 ."
    ).finish()
    #expect(made.status == 0)
    let broker = try TestBroker("allow_anonymous false\npassword_file \(passwords)\nacl_file \(acl)")
    let gateway = try outcomes(
      broker, "attic",
      ["ble/attic/status", "ble/attic/device/door/value/x", "ble/cellar/status", "ble/cellar/device/door/command"])
    #expect(gateway == [true, true, false, false])
    let leases = ["ble/fleet/lease/desk", "ble/fleet/offer/desk", "ble/fleet/pulse/attic", "ble/fleet/pulse/cellar"]
    #expect(try outcomes(broker, "attic", leases) == [true, true, true, false])
    #expect(try outcomes(broker, "panel", leases) == [false, false, false, false])
    let panel = try outcomes(
      broker, "panel", ["ble/attic/device/door/command", "ble/attic/device/lamp/command", "ble/attic/status"])
    #expect(panel == [true, false, false])
    let porter = [
      "ble/porter/presence/tag", "ble/porter/merged/tag", "ble/attic/presence/tag", "ble/attic/device/tag/rssi",
    ]
    #expect(try outcomes(broker, "porter", porter) == [true, true, false, false])
    #expect(try outcomes(broker, "house", ["ble/house/status", "ble/attic/status"]) == [true, false])
  }
}
