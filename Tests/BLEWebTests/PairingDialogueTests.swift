import BLETestKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Pairing as a dialogue in the page", .timeLimit(.minutes(10)))
struct PairingDialogueTests {
  /// A user of the other device who agrees to everything, and whose device shows the passkey on its label.
  private final class Label: PairingAgent {
    let capability = PairingCapability.displayOnly
    func pairing(_ request: PairingRequest) { request.accept() }
  }

  private static func scene(isReadOnly: Bool = false) async -> ExplorerScene {
    let scene = await ExplorerScene(isReadOnly: isReadOnly)
    scene.other.setPairingAgent(Label())
    var policy = SecurityPolicy()
    policy.fixedPasskey = .init("246810")
    scene.other.setSecurityPolicy(policy)
    return scene
  }

  /// Reads the protected value; `answer` is called with the number of the question.
  private static func read(_ scene: ExplorerScene, answer: (Int) async throws -> Void) async throws
    -> ExplorerScene.Answer
  {
    let device = "devices/\(try await scene.connect())"
    let read = scene.begin("POST", "\(device)/read", #"{"characteristic":"FF31"}"#)
    let open = try await scene.eventually("pairings") { $0["pairings", 0, "number"] is Int }
    #expect(
      open["pairings", 0, "kind"] as? String == "enter-passkey"
        && open["pairings", 0, "peer", "name"] as? String == "Owenli")
    try await answer(try #require(open["pairings", 0, "number"] as? Int))
    return try await scene.end(read)
  }

  @Test("I15.1 the passkey that a browser enters pairs, and the protected value is read")
  func passkey() async throws {
    let scene = await Self.scene()
    let read = try await Self.read(scene) { number in
      var given: [Int] = []
      for body in [
        #"{"accept":true}"#, #"{"accept":true,"passkey":"12345"}"#, #"{"accept":true,"passkey":"12345x"}"#,
        #"{"accept":true,"passkey":"246810"}"#, #"{"accept":false}"#,
      ] {
        given.append(try await scene.ask("POST", "pairings/\(number)", body).status)
      }
      // The last one is another browser's, which is late.
      #expect(given == [400, 400, 400, 200, 404])
    }
    #expect(read.status == 200 && read["value", "utf8"] as? String == "secret", "\(read)")
    #expect(try await scene.ask("GET", "pairings").text == #"{"pairings":[]}"#)
  }

  @Test(
    "I15.1 a wrong passkey, and a refusal, read nothing",
    arguments: [#"{"accept":true,"passkey":"111111"}"#, #"{"accept":false}"#])
  func refusal(answer: String) async throws {
    let scene = await Self.scene()
    let read = try await Self.read(scene) { number in _ = try await scene.ask("POST", "pairings/\(number)", answer) }
    #expect(read.status == 424 && !read.text.contains("secret"), "\(read)")
  }

  @Test("I15.1 a question without an answer is refused when the pairing times out, and is not open any more")
  func silence() async throws {
    let scene = await Self.scene()
    let read = try await Self.read(scene) { _ in }
    #expect(read.status >= 400 && read.status < 500 && !read.text.contains("secret"), "\(read)")
    try await scene.eventually("pairings") { $0.text == #"{"pairings":[]}"# }
  }

  @Test("I15.1 a read-only explorer agrees to no pairing")
  func readOnly() async throws {
    let scene = await Self.scene(isReadOnly: true)
    let answered = Answers()
    let request = PairingRequest(
      .confirmJustWorks, method: .justWorks, isSecureConnections: true,
      peer: PairingPeer(address: scene.other.address, name: "Owenli"), occasion: .unasked
    ) { answered.add($0) }
    scene.explorer.dialogue.pairing(request)
    #expect(answered.all == [.no])
    #expect(scene.explorer.dialogue.capability == .noInputNoOutput)
  }

  @Test("I15.1 more questions than people can answer are refused")
  func flood() async throws {
    let scene = await Self.scene()
    let answered = Answers()
    let requests = (0..<40).map { number in
      PairingRequest(
        .confirmJustWorks, method: .justWorks, isSecureConnections: true,
        peer: PairingPeer(address: DeviceAddress(UInt64(number), kind: .random), name: "\u{202E}\u{1B}[2J"),
        occasion: .unasked
      ) { answered.add($0) }
    }
    for request in requests { scene.explorer.dialogue.pairing(request) }
    #expect(answered.all == Array(repeating: .no, count: 24))
    let open = try await scene.ask("GET", "pairings")
    #expect((open["pairings"] as? [Any])?.count == 16)
    withExtendedLifetime(requests) {}
  }

  private final class Answers: Sendable {
    private let answers = Mutex<[PairingRequest.Answer]>([])
    var all: [PairingRequest.Answer] { answers.withLock { $0 } }
    func add(_ answer: PairingRequest.Answer) { answers.withLock { $0.append(answer) } }
  }
}
