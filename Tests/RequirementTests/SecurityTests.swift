import BLETestKit
import CoreBluetooth
import Testing

/// Pairing, bonds and encryption as programs see them: nobody calls for a pairing, it happens.
@Suite("Security through Core Bluetooth", .keepsCapture)
struct SecurityTests {
  @Test("R3.5 a value that needs encryption is read: the link is paired and encrypted without a word of the programs")
  func encryptedRead() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.safe(on: $0).program })
    let secret = try talk.characteristic("FF31")
    #expect(talk.phone.bonds.isEmpty)
    talk.found.readValue(for: secret)
    await world.settle()
    #expect(talk.central.events.last == .value("FF31", "secret"))
    #expect(talk.phone.bonds.map(\.address) == [talk.other.address])
    #expect(talk.other.bonds.map(\.address) == [talk.phone.address])
    #expect(talk.phone.bonds.first?.security.isSecureConnections == true)
    #expect(talk.phone.bonds.first?.security.method == .justWorks)
  }
}
