import BLEAdapter
import BLECore
import BLEHost
import BLEVirtualRadio
import Testing

@Suite("The counters of a stack") struct CountersTests {
  @Test("I12.5 octets both ways, lost links by reason, and resets")
  func counts() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let peer = try #require(central.connected.first?.peer.identifier)
    let before = phone.stack.counters
    #expect(before.resets == 0 && before.restartedScans == 0 && before.lostLinks.isEmpty)
    // An exchange counts its own octets, and a write more than its value.
    let characteristic = try #require(try await world.discoverChat(central))
    let between = phone.stack.counters
    let written = Promised<Void>()
    await world.perform {
      central.link.write([UInt8](repeating: 7, count: 200), to: characteristic.value, written.fulfil)
    }
    try await world.wait { written.count == 1 }
    let after = phone.stack.counters
    let sent = try #require(after.sentOctets) - (between.sentOctets ?? 0)
    let received = try #require(after.receivedOctets) - (between.receivedOctets ?? 0)
    #expect((200...400).contains(sent) && (1..<200).contains(received), "\(sent), \(received)")

    // A disconnection requested here is no loss.
    await world.perform { central.role.cancelConnection(peer) }
    try await world.wait { phone.stack.linkCount == 0 }
    #expect(phone.stack.counters.lostLinks.isEmpty)
    // The peer's is one, and so is a controller that fails.
    await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { central.connected.count == 2 }
    toy.stack.powerOff()
    try await world.wait { phone.stack.linkCount == 0 }
    #expect(phone.stack.counters.lostLinks == [.closedByPeer: 1])
    toy.stack.powerOn()
    let states = central.states.count
    await world.advance(.seconds(1))
    _ = try await world.makeChat(on: toy)
    await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { central.connected.count == 3 }
    await world.perform { phone.controller?.failHardware(code: 1) }
    try await world.wait { central.states.count == states + 2 }
    let last = phone.stack.counters
    #expect(last.lostLinks == [.closedByPeer: 1, .poweredOff: 1] && last.resets == 1)
    #expect(last.sentOctets ?? 0 > after.sentOctets ?? 0)
    // A user who switches the adapter off loses nothing.
    phone.stack.powerOff()
    try await world.wait { central.states.last == .poweredOff }
    #expect(phone.stack.counters.resets == 1 && phone.stack.counters.lostLinks == last.lostLinks)
  }
}
