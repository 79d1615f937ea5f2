import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEWire

extension Fuzzer {
  /// A whole host on a hostile controller with hostile peers behind it: events and data after a start-up that went well.
  static let host = Fuzzer(name: "host") { octets in
    let loop = FuzzLoop()
    let transport = FuzzController()
    let entropy = SeededEntropy(seed: 1)
    let stack = HostStack(loop: loop, entropy: entropy, peerStore: MemoryPeerStore(entropy: entropy)) { transport }
    let program = FuzzProgram()
    stack.start()
    let central = stack.makeCentral(events: program)
    let peripheral = stack.makePeripheral(events: program)
    program.central = central
    program.peripheral = peripheral
    loop.advance(by: .milliseconds(10))
    for (flag, piece) in Pieces(octets) {
      switch flag & 0x07 {
      case 0: loop.advance(by: .milliseconds(Int64(piece.count) * 100))
      case 1: transport.isSilent = piece.first == 1
      case 2: transport.inject(HCIPacket(kind: .aclData, octets: Array(piece)))
      case 3: transport.fail()
      default: transport.inject(HCIPacket(kind: .event, octets: Array(piece)))
      }
      if flag & 0x80 == 0 { loop.advance(by: .milliseconds(1)) }
    }
    loop.advance(by: .seconds(40))
    central.close()
    peripheral.close()
    stack.shutDown {}
    loop.advance(by: .seconds(1))
    transport.fail()
    loop.advance(by: .seconds(1))
    withExtendedLifetime((stack, program)) {}
  } seeds: {
    let connected = LEConnectionCompleteEvent.examples.first.map { piece(HCIPacket($0)) } ?? []
    let requests = ATTRegistry.all.flatMap { packet in
      packet.examples().prefix(1).flatMap { example -> [UInt8] in
        let pdu = [UInt8(packet.code ?? 0)] + example
        let frame = L2CAPFrame(channel: .attributeProtocol, informationPayload: pdu[...]).octets
        return piece(
          HCIPacket(
            HCIACLPacket(
              connectionHandle: LEConnectionCompleteEvent.examples[0].connectionHandle, boundary: .firstFlushable,
              payload: frame[...])))
      }
    }
    let events = HCIRegistry.events.map { packet in
      packet.examples().flatMap { example -> [UInt8] in
        let code = HCIEventCode(rawValue: UInt16(truncatingIfNeeded: packet.code ?? 0))
        let head: [UInt8] = code.subevent.map { [$0] } ?? []
        return piece(
          HCIPacket(
            kind: .event, octets: [code.event, UInt8(truncatingIfNeeded: head.count + example.count)] + head + example))
      }
    }
    return events + [connected, connected + requests, events.flatMap { $0 }]
  }

  private static func piece(_ packet: HCIPacket) -> [UInt8] {
    [packet.kind == .aclData ? 2 : 4, UInt8(truncatingIfNeeded: packet.octets.count)] + packet.octets
  }
}

/// A controller that answers each command with an example of its answer, until it is silenced.
final class FuzzController: HCITransport {
  let name = "fuzz"
  let isSimulated = true
  var isSilent = false
  private weak var receiver: (any HCITransportReceiver)?
  private var answersLeft = 2_000

  func open(receiver: any HCITransportReceiver) throws(TransportError) { self.receiver = receiver }
  func close() { receiver = nil }
  func inject(_ packet: HCIPacket) { receiver?.transport(self, didReceive: packet) }
  func fail() { receiver?.transport(self, didFail: TransportError(.closed, "closed by the fuzzer")) }

  func send(_ packet: HCIPacket) {
    guard !isSilent, packet.kind == .command, let command = try? HCICommandPacket(packet.octets) else { return }
    answersLeft -= 1
    require(answersLeft > 0, "commands without end")
    guard !Self.answeredByStatus.contains(command.opcode) else {
      return inject(.commandStatus(.success, of: command.opcode))
    }
    let parameters = Self.answers[command.opcode] ?? [0]
    inject(
      HCIPacket(CommandCompleteEvent(commandCredits: 1, opcode: command.opcode, returnParameters: parameters[...])))
  }

  private static let answers: [HCIOpcode: [UInt8]] = Dictionary(
    HCIRegistry.returnParameters.compactMap { packet in
      packet.examples().first.map { (HCIOpcode(UInt16(truncatingIfNeeded: packet.code ?? 0)), $0) }
    }, uniquingKeysWith: { first, _ in first }
  ).merging(everythingSupported) { _, supported in supported }

  private static let everythingSupported: [HCIOpcode: [UInt8]] = [
    HCIReadLocalSupportedCommands.opcode: HCIReadLocalSupportedCommands.ReturnParameters(
      commands: HCISupportedCommands(HCIRegistry.commands.map { HCIOpcode(UInt16(truncatingIfNeeded: $0.code ?? 0)) })
    ).octets
  ]

  private static let answeredByStatus: Set<HCIOpcode> = [
    HCIDisconnect.opcode, HCIReadRemoteVersionInformation.opcode, LECreateConnection.opcode,
    LEExtendedCreateConnection.opcode, LEConnectionUpdate.opcode, LEReadRemoteFeatures.opcode,
    LEEnableEncryption.opcode, LESetPHY.opcode,
  ]
}

/// A program that does all a program can: scans, connects to what it hears, walks what it finds, advertises and serves.
private final class FuzzProgram: CentralEvents, PeripheralEvents {
  var central: (any CentralRole)?
  var peripheral: (any PeripheralRole)?
  private var connected = 0
  private var isServing = false
  private var channels: [any PeerChannel] = []

  func central(didUpdateState state: AdapterState) {
    if state == .poweredOn { central?.startScan(ScanParameters(allowsDuplicates: true)) }
  }

  func central(didDiscover discovery: DiscoveryEvent) {
    connected += 1
    if connected <= 4 { central?.connect(discovery.peer, options: ConnectionOptions()) }
  }

  func central(didConnect peer: KnownPeer, link: any PeerLink) {
    link.openChannel(ProtocolServiceMultiplexer(0x0080)) { [weak self] result in
      guard let self, let channel = try? result.get() else { return }
      channel.events = self
      channel.send([UInt8](repeating: 0x5A, count: 600)) {}
      self.channels.append(channel)
    }
    link.discoverServices(nil) { result in
      for service in (try? result.get()) ?? [] {
        link.discoverCharacteristics(nil, of: service) { characteristics in
          for characteristic in (try? characteristics.get()) ?? [] {
            link.read(characteristic.value) { _ in }
            link.setNotify(true, for: characteristic) { _ in }
          }
        }
      }
    }
  }

  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) {}
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) {}
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) {}

  func peripheral(didUpdateState state: AdapterState) {
    guard state == .poweredOn, let peripheral else { return }
    peripheral.startAdvertising(LocalAdvertisement(localName: "fuzz", serviceUUIDs: [BLEUUID(0x180F)])) { _ in }
    if isServing { return }
    isServing = true
    peripheral.publishChannel(demand: .none) { _ in }
    peripheral.add(FuzzProgram.service) { _ in }
  }

  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {
    peripheral?.respond(to: transaction, result: 0, value: Array(repeating: 7, count: Swift.max(0, 600 - offset)))
  }

  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {
    peripheral?.respond(to: transaction, result: 0, value: [])
  }

  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {
    channel.events = self
    channels.append(channel)
  }
  func peripheral(didUpdate central: RemoteCentral) {}

  static let service = LocalService(
    uuid: BLEUUID(0x180F), isPrimary: true,
    characteristics: [
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0x2A19), properties: 0x3E,
        permissions: LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none), value: nil),
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: 2), uuid: BLEUUID(high: 1, low: 2), properties: 0x02,
        permissions: LocalPermissions(read: SecurityDemand.none), value: [1, 2, 3]),
    ])
}

extension FuzzProgram: PeerChannelEvents {
  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>) { channel.consume(octets.count) }
  func channel(_ channel: any PeerChannel, didClose reason: EndReason) { channels.removeAll { $0 === channel } }
}
