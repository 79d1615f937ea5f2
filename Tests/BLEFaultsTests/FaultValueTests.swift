import BLECore
import BLEFaults
import BLEWire
import Testing

/// Faults as values: their sentences, and their forms as text.
@Suite("Faults")
struct FaultValueTests {
  /// Every kind of event, occurrence, target and action.
  static let all: [Fault] = {
    let uuid = BLEUUID(0x2A37)
    let long = BLEUUID(high: 0x7E57_0001_7E57_4E57, low: 0x8E57_7E57_0000_0001)
    let targets: [FaultTarget] = [
      .any, .characteristic(uuid), .characteristic(long), .descriptor(BLEUUID(0x2901), of: long),
      .handle(AttributeHandle(0x12)),
    ]
    let events: [FaultEvent] =
      targets.flatMap { target in
        [
          .read(target), .write(target), .writeWithoutResponse(target), .notification(target), .indication(target),
          .subscription(target), .unsubscription(target),
        ]
      } + FaultPhase.allCases.map { .phase($0) } + [
        .packet(.attributeProtocol(.readResponse), from: nil),
        .packet(.attributeProtocol(ATTOpcode(0x44)), from: .peer),
        .packet(.securityManager(.pairingRequest), from: .device), .packet(.signaling(.commandReject), from: nil),
        .time(.milliseconds(12_500)), .connectionTime(.seconds(2)),
      ]
    let occurrences: [FaultOccurrence] = [
      .nth(1), .nth(2), .nth(3), .nth(11), .every, .startingWith(4), .first(3), .chance(perMille: 125),
      .chance(perMille: 1_000),
    ]
    let actions =
      Fault.known.map(\.action) + [
        .delay(.milliseconds(31_250)), .repeated(3), .cut(to: 1), .silence(.milliseconds(1)),
        .disconnect(.unacceptableConnectionParameters),
      ]
    return events.flatMap { event in
      occurrences.flatMap { occurrence in actions.map { Fault.at(event, occurrence, $0) } }
    }.filter { fault in
      if case .time = fault.trigger.event, fault.trigger.occurrence != .nth(1) { return false }
      return fault.mistake == nil
    }
  }()

  @Test("I14.2 every fault reads back from its JSON and from its words as the same fault, and its sentence is its own")
  func roundTrip() throws {
    #expect(Self.all.count > 3_000)
    #expect(Set(Self.all.map(\.action.kind)) == Set(FaultAction.Kind.allCases))
    for fault in Self.all {
      #expect(try Fault(text: fault.json) == fault, "\(fault.json)")
      #expect(try Fault(text: fault.words) == fault, "\(fault.words)")
    }
    #expect(Set(Self.all.map(\.description)).count == Set(Self.all).count)
    for start in stride(from: 0, to: Self.all.count, by: FaultFile.mostFaults) {
      let file = FaultFile(faults: Array(Self.all[start..<min(start + FaultFile.mostFaults, Self.all.count)]))
      #expect(try FaultFile(text: file.json, file: "all.json") == file)
    }
  }

  @Test(
    "I14.2 a fault is a sentence",
    arguments: [
      ("read 2A37 nth 2 error 0x0E", "at the 2nd read of 2A37, the answer is Unlikely Error (0x0E)"),
      ("write any delay 31", "at the 1st write of any characteristic, the answer comes 31 s late"),
      ("notification 2A37 every drop", "at every notification of 2A37, it is lost"),
      ("read 2A37/2901 no_answer", "at the 1st read of descriptor 2901 of 2A37, no answer comes"),
      (
        "phase discovery disconnect 0x13",
        "at the 1st request of a discovery, the device ends the link with Remote User Terminated Connection (0x13)"
      ),
      ("connection_time 2.5 silence 8", "2.5 s after the 1st connection, the device is silent for 8 s"),
      ("time 60 forget_bond", "60 s after the start, the device forgets its bonds"),
      (
        "packet \"Pairing Random\" from device flip 1 0x80",
        "at the 1st Pairing Random from the device, it has octet 1 inverted by 0x80"
      ),
      (
        "notification any chance 0.125 repeat 1",
        "at each notification of any characteristic with a probability of 12.5 %, it comes 1 times more"
      ),
      ("phase mtu_exchange declare_mtu 512", "at the 1st request for an MTU, an MTU of 512 is declared"),
    ])
  func sentence(words: String, sentence: String) throws {
    let fault = try Fault(text: words)
    #expect(fault.description == sentence)
    #expect(fault.words == words)
  }

  @Test("I14.2 each fault says whether a correct device can cause it or only a broken one")
  func origin() throws {
    let correct = [
      "read any error 0x0E", "write any delay 29", "phase discovery disconnect 0x13", "connection_time 1 restart",
      "connection_time 1 remove_service 180F", "time 1 forget_bond", "time 1 silence 3", "notification any drop",
      "read any cut_to 0",
    ]
    let broken = [
      "read any no_answer", "write any delay 31", "phase mtu_exchange declare_mtu 512", "time 1 fill_queue 40",
      "time 1 send_att 0b00", "indication any drop", "packet \"Pairing Confirm\" flip 0 0x01",
    ]
    for words in correct { #expect(try Fault(text: words).origin == .correctDevice, "\(words)") }
    for words in broken { #expect(try Fault(text: words).origin == .brokenDevice, "\(words)") }
  }

  @Test(
    "I14.2 faults that are drawn can strike, are the same for the same seed, and become simpler until they are simplest"
  )
  func drawing() {
    for kind in FaultAction.Kind.allCases {
      for seed in 0..<200 as Range<UInt64> {
        let fault = Fault.drawn(kind, by: SeededEntropy(seed: seed))
        #expect(fault.action.kind == kind && fault.mistake == nil, "\(fault)")
        #expect(fault == Fault.drawn(kind, by: SeededEntropy(seed: seed)))
        var (simplest, steps) = (fault, 0)
        while let simpler = simplest.simpler.last, steps < 100 {
          #expect(simpler.mistake == nil && simpler.action.kind == kind)
          (simplest, steps) = (simpler, steps + 1)
        }
        #expect(steps < 100)
      }
    }
    #expect(Fault.known.map(\.action.kind) == FaultAction.Kind.allCases)
    #expect(Fault.known.allSatisfy { $0.mistake == nil })
  }
}
