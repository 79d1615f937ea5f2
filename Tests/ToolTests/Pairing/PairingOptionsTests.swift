import BLECore
import BLEHost
import BLEPairing
import BLEProfileFiles
import Foundation
import Testing

@testable import ble

@Suite("Pairing options of the command line")
struct PairingOptionsTests {
  private func options(_ words: String...) throws -> PairingOptions {
    guard case .run(_, let arguments) = try Tool.parser.parse(["read", "x", "FFF1"] + words) else {
      throw UsageError("nothing to run")
    }
    return try PairingOptions(arguments)
  }

  @Test("Each capability, a passkey and files are accepted")
  func eachCapabilityAPasskeyAndFilesAreAccepted() throws {
    for name in CapabilityName.allCases {
      #expect(try options("--io", name.rawValue).capability == name.capability)
    }
    #expect(Set(CapabilityName.allCases.map(\.capability)) == Set(PairingCapability.allCases))
    let all = try options("--passkey", "000001", "--oob", "a", "--make-oob", "b")
    #expect(all.passkey?.digits == "000001" && all.outOfBand == "a" && all.makeOutOfBand == "b")
    #expect(try options().capability == nil)
  }

  @Test(
    "An invalid pairing answer is an error of the command line",
    arguments: [
      (["--io", "display"], "Did you mean 'display-only'?"), (["--passkey", "12345"], "six digits"),
      (["--passkey", "12345x"], "six digits"), (["--passkey", "１２３４５６"], "six digits"),
      (["--oob", ""], "path of a file"),
      (["--io", "no-input-no-output", "--passkey", "123456"], "unusable"),
    ])
  func anInvalidPairingAnswerIsAnErrorOfTheCommand(words: [String], hint: String) throws {
    let error = try #require(throws: UsageError.self) {
      guard case .run(_, let arguments) = try Tool.parser.parse(["read", "x", "FFF1"] + words) else { return }
      _ = try PairingOptions(arguments)
    }
    #expect(error.message.contains(hint), "\(error.message)")
  }

  @Test("A passkey is typed by the side that connects and shown by the other, unless configured otherwise")
  func aPasskeyIsTypedByTheSideThatConnects() {
    let agent = CommandLineAgent { _ in }
    agent.change { $0.passkey = "123456" }
    #expect(agent.capability == .keyboardOnly && agent.wantsAuthentication)
    agent.change { $0.isPeripheral = true }
    #expect(agent.capability == .displayOnly)
    agent.change { $0.capability = .keyboardDisplay }
    #expect(agent.capability == .keyboardDisplay)
    agent.change { $0.capability = .noInputNoOutput }
    #expect(!agent.wantsAuthentication)
  }
}

@Suite("Out-of-band data as a file")
struct OutOfBandFileTests {
  private let low = "000102030405060708090a0b0c0d0e0f"
  private let high = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"

  private func read(_ text: String) throws -> PairingOutOfBandData {
    try OutOfBandFile.data(of: Array(text.utf8), "file")
  }

  @Test("Values are least significant octet first, in any order, among others")
  func valuesAreLeastSignificantOctetFirst() throws {
    // An address and a role, as near-field tags have them.
    let data = try read("# tag\n081b 0102030405C0 00\n021c00 1123\(high)\n \t1122\(low.uppercased())\n")
    #expect(data.peer?.confirm == Array((UInt8(0)...15).reversed()))
    #expect(data.peer?.random == Array((UInt8(0xF0)...0xFF).reversed()))
    #expect(data.temporaryKey == nil)
    #expect(try read("1110\(low)").temporaryKey == Array((UInt8(0)...15).reversed()))
  }

  @Test("Written data are read back, and only the user may read the file")
  func writtenDataAreReadBack() throws {
    let path = "/tmp/ble-oob-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("older and longer than what comes".utf8).write(to: URL(fileURLWithPath: path))
    let data = PairingOutOfBandData(peer: (random: Array(1...16), confirm: Array(17...32)))
    try OutOfBandFile.write(data, to: path)
    #expect(try OutOfBandFile.read(path) == data)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let error = try #require(throws: ToolError.self) { try OutOfBandFile.write(data, to: "/nowhere/at/all") }
    #expect(error.status == .noInput)
  }

  @Test("Everything else is reported as an error in the file")
  func everythingElseIsReportedAsAnErrorInTheFile() throws {
    let mistakes = [
      "", "# nothing\n", "hello", "1", "1122\(low)", "1123\(high)", "1122\(low)1123", "0322\(low)", "ff22\(low)", "0",
      "1122\(low)1123\(high)00", "05220000 0000", "021c00", "1022\(low.dropLast(2))1023\(high.dropLast(2))", "\u{0}",
    ]
    for text in mistakes {
      let error = #expect(throws: ToolError.self, "\(text)") { try read(text) }
      #expect(error?.status == .badData && error?.message.hasPrefix("file: ") == true)
    }
    #expect(throws: ToolError.self) { try OutOfBandFile.data(of: [0xFF, 0xFE], "file") }
    #expect(throws: ToolError.self) { try OutOfBandFile.read("/nowhere/at/all") }
    // Endless input is not read to its end.
    #expect(throws: ToolError.self) { try OutOfBandFile.read("/dev/zero") }
  }

  @Test(
    "I13.1 out-of-band data may come by a pipe; an empty or invalid pipe is an error and no hang"
  )
  func pipes() throws {
    let path = "/tmp/ble-oob-\(UUID().uuidString)"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let silent = try #require(throws: ToolError.self) { try OutOfBandFile.read(path, mayWait: true) }
    #expect(silent.status == .noInput && silent.message.contains("nothing was written"), "\(silent)")
    #expect(throws: ToolError.self) { try OutOfBandFile.read(path) }
    // Both ends, so that it exists before it is read, and does not end.
    let ends = open(path, O_RDWR)
    defer { close(ends) }
    let held = try #require(throws: ToolError.self) { try OutOfBandFile.read(path, mayWait: true) }
    #expect(held.message.contains("nothing was written"), "\(held)")
    // As a shell's <(command) is.
    var pipeEnds: [Int32] = [-1, -1]
    try #require(pipe(&pipeEnds) == 0)
    defer { close(pipeEnds[0]) }
    let text = Array("1110 00112233445566778899AABBCCDDEEFF\n".utf8)
    #expect(write(pipeEnds[1], text, text.count) == text.count)
    close(pipeEnds[1])
    let named = "/dev/fd/\(pipeEnds[0])"
    #expect(OutOfBandFile.isPipe(named) && !OutOfBandFile.isPipe("/proc/self/status"))
    #expect(try OutOfBandFile.read(named, mayWait: true).temporaryKey?.count == 16)
  }
}

@Suite("Questions about a pairing")
struct PairingQuestionTests {
  private final class Answers: @unchecked Sendable {
    var all: [PairingRequest.Answer] = []
  }

  private static func peer(_ name: String?, _ number: UInt64 = 1) -> PairingPeer {
    PairingPeer(address: DeviceAddress(0xC000_0000_0000 | number, kind: .random), name: name)
  }

  private func ask(_ kind: PairingRequest.Kind, name: String? = "Lock") -> (PairingRequest, Answers) {
    let answers = Answers()
    let peer = Self.peer(name)
    let request = PairingRequest(kind, method: .passkeyEntry, isSecureConnections: true, peer: peer) {
      answers.all.append($0)
    }
    return (request, answers)
  }

  @Test("Six digits are accepted in groups, other input is asked again, an empty line refuses")
  func sixDigitsAreAcceptedInGroups() {
    for text in ["123456", "123 456", " 123456 \r"] {
      let (request, answers) = ask(.enterPasskey)
      for mistake in ["12345", "1234567", "abcdef", "１２３４５６", "y"] { #expect(!request.answer(typed: mistake)) }
      #expect(request.answer(typed: text) && answers.all == [.passkey("123456")])
    }
    let (request, answers) = ask(.enterPasskey)
    #expect(request.answer(typed: " ") && answers.all == [.no] && request.isOver)
  }

  @Test(
    "Only a yes counts as yes",
    arguments: [
      ("y", true), ("YES", true), (" y ", true), ("", false), ("n", false), ("yes no", false), ("ye", false),
    ])
  func onlyAYesCountsAsYes(line: String, isYes: Bool) {
    for kind in [
      PairingRequest.Kind.compare("012345"), .confirmJustWorks,
      .replaceBond(of: Self.peer("Lock"), keptMethod: .outOfBand),
    ] {
      let (request, answers) = ask(kind)
      #expect(request.answer(typed: line) && answers.all == [isYes ? .yes : .no])
    }
  }

  @Test("I11.6 keys to be replaced are shown with name and address, also where another device claims the identity")
  func keysToBeReplacedAreShownWithNameAndAddress() {
    let same = ask(.replaceBond(of: Self.peer("Lock"), keptMethod: .justWorks)).0.question
    #expect(same.contains("\"Lock\" (C0:00:00:00:00:01) pairs again") && same.contains("Replace the keys of \"Lock\""))
    let other = ask(.replaceBond(of: Self.peer("Lock", 2), keptMethod: .justWorks), name: "Lamp").0.question
    #expect(other.contains("\"Lamp\" (C0:00:00:00:00:01) pairs by") && other.contains("claims to be \"Lock\""))
    #expect(other.contains("Replace the keys of \"Lock\" (C0:00:00:00:00:02), which were made by Just Works?"))
  }

  @Test(
    "I11.8 where no user can be asked only Just Works is accepted, and only where a program needs it",
    arguments: PairingOccasion.allCases)
  func whereNoUserCanBeAskedOnlyJustWorks(
    occasion: PairingOccasion
  ) {
    for kind in [
      PairingRequest.Kind.confirmJustWorks, .enterPasskey, .compare("1"),
      .replaceBond(of: Self.peer(nil), keptMethod: .justWorks),
    ] {
      let answers = Answers()
      let request = PairingRequest(
        kind, method: .justWorks, isSecureConnections: true, peer: Self.peer(nil), occasion: occasion
      ) { answers.all.append($0) }
      request.answerUnattended()
      #expect(answers.all == [kind == .confirmJustWorks && occasion != .unasked ? .yes : .no])
    }
  }

  @Test("A hostile name does not affect a terminal, and does not end the line")
  func aHostileNameDoesNotAffectATerminal() {
    let name = "\u{1B}[2J\r\n\u{202E}\u{7}evil" + String(repeating: "x", count: 500)
    for kind in [
      PairingRequest.Kind.enterPasskey, .compare("1"), .confirmJustWorks, .displayPasskey("123456"),
      .replaceBond(of: Self.peer(name, 2), keptMethod: .justWorks),
    ] {
      let text = ask(kind, name: name).0.question
      #expect(text.contains("evil") && text.utf8.count < 500)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }
  }
}
