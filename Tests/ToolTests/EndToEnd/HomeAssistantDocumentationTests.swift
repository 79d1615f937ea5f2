import Foundation
import TestSupport
import Testing

/// What Docs/gateway-home-assistant.md shows is run, on a broker and an air of the test's own.
@Suite(
  "Docs/gateway-home-assistant.md", .serialized, .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct HomeAssistantDocumentationTests {
  @Test("I17.1 the page's commands print what it shows: a lock is announced, is opened, and says so")
  func quickStart() throws {
    let place = Neighbourhood()
    let page = try DocumentedTranscript("gateway-home-assistant.md")
    _ = try place.file(
      "lock.json",
      String(contentsOfFile: DocumentedTranscript.root + "/Examples/Devices/lock.json", encoding: .utf8))
    try page.run(in: place, TestBroker(), files: ["hall.json"])
  }
}
