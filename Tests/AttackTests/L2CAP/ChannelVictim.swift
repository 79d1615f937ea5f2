import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// A whole stack with a program that publishes two channels, one of them for encrypted links only, and reads only on request.
///
/// `@unchecked Sendable`: touched on the loop, on the program's queues, or while the loop is not running.
final class ChannelVictim: @unchecked Sendable {
  let loop = VirtualLoop()
  let air: Air
  let stack: HostStack
  let taps = CommandCounter()
  private let server: PeripheralApp
  private var client: CentralApp?
  var channels: [CBL2CAPChannel] { server.channels + (client?.channels ?? []) }
  var failures: [any Error] { client?.errors ?? [] }
  var found: CBPeripheral? { client?.peripheral }
  /// Whether it retains all channels, or only the latest one.
  var keepsChannels = true { didSet { server.keepsRecord = keepsChannels } }

  static let address = DeviceAddress(0xC0_0000_0000_AA, kind: .random)

  init(usesEnhancedChannels: Bool = true) {
    let air = Air(loop: loop, seed: 1)
    self.air = air
    stack = HostStack(
      loop: loop, options: HostOptions(randomAddress: Self.address, usesEnhancedChannels: usesEnhancedChannels),
      entropy: SeededEntropy(seed: 2), peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 3)), tap: taps
    ) { () throws(TransportError) in air.makeController(address: Self.address) }
    stack.start()
    server = PeripheralApp(
      [CBManagerOptionAdapterKey: stack as any Adapter], advertisement: [CBAdvertisementDataLocalNameKey: "victim"])
    server.reactions["state"] = { [unowned server] in
      guard server.manager.state == .poweredOn else { return }
      for isEncrypted in [false, true] { server.manager.publishL2CAPChannel(withEncryption: isEncrypted) }
    }
    server.reactions["opened"] = { [unowned self] in
      if !keepsChannels { server.channels.removeFirst(server.channels.count - 1) }
      open(server.channels.last)
    }
  }

  /// A victim that is the peripheral, and a peer with a link to it.
  static func attacked() async throws -> (ChannelVictim, RawPeer) {
    let victim = ChannelVictim()
    return (victim, try await victim.attacker())
  }

  private func open(_ channel: CBL2CAPChannel?) {
    channel?.inputStream.open()
    channel?.outputStream.open()
  }

  func run(_ duration: StackDuration) async { await loop.run(until: .instant(loop.now + duration)) }

  /// A peer with a link to the victim, which is the peripheral.
  func attacker(_ number: UInt64 = 1) async throws -> RawPeer {
    let peer = try RawPeer(air, address: DeviceAddress(0xC0_0000_0001_00 + number, kind: .random))
    await run(.milliseconds(200))
    onLoop { peer.connect(to: Self.address) }
    await run(.seconds(2))
    try #require(peer.handle != nil)
    try #require(server.multiplexers == [0x0080, 0x0081])
    peer.forget()
    return peer
  }

  /// A peer that the victim has connected to.
  func attackedPeripheral() async throws -> RawPeer {
    let peer = try RawPeer(air, address: DeviceAddress(0xC0_0000_0002_00, kind: .random))
    let client = CentralApp([CBManagerOptionAdapterKey: stack as any Adapter])
    self.client = client
    client.reactions["opened"] = { [unowned self, unowned client] in
      if client.told.last == "opened" { open(client.channels.last) }
    }
    client.seek(nil, discovering: .nothing)
    onLoop { peer.advertise() }
    await run(.seconds(5))
    try #require(found?.state == .connected && peer.handle != nil)
    peer.forget()
    return peer
  }

  func onLoop(_ job: @escaping () -> Void) {
    let bound = LoopBound(job)
    loop.submit(from: .common) { bound.value() }
  }

  /// The victim's answer to a command on the signaling channel.
  func answers(to command: [UInt8], from peer: RawPeer) async -> [[UInt8]] {
    peer.forget()
    onLoop { peer.signal(command) }
    await run(.milliseconds(300))
    return peer.answers
  }

  /// The victim's answer to a frame of a channel.
  func answers(to payload: [UInt8], on channel: UInt16, from peer: RawPeer) async -> [[UInt8]] {
    peer.forget()
    onLoop { peer.send(payload, on: channel) }
    await run(.milliseconds(300))
    return peer.answers
  }
}

/// Counts the commands of the victim's host to its controller.
final class CommandCounter: HCITap {
  private(set) var connectionUpdates = 0
  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    let opcode = LEConnectionUpdate.opcode.rawValue
    if packet.kind == .command, packet.octets.prefix(2) == [UInt8(opcode & 0xFF), UInt8(opcode >> 8)] {
      connectionUpdates += 1
    }
  }
}

/// Commands of the signaling channel, as octets.
enum Attack {
  private static func words(_ values: [UInt16]) -> [UInt8] { values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }

  static func command(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
    [code, identifier, UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
  }

  static func open(
    _ identifier: UInt8, spsm: UInt16 = 0x80, cid: UInt16 = 0x40, mtu: UInt16 = 512, mps: UInt16 = 64,
    credits: UInt16 = 10
  ) -> [UInt8] {
    command(0x14, identifier, words([spsm, cid, mtu, mps, credits]))
  }

  static func opened(_ identifier: UInt8, cid: UInt16) -> [UInt8] {
    command(0x15, identifier, words([cid, 3_950, 247, 265, 0]))
  }

  static func refused(_ identifier: UInt8, _ result: UInt16) -> [UInt8] {
    command(0x15, identifier, words([0, 0, 0, 0, result]))
  }

  static func openEnhanced(
    _ identifier: UInt8, spsm: UInt16 = 0x80, mtu: UInt16 = 512, mps: UInt16 = 64, credits: UInt16 = 10,
    cids: [UInt16]
  ) -> [UInt8] {
    command(0x17, identifier, words([spsm, mtu, mps, credits] + cids))
  }

  static func openedEnhanced(_ identifier: UInt8, _ result: UInt16 = 0, cids: [UInt16]) -> [UInt8] {
    command(0x18, identifier, words([3_950, 247, 265, result] + cids))
  }

  static func refusedEnhanced(_ identifier: UInt8, _ result: UInt16, count: Int) -> [UInt8] {
    command(0x18, identifier, words([0, 0, 0, result] + [UInt16](repeating: 0, count: count)))
  }

  static func reconfigure(_ identifier: UInt8, mtu: UInt16, mps: UInt16, cids: [UInt16]) -> [UInt8] {
    command(0x19, identifier, words([mtu, mps] + cids))
  }

  static func reconfigured(_ identifier: UInt8, _ result: UInt16) -> [UInt8] {
    command(0x1A, identifier, words([result]))
  }

  static func credits(_ identifier: UInt8, cid: UInt16, _ count: UInt16) -> [UInt8] {
    command(0x16, identifier, words([cid, count]))
  }

  /// What the victim sends to close a channel: the peer's identifier, then its own.
  static func close(_ identifier: UInt8, theirs: UInt16 = 0x40, own: UInt16 = 0x40) -> [UInt8] {
    command(0x06, identifier, words([theirs, own]))
  }

  static func closed(_ identifier: UInt8, theirs: UInt16 = 0x40, own: UInt16 = 0x40) -> [UInt8] {
    command(0x07, identifier, words([theirs, own]))
  }
}
