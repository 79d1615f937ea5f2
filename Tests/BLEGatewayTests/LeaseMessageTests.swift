import BLECore
import BLEGateway
import Testing

@Suite("Messages of leases")
struct LeaseMessageTests {
  private let hall: GatewayInstance
  private let lease: Lease
  private let topic = LeaseTopic.lease(device: "C0:FF:EE:01:02:03")

  init() throws {
    hall = try #require(GatewayInstance(gateway: "hall", instance: "5f2c"))
    lease = Lease(
      device: "C0:FF:EE:01:02:03", holder: hall, epoch: 7, revision: 3, phase: .released, expires: .seconds(3),
      strength: -61.5, successor: GatewayInstance(gateway: "attic", instance: "9"),
      subscriptions: ["180F/2A19"], last: 12)
  }

  private func mistake(_ payload: String, on topic: LeaseTopic) -> String? {
    do throws(LeaseMessageError) {
      _ = try LeaseMessage(payload.utf8, on: topic)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("I17.3 a lease, an offer and a pulse come back from JSON as they were")
  func thereAndBack() throws {
    let messages: [LeaseMessage] = [
      .lease(lease), .lease(Lease(device: "lamp", holder: hall, epoch: 1, expires: .milliseconds(2_500))),
      .offer(LeaseOffer(device: "lamp", candidate: hall, epoch: 8, strength: -50)),
      .pulse(GatewayPulse(sender: hall, number: 17)), .pulse(GatewayPulse(sender: hall, number: 0, isEnd: true)),
    ]
    for message in messages {
      #expect(try LeaseMessage(message.payload.utf8, on: message.topic) == message)
      #expect(LeaseTopic(path: message.topic.path) == message.topic)
    }
    #expect(messages.map(\.isRetained) == [true, true, false, false, false])
  }

  @Test("I17.3 the message of a lease is the one of the documentation")
  func documented() throws {
    #expect(
      LeaseMessage.lease(lease).payload
        == #"{"format":"ble-gateway/1","device":"C0:FF:EE:01:02:03","gateway":"hall","instance":"5f2c","epoch":7,"#
        + #""revision":3,"phase":"released","expires":3.0,"strength":-61.5,"successor":"attic/9","#
        + #""subscriptions":["180F/2A19"],"last":12}"#)
  }

  @Test(
    "I17.3 what is no lease is refused with a sentence that says what was expected",
    arguments: [
      ("", "expected a value"), ("7", "expected an object"), ("{}", "needs \"format\""),
      (#"{"format":"ble-gateway/0"}"#, "another version has published this"),
      (#"{"format":"ble-gateway/1","device":"lamp"}"#, "expected the device of the topic"),
    ])
  func nonsense(payload: String, expected: String) throws {
    let found = try #require(mistake(payload, on: topic))
    #expect(found.contains(expected), "\(found)")
  }

  @Test(
    "I17.3 a lease with one member out of its range is refused",
    arguments: [
      (#""epoch":7"#, #""epoch":0"#), (#""epoch":7"#, #""epoch":9007199254740993"#), (#""epoch":7"#, #""epoch":1e400"#),
      (#""epoch":7"#, #""epoch":7.5"#), (#""revision":3"#, #""revision":-1"#), (#""released""#, #""Released""#),
      (#""expires":3.0"#, #""expires":0"#), (#""expires":3.0"#, #""expires":1e9"#),
      (#""strength":-61.5"#, #""strength":400"#), (#""strength":-61.5"#, #""strength":"strong""#),
      (#""attic/9""#, #""attic""#), (#""attic/9""#, #""a/b/c""#), (#""hall""#, #""+""#), (#""hall""#, #""a/#""#),
      (#""5f2c""#, #""""#), (#"["180F/2A19"]"#, #"[1]"#), (#""last":12"#, #""last":-1"#),
    ])
  func outOfRange(right: String, wrong: String) throws {
    let payload = LeaseMessage.lease(lease).payload
    let damaged = payload.replacing(right, with: wrong)
    #expect(damaged != payload && mistake(damaged, on: topic) != nil)
    #expect(mistake(payload, on: topic) == nil)
  }

  @Test("I17.3 a payload that is too long is not read, and members that are not known are ignored")
  func bounds() {
    let payload = LeaseMessage.lease(lease).payload
    #expect(mistake(payload.replacing("{", with: #"{"newer":[{"a":1}],"#), on: topic) == nil)
    #expect(mistake(payload + String(repeating: " ", count: 8_192), on: topic) != nil)
    #expect(mistake(String(repeating: "[", count: 5_000), on: topic) != nil)
    let subscriptions = (0..<65).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(mistake(payload.replacing(#""180F/2A19""#, with: subscriptions), on: topic) != nil)
  }

  @Test(
    "I17.3 a topic with a wildcard, an empty level or a level too many is no topic of leases",
    arguments: ["lease/", "lease/+", "lease/#", "lease/a/b", "lease", "value/a", "lease/a b", "lease/\u{0}", ""])
  func topics(path: String) { #expect(LeaseTopic(path: path) == nil) }

  @Test("I17.3 leases are ordered by epoch, then by holder, then by revision")
  func ranks() throws {
    let attic = try #require(GatewayInstance(gateway: "attic", instance: "9"))
    let ranks = [(1, hall, 9), (2, attic, 1), (2, attic, 2), (2, hall, 1), (3, attic, 1)].map {
      Lease(device: "lamp", holder: $0.1, epoch: $0.0, revision: $0.2, expires: .seconds(3)).rank
    }
    #expect(ranks == ranks.shuffled().sorted())
  }

  @Test("I17.3 a payload with octets changed, cut or doubled is read or refused, and what is read comes back the same")
  func damaged() throws {
    let chance = SeededEntropy(seed: 17)
    let payload = Array(LeaseMessage.lease(lease).payload.utf8)
    var (read, refused) = (0, 0)
    let letters = Array("0123456789-.e{}[],:\"".utf8)
    for _ in 0..<3_000 {
      var octets = payload
      for _ in 0...chance.uniform(0..<3) {
        let place = Int(chance.uniform(0..<UInt64(octets.count)))
        switch chance.uniform(0..<4) {
        case 0: octets[place] = UInt8(truncatingIfNeeded: chance.next())
        case 1: octets.remove(at: place)
        case 2: octets.insert(contentsOf: octets[..<place], at: place)
        default: octets[place] = letters[Int(chance.uniform(0..<UInt64(letters.count)))]
        }
      }
      guard let message = try? LeaseMessage(octets, on: topic) else {
        refused += 1
        continue
      }
      read += 1
      let again = try LeaseMessage(message.payload.utf8, on: topic)
      #expect(again.payload == message.payload)
    }
    #expect(read > 100 && refused > 1_000)
  }
}
