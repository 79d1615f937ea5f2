import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// A client against scripted octets.
private final class ScriptedServer {
  let channel = RawChannel()
  let client: GATTClient
  var requests: [String] = []

  init() { client = GATTClient(bearer: ATTBearer(loop: VirtualLoop(), channel: channel)) }

  /// Answers each request with the result of `answer`, at most `limit` times.
  func play(limit: Int = 1000, _ answer: (String) -> String) {
    while let request = channel.sent.first, requests.count < limit {
      channel.sent.removeFirst()
      requests.append(request.hexadecimal)
      client.bearer.receive(([UInt8](hexadecimal: answer(request.hexadecimal)) ?? [])[...])
    }
  }
}

@Suite struct GATTClientTests {
  /// Lists that a peer may send endlessly: each procedure must end, with an error.
  @Test(
    "A2 invalid lists end a discovery with an error",
    arguments: [
      // Format 0 and 3, no entry, a remainder.
      "0500010028", "0503010000280000", "0501", "050101000028ff",
      // Sizes 0 and 1, too small, no entry, a remainder.
      "0900", "0901aa", "09020100", "0907", "0907020002030000", "1100", "1103aabbcc", "1106", "11060100020000",
      // Handles that descend, repeat, lie before the range, are 0.
      "050105000028040001280", "0501050000280500012800", "0501000000280000", "11060500060000180400040001",
      "110605000600001805000600011800", "1106000000000018", "11060900050000180000", "09070500020600002a",
      // Groups with the end before the start, characteristics with a value of the wrong length.
      "11060500040000180000", "090605000206002a", "07050004000000", "070500040005000400", "0700000000",
    ])
  func invalidListsEndADiscoveryWithAnError(answer: String) {
    let answer = answer.count % 2 == 0 ? answer : String(answer.dropLast())
    let opcode = answer.prefix(2)
    let server = ScriptedServer()
    var failed = false
    func finish<Value>(_ result: Result<Value, OperationError>) {
      if case .failure(.protocolViolation) = result { failed = true }
    }
    let first = AttributeHandle(6)
    switch opcode {
    case "05": server.client.discoverDescriptors(from: first, through: .last, finish)
    case "07": server.client.discoverServices(with: BLEUUID(0x1800), finish)
    case "09": server.client.discoverCharacteristics(from: first, through: .last, finish)
    default: server.client.discoverServices(GATTType.primaryService, finish)
    }
    // The first request of a search for services starts at 1: let it reach handle 6.
    server.play { request in
      let begins = request.hasPrefix("100100") ? "1106010005000118" : request.hasPrefix("060100") ? "0701000500" : ""
      return begins.isEmpty ? answer : begins
    }
    #expect(failed)
    #expect(server.requests.count <= 2)
  }

  @Test("A2 a peer that always has one more entry is followed to the last handle and no further")
  func aPeerThatAlwaysHasOneMoreEntryIsFollowed() {
    let server = ScriptedServer()
    var count: Int?
    server.client.discoverDescriptors(from: .first, through: .last) { count = (try? $0.get())?.count }
    server.play(limit: 70_000) { request in "0501" + request.dropFirst(2).prefix(4) + "0029" }
    #expect(count == 65535)
    #expect(server.requests.count == 65535)
  }

  @Test("A2 a peer whose value never ends is truncated at 512 octets")
  func aPeerWhoseValueNeverEndsIsTruncatedAt512() {
    let server = ScriptedServer()
    var value: ArraySlice<UInt8>?
    server.client.readLong(.first) { value = try? $0.get() }
    server.play { request in (request.hasPrefix("0a") ? "0b" : "0d") + String(repeating: "55", count: 22) }
    #expect(value?.count == 512)
    #expect(server.requests.count == 24)
  }

  @Test("included services of 128 bits whose UUID cannot be read end with an error")
  func includedServicesOf128BitsWhoseUUIDCannotBeRead() {
    for answer in ["0b0011", "010a200002"] {
      let server = ScriptedServer()
      var result: Result<[IncludeDeclaration], OperationError>?
      server.client.findIncludedServices(from: .first, through: .last) { result = $0 }
      server.play { $0.hasPrefix("08") ? "0906020020002f00" : answer }
      if case .failure? = result {} else { Issue.record("no failure: \(answer)") }
    }
  }

  @Test("security is raised once, and the request repeated once")
  func securityIsRaisedOnce() {
    for (code, raises) in [("05", true), ("0f", true), ("0c", true), ("08", false)] {
      let server = ScriptedServer()
      var asked: [ATTErrorCode] = []
      server.client.raiseSecurity = { code, answer in
        asked.append(code)
        answer(.raised)
      }
      var result: Result<ArraySlice<UInt8>, OperationError>?
      server.client.read(.first) { result = $0 }
      server.play { _ in "010a0100" + code }
      #expect(result == .failure(.attribute(code: UInt8(code, radix: 16) ?? 0)))
      #expect(asked.count == (raises ? 1 : 0))
      #expect(server.requests.count == (raises ? 2 : 1))
    }
    let server = ScriptedServer()
    server.client.raiseSecurity = { _, answer in answer(.failed) }
    var result: Result<ArraySlice<UInt8>, OperationError>?
    server.client.read(.first) { result = $0 }
    server.play { _ in "010a010005" }
    #expect(result == .failure(.attribute(code: 5)))
    #expect(server.requests.count == 1)
  }

  @Test("a reliable write whose echo is wrong is cancelled")
  func aReliableWriteWhoseEchoIsWrongIsCancelled() {
    for wrong in ["17010000000100", "170200000001", "170100010001", "1701000000"] {
      let server = ScriptedServer()
      var result: Result<Void, OperationError>?
      server.client.writeLong([1], to: .first, checksEcho: true) { result = $0 }
      server.play { $0.hasPrefix("16") ? wrong : "19" }
      if case .failure(.protocolViolation)? = result {} else { Issue.record("\(wrong)") }
      #expect(server.requests == ["160100000001", "1800"])
    }
    let server = ScriptedServer()
    var result: Result<Void, OperationError>?
    server.client.writeLong([1], to: .first, checksEcho: false) { result = $0 }
    server.play { $0.hasPrefix("16") ? "170100000002" : "19" }
    if case .success? = result {} else { Issue.record("a long write does not look at the echo") }
  }

  @Test("values of several lengths are read in one request")
  func valuesOfSeveralLengthsAreReadInOneRequest() {
    let server = ScriptedServer()
    var tuples: [ATTReadMultipleVariableResponse.LengthValueTuple] = []
    server.client.readMultipleVariable([.first, .last]) { tuples = (try? $0.get()) ?? [] }
    server.play { _ in "2101000902000a0b" }
    #expect(tuples.map { Array($0.attributeValue) } == [[9], [0x0A, 0x0B]])
    #expect(server.requests == ["200100ffff"])
  }
}
