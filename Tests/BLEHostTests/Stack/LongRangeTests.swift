import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

/// Devices that advertise on LE Coded.
@Suite struct LongRangeTests {
  private static let name = "Far away"
  private static let data: [UInt8] = [2, 1, 6, UInt8(name.utf8.count + 1), 9] + Array(name.utf8)

  private func names(_ phys: SearchPHYs, quirks: ControllerQuirks = []) async throws -> Set<String?> {
    let world = StackWorld()
    let phone = world.makeDevice(
      1, options: HostOptions(searchPHYs: phys), configuration: ControllerConfiguration(quirks: quirks))
    _ = try await world.makeChat(on: world.makeDevice(2))
    let far = try BareDevice(world, 3)
    await world.perform { far.advertiseOnCodedPHY(Self.data) }
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters()) }
    await world.advance(.seconds(10))
    return Set(central.discoveries.map(\.content.localName))
  }

  @Test("I11.35 devices are found on the chosen PHYs: LE 1M alone by default, as on Apple's devices")
  func scanning() async throws {
    #expect(HostOptions().searchPHYs == .le1M)
    #expect(try await names(.le1M) == ["My dear"])
    #expect(try await names(.leCoded) == [Self.name])
    #expect(try await names(.both) == ["My dear", Self.name])
    // A controller that supports only LE 1M is used as it is.
    #expect(try await names(.both, quirks: .noExtendedAdvertising) == ["My dear"])
  }

  @Test(
    "I11.35 a long-range device is connected on LE Coded, and stays there", arguments: [SearchPHYs.leCoded, .both])
  func connecting(phys: SearchPHYs) async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, options: HostOptions(searchPHYs: phys))
    let far = try BareDevice(world, 3)
    await world.perform { far.advertiseOnCodedPHY(Self.data) }
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters()) }
    try await world.wait { central.discoveries.count == 1 }
    await world.perform {
      central.role.stopScan()
      central.role.connect(central.discoveries[0].peer, options: ConnectionOptions())
    }
    try await world.wait { central.connected.count == 1 }
    await world.advance(.seconds(5))
    #expect(phone.stack.linkCount == 1)
    // It was never asked to change to a PHY with a shorter range.
    #expect(far.phy == nil)
  }

  @Test("I11.35 where both are searched, a device on LE 1M still gets the faster PHY")
  func connectingNearby() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, options: HostOptions(searchPHYs: .both))
    let changes = PHYChanges()
    let toy = world.makeDevice(2, tap: changes)
    _ = try await world.makeChat(on: toy)
    _ = try await world.connectChat(from: phone)
    try await world.wait { changes.phys == [.le2M] }
  }

  private final class PHYChanges: HCITap {
    private(set) var phys: [LEPHY] = []
    func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
      guard packet.kind == .event, let octets = try? HCIEventPacket(packet.octets), let event = try? HCIEvent(octets),
        case .lePHYUpdateComplete(let update) = event
      else { return }
      phys.append(update.transmitPHY)
    }
  }
}
