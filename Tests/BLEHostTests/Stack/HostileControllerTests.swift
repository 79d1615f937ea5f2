import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

@Suite struct HostileControllerTests {
  /// A phone whose controller sends invalid events during its work.
  private final class Hostile {
    let world: StackWorld
    let entropy: SeededEntropy
    let stack: HostStack
    let transport: Box
    final class Box { var transport: WrappedTransport? }

    init(seed: UInt64) {
      let world = StackWorld(seed: seed)
      let box = Box()
      self.world = world
      entropy = SeededEntropy(seed: seed)
      transport = box
      stack = HostStack(
        loop: world.loop, entropy: SeededEntropy(seed: seed),
        peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: seed))
      ) { () throws(TransportError) in
        let transport = WrappedTransport(world.air.makeController(address: DeviceAddress(0xAA01, kind: .public)))
        box.transport = transport
        return transport
      }
      stack.start()
    }

    private var handle: ConnectionHandle { ConnectionHandle(UInt16(entropy.uniform(0x3E..<0x48))) }
    private var status: HCIErrorCode {
      HCIErrorCode(rawValue: entropy.uniform(0..<3) == 0 ? UInt8(entropy.uniform(0..<0x46)) : 0)
    }
    private var address: HCIAddress {
      HCIAddress(DeviceAddress(0x00AA_0000_0000 + entropy.uniform(0..<6), kind: .public))
    }

    func misbehave() {
      let packet: HCIPacket
      switch entropy.uniform(0..<9) {
      case 0, 1:
        packet = HCIPacket(
          LEConnectionCompleteEvent(
            status: status, connectionHandle: handle, role: entropy.uniform(0..<2) == 0 ? .central : .peripheral,
            peerAddress: address, interval: ConnectionInterval(rawValue: UInt16(entropy.uniform(0..<4000))), latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 100), clockAccuracy: .ppm500))
      case 2:
        packet = HCIPacket(DisconnectionCompleteEvent(status: status, connectionHandle: handle, reason: status))
      case 3:
        packet = HCIPacket(
          LEReadRemoteFeaturesCompleteEvent(
            status: status, connectionHandle: handle, features: LEFeatures(rawValue: entropy.next())))
      case 4:
        packet = HCIPacket(
          LEAdvertisingSetTerminatedEvent(
            status: status, advertisingHandle: LEAdvertisingHandle(rawValue: UInt8(entropy.uniform(0..<3))),
            connectionHandle: handle, completedEvents: 0))
      case 5:
        packet = HCIPacket(
          LERemoteConnectionParameterRequestEvent(
            connectionHandle: handle,
            intervalMinimum: ConnectionInterval(rawValue: UInt16(truncatingIfNeeded: entropy.next())),
            intervalMaximum: ConnectionInterval(rawValue: UInt16(truncatingIfNeeded: entropy.next())),
            latency: UInt16(truncatingIfNeeded: entropy.next()),
            supervisionTimeout: SupervisionTimeout(rawValue: UInt16(truncatingIfNeeded: entropy.next()))))
      case 6:
        packet = HCIPacket(
          LEAdvertisingReportEvent(reports: [
            .init(
              type: LEAdvertisingReportType(rawValue: UInt8(entropy.uniform(0..<6))), address: address,
              data: entropy.octets(Int(entropy.uniform(0..<32)))[...], rssi: -50)
          ]))
      case 7:
        packet = HCIPacket(
          HCIACLPacket(
            connectionHandle: handle, boundary: entropy.uniform(0..<2) == 0 ? .firstFlushable : .continuing,
            payload: entropy.octets(Int(entropy.uniform(0..<60)))[...]))
      default:
        let octets = entropy.octets(Int(entropy.uniform(0..<40)))
        packet = HCIPacket(kind: .event, octets: [0x3E, UInt8(octets.count)] + octets)
      }
      transport.transport?.inject(packet)
    }
  }

  @Test("a controller's forged events do no lasting harm", arguments: 1...12 as ClosedRange<UInt64>)
  func whatAControllerMakesUpDoesNoLastingHarm(seed: UInt64) async throws {
    let hostile = Hostile(seed: seed)
    let world = hostile.world
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = TestCentral(hostile.stack)
    let peripheral = TestPeripheral(hostile.stack)
    try await world.wait { central.states.last == .poweredOn }
    for round in 0..<60 {
      await world.perform {
        switch round % 4 {
        case 0: central.role.startScan(ScanParameters(allowsDuplicates: true))
        case 1:
          peripheral.add(Chat.published)
          peripheral.advertise("hostile", [Chat.service])
        case 2:
          if let peer = central.discoveries.last?.peer { central.role.connect(peer, options: ConnectionOptions()) }
        default:
          if let peer = central.connected.last?.peer { central.role.cancelConnection(peer.identifier) }
          peripheral.role.stopAdvertising()
        }
        for _ in 0..<5 { hostile.misbehave() }
      }
      await world.advance(.milliseconds(Int64(round) * 7))
    }
    // Switched off and on, the controller works properly, and everything works.
    hostile.stack.powerOff()
    try await world.wait { hostile.stack.state == .poweredOff }
    await world.advance(.seconds(10))
    hostile.stack.powerOn()
    try await world.wait { hostile.stack.state == .poweredOn }
    #expect(hostile.stack.linkCount == 0)
    await world.perform { central.role.close() }
    let fresh = TestCentral(hostile.stack)
    try await world.wait { fresh.states.last == .poweredOn }
    try await world.find(fresh)
    await world.perform {
      fresh.role.stopScan()
      let chat = fresh.discoveries.first { $0.address == toy.address }
      if let chat { fresh.role.connect(chat.peer, options: ConnectionOptions()) }
    }
    try await world.wait { fresh.connected.count == 1 }
    #expect(try await world.discoverChat(fresh) != nil, "seed \(seed)")
  }

  @Test("reports in parts that never end are bounded, and the next one is received")
  func reportsInPartsThatNeverEndAreBoundedAndTheNextOneIsHeard() async throws {
    let hostile = Hostile(seed: 1)
    let world = hostile.world
    let central = TestCentral(hostile.stack)
    try await world.wait { central.states.last == .poweredOn }
    func report(_ type: LEExtendedReportType, _ data: [UInt8]) -> HCIPacket {
      HCIPacket(
        LEExtendedAdvertisingReportEvent(reports: [
          .init(
            type: type, address: HCIAddress(DeviceAddress(5, kind: .public)), primaryPHY: .le1M, secondaryPHY: .le2M,
            setIdentifier: 1, transmitPower: 0, rssi: -40, periodicInterval: 0, directAddress: .none, data: data[...])
        ]))
    }
    await world.perform {
      central.role.startScan(ScanParameters())
      for _ in 0..<5_000 {
        hostile.transport.transport?.inject(report([.connectable, .incomplete], [UInt8](repeating: 1, count: 200)))
      }
      hostile.transport.transport?.inject(report(.connectable, [3, 0x09, 0x48, 0x69]))
      hostile.transport.transport?.inject(report([.connectable, .incomplete], [3, 0x09, 0x48]))
      hostile.transport.transport?.inject(report(.connectable, [0x69]))
    }
    try await world.wait { !central.discoveries.isEmpty }
    #expect(central.discoveries.map(\.content.localName) == ["Hi"])
  }
}
