import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

@Suite struct DeterminismTests {
  /// Everything that passed between hosts and controllers, hashed into one number as it passes.
  private final class Digest: HCITap {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var count = 0
    func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
      count += 1
      for octet in packet.octets { fold(UInt64(octet)) }
      fold(UInt64(bitPattern: instant.nanoseconds))
      fold(direction == .toHost ? 1 : 0)
    }
    private func fold(_ word: UInt64) { value = (value ^ word) &* 0x0000_0100_0000_01B3 }
  }

  private func run(seed: UInt64) async throws -> (value: UInt64, count: Int) {
    let world = StackWorld(seed: seed, loss: .independent(rate: 0.1))
    let digest = Digest()
    let toys = (0..<4).map { world.makeDevice(10 + $0, tap: digest) }
    let phones = (0..<3).map { world.makeDevice(20 + $0, tap: digest) }
    var peripherals: [TestPeripheral] = []
    for (number, toy) in toys.enumerated() {
      peripherals.append(try await world.makeChat(on: toy, name: "toy \(number)"))
    }
    var centrals: [TestCentral] = []
    for phone in phones {
      let central = phone.makeCentral()
      centrals.append(central)
      try await world.wait { central.states.last == .poweredOn }
      await world.perform { central.role.startScan(ScanParameters()) }
    }
    let all = centrals
    try await world.wait(.seconds(60)) { all.allSatisfy { Set($0.discoveries.map(\.peer)).count >= 4 } }
    for central in centrals {
      let found = central.discoveries.reduce(into: [PeerIdentifier]()) { found, discovery in
        if !found.contains(discovery.peer) { found.append(discovery.peer) }
      }
      await world.perform { for peer in found { central.role.connect(peer, options: ConnectionOptions()) } }
    }
    await world.advance(.seconds(20))
    for central in centrals {
      for (_, link) in central.connected {
        await world.perform {
          link.discoverServices(nil) { result in
            for service in (try? result.get()) ?? [] {
              link.discoverCharacteristics(nil, of: service) { result in
                for characteristic in (try? result.get()) ?? [] { link.setNotify(true, for: characteristic) { _ in } }
              }
            }
          }
        }
      }
    }
    await world.advance(.seconds(10))
    let everybody = peripherals
    await world.perform {
      for peripheral in everybody {
        peripheral.update([1, 2, 3], of: Chat.characteristic)
        peripheral.add(LocalService(uuid: BLEUUID(0x180F), isPrimary: true, characteristics: []))
      }
    }
    await world.advance(.seconds(5))
    for device in phones { device.stack.powerOff() }
    await world.advance(.seconds(10))
    return (digest.value, digest.count)
  }

  @Test("the same seed gives the same packets")
  func theSameSeedGivesTheSamePackets() async throws {
    let first = try await run(seed: 5)
    let second = try await run(seed: 5)
    let third = try await run(seed: 6)
    #expect(first.count > 1_000)
    #expect(first == second)
    #expect(first != third)
  }
}
