import BLECore
import BLETransports
import BLEWire
import Testing

@Suite("H4 framing")
struct H4ParserTests {
  private static let packets = [
    HCIPacket(DisconnectionCompleteEvent.examples[0]), HCIPacket(LEScanTimeoutEvent()),
    HCIPacket(HCIACLPacket(connectionHandle: ConnectionHandle(1), boundary: .firstFlushable, payload: [])),
    HCIPacket(
      HCIACLPacket(
        connectionHandle: ConnectionHandle(1), boundary: .continuing, payload: ArraySlice(repeating: 4, count: 300))),
    HCIPacket(kind: .synchronousData, octets: [1, 0, 2, 9, 9]),
    HCIPacket(kind: .isochronousData, octets: [1, 0, 3, 0x40, 7, 7, 7]),
    HCIPacket(kind: .event, octets: [0xFF, 0]),
  ]
  private static let stream = packets.flatMap { [$0.kind.rawValue] + $0.octets }

  @Test("H3: packets are found wherever the stream is cut in two")
  func cutInTwo() throws {
    for cut in 0...Self.stream.count {
      var parser = H4Parser(.toHost)
      var found: [HCIPacket] = []
      try parser.feed(Self.stream[..<cut]) { found.append($0) }
      try parser.feed(Self.stream[cut...]) { found.append($0) }
      #expect(found == Self.packets)
      #expect(parser.pendingCount == 0)
    }
  }

  @Test("H3: packets are found octet by octet and in random pieces", arguments: [1, 2, 3, 4] as [UInt64])
  func randomPieces(_ seed: UInt64) throws {
    let entropy = SeededEntropy(seed: seed)
    var parser = H4Parser(.toHost)
    var found: [HCIPacket] = []
    var rest = Self.stream[...]
    while !rest.isEmpty {
      let count = seed == 1 ? 1 : Int(entropy.uniform(1..<40))
      try parser.feed(rest.prefix(count)) { found.append($0) }
      rest = rest.dropFirst(count)
    }
    #expect(found == Self.packets, "seed \(seed)")
  }

  @Test("H3: an octet that is no indicator of this direction ends the stream permanently")
  func indicators() {
    for octet in UInt8.min...UInt8.max {
      for (direction, allowed) in [(HCIDirection.toHost, [2, 3, 4, 5]), (.toController, [1, 2, 3, 5])] as [(_, [UInt8])]
      {
        var parser = H4Parser(direction)
        if allowed.contains(octet) {
          #expect(throws: Never.self) { try parser.feed([octet]) { _ in } }
        } else {
          #expect(throws: H4Parser.Desynchronized(octet: octet)) { try parser.feed([octet]) { _ in } }
          #expect(throws: H4Parser.Desynchronized(octet: octet)) { try parser.feed([2, 1, 0, 0, 0]) { _ in } }
        }
      }
    }
  }

  @Test("H3: packets that were complete before the failure are delivered")
  func beforeTheEnd() {
    var parser = H4Parser(.toHost)
    var found = 0
    #expect(throws: H4Parser.Desynchronized.self) {
      try parser.feed(Self.stream[...] + [0x77] + Self.stream) { _ in found += 1 }
    }
    #expect(found == Self.packets.count)
  }

  @Test("H3: a claimed length allocates nothing before the octets are there")
  func claimedLength() throws {
    var parser = H4Parser(.toHost)
    try parser.feed([0x02, 0x01, 0x00, 0xFF, 0xFF]) { _ in Issue.record("no packet is whole") }
    #expect(parser.pendingCount == 4)
    var whole: HCIPacket?
    let piece = [UInt8](repeating: 0x02, count: 1000)
    for _ in 0..<66 { try parser.feed(piece[...]) { whole = $0 } }
    #expect(whole?.octets.count == 65_539)
  }

  @Test("random streams end or continue, and never hold more than a packet", arguments: 0..<20 as Range<UInt64>)
  func random(_ seed: UInt64) {
    let entropy = SeededEntropy(seed: seed)
    var parser = H4Parser(.toController)
    for _ in 0..<500 {
      var octets = entropy.octets(Int(entropy.uniform(0..<64)))
      if !octets.isEmpty, parser.pendingCount == 0 { octets[0] = UInt8(entropy.uniform(1..<4)) }
      do { try parser.feed(octets[...]) { #expect($0.octets.count >= 3) } } catch { break }
      #expect(parser.pendingCount <= 65_539)
    }
  }
}
