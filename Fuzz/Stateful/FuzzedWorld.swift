import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEPairing
import BLEVirtualRadio
import BLEWire

/// A host with small tables, its program, and four hostile radios on one air.
final class FuzzedWorld {
  private static let deviceLimit = 4
  private static let bondLimit = 3

  private let loop = FuzzLoop()
  private let air: Air
  private let agent: FuzzAgent
  private let addresses = AddressWatch(DeviceAddress(0x0000_1000_0001, kind: .public))
  private let stack: HostStack
  private let program = HostProgram()
  private let radios: [HostileRadio]
  private let made = MadeController()

  /// - Parameter circumstances: what the host's user wants; a bit each.
  init(circumstances: UInt8) {
    let entropy = SeededEntropy(seed: UInt64(circumstances))
    let air = Air(loop: loop, seed: 1)
    self.air = air
    agent = FuzzAgent(circumstances)
    var options = HostOptions(
      name: "host", usesPrivacy: circumstances & 1 != 0, privateAddressLifetime: .seconds(30), pairingAgent: agent,
      bondLimit: Self.bondLimit)
    options.tableLimits = TableLimits(scannedDevices: Self.deviceLimit, knownPeers: 2 * Self.deviceLimit)
    if circumstances & 2 != 0 { options.security.minimumLevel = .authenticated }
    if circumstances & 4 != 0 { options.security.offersSecureConnections = false }
    options.security.fixedPasskey = SixDigits(lowest: 0)
    let made = made
    let address = addresses.shown
    stack = HostStack(
      loop: loop, options: options, entropy: entropy, peerStore: MemoryPeerStore(entropy: entropy), tap: addresses
    ) {
      let controller = air.makeController(address: address)
      made.controller = controller
      return controller
    }
    stack.start()
    program.begin(on: stack)
    radios = (0..<4).map { HostileRadio(UInt64($0), air: air) }
    loop.advance(by: .milliseconds(20))
  }

  /// The host's controller; another one each time it is plugged in.
  private final class MadeController {
    var controller: VirtualController?
  }

  func play(_ action: Action, _ argument: UInt8, _ input: inout ActionReader) {
    let radio = radios[Int(argument & 3)]
    let choice = argument >> 2
    Trace.note(
      "\(action) \(choice) by \(argument & 3), bonds: \(stack.bonds.map(\.address)), links: \(stack.linkCount)")
    switch action {
    case .milliseconds: pass(.milliseconds(10 * (Int64(argument) + 1)))
    case .seconds: pass(.seconds(Int64(argument % 64) + 1))
    case .takeAddress: radio.take(radio.address(choice, others: radios))
    case .advertise: radio.advertise(choice)
    case .stopAdvertising: radio.stopAdvertising()
    case .passBy: passBy(radio, choice)
    case .connect: radio.connect(to: addresses.shown)
    case .disconnect: radio.disconnect()
    case .cutPower: radio.cutPower()
    case .restorePower: radio.restorePower()
    case .claimIdentity: radio.identity = radio.address(choice, others: radios)
    case .changeKey: radio.changeKey(choice, others: radios)
    case .pair:
      radio.pair(choice)
    case .forge: radio.forgery = choice
    case .encrypt: radio.encrypt()
    case .sendSecurity: radio.send(input.packet(), on: .securityManager)
    case .sendAttribute: radio.send(input.packet(), on: .attributeProtocol)
    case .sendSignaling: radio.send(input.packet(), on: .lowEnergySignaling)
    case .scan: program.scan(choice)
    case .stopScan: program.central?.stopScan()
    case .callIn: program.connect(Int(argument))
    case .cancel: program.cancel(Int(argument))
    case .raise: program.raise(Int(argument), on: stack)
    case .notify: program.notify()
    case .publish: program.publish()
    case .stopPublishing: program.stopPublishing()
    case .agentChanges: agent.answers = argument
    case .removeBonds: stack.removeBonds(argument & 1 == 0 ? nil : [radio.identity])
    case .switchOff: stack.powerOff()
    case .switchOn: stack.powerOn()
    case .background: stack.setInBackground(argument & 1 != 0)
    case .unplug: made.controller?.unplug()
    }
    loop.advance(by: .milliseconds(2))
    require(stack.bonds.count <= Self.bondLimit, "more bonds than there is room for")
  }

  /// Lets time pass. An input has three minutes: what takes longer takes a fuzzer's time and not a host's.
  private func pass(_ time: StackDuration) {
    if loop.now + time <= StackInstant.zero + .seconds(180) { loop.advance(by: time) }
  }

  /// A few strangers who say something once.
  private func passBy(_ radio: HostileRadio, _ count: UInt8) {
    for number in 0...UInt64(count & 7) {
      radio.take(DeviceAddress(0xC5_0000_0000 << 8 | UInt64(count) << 8 | number, kind: .random))
      radio.advertise(count)
      pass(.milliseconds(300))
    }
    radio.stopAdvertising()
  }

  /// Everything comes to its end: nothing is left of what was.
  func end() {
    loop.advance(by: .seconds(1))
    program.close()
    loop.advance(by: .seconds(12))
    require(stack.linkCount <= radios.count, "more links than radios")
    stack.shutDown {}
    loop.advance(by: .seconds(12))
    require(stack.linkCount == 0, "links outlive their stack")
    air.shutDown()
    loop.advance(by: .seconds(1))
  }
}

/// Which address the host shows: its radio is heard by everybody.
private final class AddressWatch: HCITap {
  private(set) var shown: DeviceAddress
  init(_ address: DeviceAddress) { shown = address }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    guard packet.kind == .command, let command = try? HCICommandPacket(packet.octets) else { return }
    switch command.opcode {
    case LESetRandomAddress.opcode: shown = DeviceAddress(octets: command.parameters, kind: .random)
    case LESetAdvertisingSetRandomAddress.opcode:
      shown = DeviceAddress(octets: command.parameters.dropFirst(), kind: .random)
    default: break
    }
  }
}
