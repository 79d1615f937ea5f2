import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire
import Testing

/// A host that only knows HCI octets: it sends commands and data, and keeps the received ones.
final class TestHost: HCITransportReceiver {
  let controller: VirtualController
  let loop: any StackLoop
  private(set) var events: [(at: StackInstant, event: HCIEvent)] = []
  private(set) var data: [(at: StackInstant, packet: HCIACLPacket)] = []
  private(set) var completed = 0
  /// Called with each received ACL packet.
  var onData: ((HCIACLPacket) -> Void)?
  var onCompleted: ((Int) -> Void)?
  /// A received packet cannot be read as HCI.
  private(set) var malformed = 0
  /// Called after each received packet.
  var onPacket: (() -> Void)?

  init(
    _ air: Air, loop: any StackLoop, _ number: UInt64, position: Position = .origin,
    configuration: ControllerConfiguration = .init()
  ) throws {
    self.loop = loop
    controller = air.makeController(
      address: TestHost.address(number), position: position, configuration: configuration)
    try controller.open(receiver: self)
  }

  static func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC0_0000_0000_00 + number, kind: .random) }
  var address: DeviceAddress { controller.address }

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    do {
      switch packet.kind {
      case .event:
        let event = try HCIEvent(HCIEventPacket(packet.octets))
        if case .numberOfCompletedPackets(let completed) = event {
          let count = completed.counts.reduce(0) { $0 + Int($1.count) }
          self.completed += count
          onCompleted?(count)
        } else {
          events.append((loop.now, event))
        }
      case .aclData:
        let acl = try HCIACLPacket(packet.octets)
        data.append((loop.now, acl))
        onData?(acl)
      default: malformed += 1
      }
    } catch {
      malformed += 1
    }
    onPacket?()
  }

  func transport(_ transport: any HCITransport, didFail error: TransportError) {}

  func forget() {
    events = []
    data = []
    completed = 0
  }

  func forgetData() { data = [] }

  // MARK: Commands

  func send(_ command: some HCICommand) { controller.send(HCIPacket(command)) }

  func send(data payload: [UInt8], to handle: ConnectionHandle, isStart: Bool = true) {
    controller.send(
      HCIPacket(
        HCIACLPacket(
          connectionHandle: handle, boundary: isStart ? .firstNonFlushable : .continuing, payload: payload[...])))
  }

  /// All events, as present hosts request them.
  func start(dataLength: UInt16 = 251) {
    send(HCIReset())
    send(HCISetEventMask(mask: HCIEventMask(rawValue: .max)))
    send(LESetEventMask(mask: LEEventMask(rawValue: .max)))
    if dataLength > 27 {
      send(LEWriteSuggestedDefaultDataLength(transmitOctets: dataLength, transmitTime: 2_120))
    }
  }

  func advertise(
    interval: UInt32 = 0xA0, type: LEAdvertisingType = .connectable, data: [UInt8] = [2, 1, 6], scanData: [UInt8] = [],
    filterPolicy: LEAdvertisingFilterPolicy = .all, peer: DeviceAddress? = nil
  ) {
    send(
      LESetAdvertisingParameters(
        intervalMinimum: AdvertisingInterval(rawValue: interval),
        intervalMaximum: AdvertisingInterval(rawValue: interval), type: type, ownAddressType: .random,
        peerAddress: peer.map { HCIAddress($0) } ?? .none, channels: .all, filterPolicy: filterPolicy))
    send(LESetAdvertisingData(data: data[...]))
    send(LESetScanResponseData(data: scanData[...]))
    send(LESetAdvertisingEnable(isEnabled: true))
  }

  func scan(
    interval: UInt16 = 0x30, window: UInt16 = 0x30, type: LEScanType = .passive, filtersDuplicates: Bool = false,
    filterPolicy: LEScanFilterPolicy = .all
  ) {
    send(
      LESetScanParameters(
        type: type, interval: ScanInterval(rawValue: interval), window: ScanInterval(rawValue: window),
        ownAddressType: .random, filterPolicy: filterPolicy))
    send(LESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates))
  }

  func connect(
    to peer: DeviceAddress, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100, eventLength: UInt16 = 0
  ) {
    send(
      LECreateConnection(
        scanInterval: ScanInterval(rawValue: 0x30), scanWindow: ScanInterval(rawValue: 0x30),
        filterPolicy: .peerAddress, peerAddress: HCIAddress(peer), ownAddressType: .random,
        parameters: ConnectionParameters(
          intervalMinimum: ConnectionInterval(rawValue: interval),
          intervalMaximum: ConnectionInterval(rawValue: interval), latency: latency,
          supervisionTimeout: SupervisionTimeout(rawValue: timeout), eventLengthMinimum: 0,
          eventLengthMaximum: eventLength)))
  }

  // MARK: Received packets

  var reports: [(at: StackInstant, report: LEAdvertisingReportEvent.Report)] {
    events.flatMap { at, event in
      if case .leAdvertisingReport(let event) = event { return event.reports.map { (at, $0) } }
      return []
    }
  }

  var connections: [(at: StackInstant, event: LEEnhancedConnectionCompleteEvent)] {
    events.compactMap { if case .leEnhancedConnectionComplete(let event) = $0.event { ($0.at, event) } else { nil } }
  }

  var disconnections: [(at: StackInstant, event: DisconnectionCompleteEvent)] {
    events.compactMap { if case .disconnectionComplete(let event) = $0.event { ($0.at, event) } else { nil } }
  }

  /// The statuses of all answers to commands.
  var statuses: [(opcode: HCIOpcode, status: HCIErrorCode)] {
    events.compactMap { _, event in
      switch event {
      case .commandComplete(let event):
        return (event.opcode, HCIErrorCode(rawValue: event.returnParameters.first ?? 0))
      case .commandStatus(let event): return (event.opcode, event.status)
      default: return nil
      }
    }
  }

  func status<Command: HCICommand>(of command: Command.Type) -> HCIErrorCode? {
    statuses.last { $0.opcode == Command.opcode }?.status
  }
}

/// Two hosts on one air, ready or connected.
struct TestPair {
  let loop: VirtualLoop
  /// What the air and both hosts schedule on it.
  let counter: CountingLoop
  let air: Air
  let central: TestHost
  let peripheral: TestHost

  init(
    seed: UInt64 = 1, propagation: Propagation = .constant, loss: LossModel = .none, dataLength: UInt16 = 251,
    configuration: ControllerConfiguration = .init()
  ) throws {
    loop = VirtualLoop()
    counter = CountingLoop(loop)
    air = Air(loop: counter, seed: seed, propagation: propagation, loss: loss)
    central = try TestHost(air, loop: counter, 1, configuration: configuration)
    peripheral = try TestHost(air, loop: counter, 2, configuration: configuration)
    central.start(dataLength: dataLength)
    peripheral.start(dataLength: dataLength)
  }

  func run(_ duration: StackDuration) async { await loop.run(until: .instant(loop.now + duration)) }

  /// Advertises, connects, waits until both have the connection and its first procedures have ended.
  func connect(
    interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 100, eventLength: UInt16 = 0
  ) async throws -> (central: ConnectionHandle, peripheral: ConnectionHandle) {
    peripheral.advertise(interval: 0x20)
    central.connect(
      to: peripheral.address, interval: interval, latency: latency, timeout: timeout, eventLength: eventLength)
    await run(.seconds(3))
    let first = try #require(central.connections.last?.event)
    let second = try #require(peripheral.connections.last?.event)
    return (first.connectionHandle, second.connectionHandle)
  }
}
