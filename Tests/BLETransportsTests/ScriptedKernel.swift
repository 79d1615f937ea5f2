import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Foundation

@testable import BLETransports

/// A kernel with adapters, as far as the user channel's transport sees it: a management interface, rfkill, and channels with controllers
/// behind them. Everything on the loop.
final class ScriptedKernel: AdapterPrivilege {
  struct Adapter {
    var isPowered = true
    var isBlocked = false
    var isUnconfigured = false
    var supportsLowEnergy = true
    /// Another program has it by the user channel.
    var isTaken = false
    /// The error of opening it, this many times.
    var refusals: (error: Int32, count: Int) = (0, 0)
  }

  private let queue: DispatchQueue
  private(set) var adapters: [UInt16: Adapter] = [:]
  /// Without it rfkill cannot be read.
  var tellsSwitches = true
  var isPrivileged = true
  /// The readable state of the switches.
  var radioSwitches: [RadioSwitch] = []
  /// The requests to the privileged side, in order.
  private(set) var asked: [String] = []
  /// How often the adapters were read.
  private(set) var looks = 0
  private(set) var channels: [UInt16: ScriptedChannel] = [:]
  private var managements: [PacketEnd] = []
  private var switches: [PacketEnd] = []

  init(on queue: DispatchQueue) { self.queue = queue }

  var kernel: BluetoothKernel {
    BluetoothKernel(
      openManagement: { [self] () throws(TransportError) in
        let (end, descriptor) = PacketEnd.pair(on: queue)
        end.onPacket = { [weak self, weak end] in if let end { self?.answer($0, on: end) } }
        managements.append(end)
        return descriptor
      },
      openSwitches: { [self] in
        guard tellsSwitches else { return nil }
        let (end, descriptor) = PacketEnd.pair(on: queue)
        switches.append(end)
        for index in adapters.keys.sorted() { end.send(switchEvent(index, operation: 0)) }
        return descriptor
      },
      blockage: { [self] in RadioSwitch.blockage(of: $0, among: radioSwitches) },
      privilege: { [self] () throws(TransportError) in self })
  }

  // MARK: Changes of adapters

  func plug(_ index: UInt16, _ adapter: Adapter = Adapter()) {
    adapters[index] = adapter
    tell(.indexAdded, index)
  }

  func unplug(_ index: UInt16) {
    let wasTaken = channels[index] != nil
    adapters[index] = nil
    channels.removeValue(forKey: index)?.end.close()
    if !wasTaken { tell(.indexRemoved, index) }
  }

  func change(_ index: UInt16, _ body: (inout Adapter) -> Void) {
    guard var adapter = adapters[index] else { return }
    let before = adapter
    body(&adapter)
    adapters[index] = adapter
    if before.isBlocked != adapter.isBlocked { for end in switches { end.send(switchEvent(index, operation: 2)) } }
    if before.isTaken != adapter.isTaken { tell(adapter.isTaken ? .indexRemoved : .indexAdded, index) }
  }

  private func tell(_ event: ManagementEvent, _ index: UInt16) {
    let octets = withUnsafeBytes(of: event.rawValue.littleEndian) { Array($0) } + [UInt8(index), 0, 0, 0]
    for end in managements { end.send(octets) }
  }

  private func switchEvent(_ index: UInt16, operation: UInt8) -> [UInt8] {
    [UInt8(index), 0, 0, 0, 2, operation, adapters[index]?.isBlocked == true ? 1 : 0, 0]
  }

  // MARK: The management interface

  private func answer(_ octets: [UInt8], on end: PacketEnd) {
    guard let message = try? ManagementMessage(octets) else { return }
    let there = adapters.filter { channels[$0.key] == nil && !$0.value.isTaken }.sorted { $0.key < $1.key }
    var answer: [UInt8]?
    switch ManagementCommand(rawValue: message.code) {
    case .readIndexList:
      looks += 1
      answer = Self.list(there.filter { !$0.value.isUnconfigured }.map(\.key))
    case .readUnconfiguredIndexList: answer = Self.list(there.filter(\.value.isUnconfigured).map(\.key))
    case .readControllerInformation:
      answer = there.first { $0.key == message.index }.map { information($0.key, $0.value) }
    case .setPowered, .getConnectionInformation, nil: break
    }
    let result =
      [UInt8(truncatingIfNeeded: message.code), 0] + (answer.map { [0] + $0 } ?? [ManagementStatus.invalidIndex.code])
    let event: ManagementEvent = answer == nil ? .commandStatus : .commandComplete
    end.send(
      [UInt8(event.rawValue), 0, UInt8(truncatingIfNeeded: message.index), UInt8(message.index >> 8)]
        + [UInt8(truncatingIfNeeded: result.count), UInt8(result.count >> 8)] + result)
  }

  private static func list(_ indices: [UInt16]) -> [UInt8] {
    [UInt8(indices.count), 0] + indices.flatMap { [UInt8($0), 0] }
  }

  private func information(_ index: UInt16, _ adapter: Adapter) -> [UInt8] {
    [UInt8(index), 0x71, 0xDA, 0x7D, 0x1A, 0x00, 0x0A, 0x0F, 0x00, 0xFF, adapter.supportsLowEnergy ? 0xFE : 0, 0, 0]
      + [adapter.isPowered ? 1 : 0, 0x02, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 260)
  }

  // MARK: Privileged operations

  func open(
    _ index: UInt16, on queue: DispatchQueue, _ completion: @escaping (Result<FileDescriptor, SystemError>) -> Void
  ) {
    asked.append("open \(index)")
    let result = takeChannel(index)
    let bound = LoopBound(completion)
    queue.async { bound.value(result) }
  }

  private func takeChannel(_ index: UInt16) -> Result<FileDescriptor, SystemError> {
    if !isPrivileged { return .failure(SystemError(number: EPERM)) }
    guard let adapter = adapters[index] else { return .failure(SystemError(number: ENODEV)) }
    if adapter.isTaken || channels[index] != nil { return .failure(SystemError(number: EUSERS)) }
    if adapter.isPowered { return .failure(SystemError(number: EBUSY)) }
    if adapter.isBlocked || adapter.refusals.count > 0 {
      if !adapter.isBlocked { adapters[index]?.refusals.count -= 1 }
      // As the kernel does it: removed for all others before it is opened, and added when that fails.
      tell(.indexRemoved, index)
      tell(.indexAdded, index)
      return .failure(SystemError(number: adapter.isBlocked ? ERFKILL : adapter.refusals.error))
    }
    let (end, descriptor) = PacketEnd.pair(on: queue)
    channels[index] = ScriptedChannel(end)
    end.onEnd = { [weak self] in
      guard let self, channels.removeValue(forKey: index) != nil else { return }
      tell(.indexAdded, index)
    }
    tell(.indexRemoved, index)
    return .success(descriptor)
  }

  func setPowered(
    _ index: UInt16, _ isOn: Bool, on queue: DispatchQueue,
    _ completion: @escaping (Result<ManagementStatus, SystemError>) -> Void
  ) {
    asked.append("\(isOn ? "on" : "off") \(index)")
    var status = ManagementStatus.invalidIndex
    if !isPrivileged {
      status = .permissionDenied
    } else if adapters[index] != nil {
      status = isOn && adapters[index]?.isBlocked == true ? .blockedByRFKill : .success
      if status == .success { adapters[index]?.isPowered = isOn }
    }
    let bound = LoopBound((completion, status))
    queue.async { bound.value.0(.success(bound.value.1)) }
  }

  func forget(_ index: UInt16) { asked.append("forget \(index)") }
}

/// The controller at the other end of a user channel: it answers each command, until it falls silent.
final class ScriptedChannel: HCITransportReceiver {
  let end: PacketEnd
  private let controller = PlainController()
  var isSilent = false

  init(_ end: PacketEnd) {
    self.end = end
    do throws(TransportError) { try controller.open(receiver: self) } catch { return }
    end.onPacket = { [weak self] octets in
      guard let self, !isSilent, let kind = octets.first.flatMap(HCIPacketKind.init) else { return }
      controller.send(HCIPacket(kind: kind, octets: Array(octets.dropFirst())))
    }
  }

  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) {
    end.send([packet.kind.rawValue] + packet.octets)
  }
  func transport(_ transport: any HCITransport, didFail error: TransportError) { end.close() }
}

/// The test's end of a pair of sockets that carry packets.
final class PacketEnd {
  private let descriptor: FileDescriptor
  private var source: (any DispatchSourceRead)?
  var onPacket: (([UInt8]) -> Void)?
  var onEnd: (() -> Void)?

  /// The test's end, and the other one.
  static func pair(on queue: DispatchQueue) -> (PacketEnd, FileDescriptor) {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    precondition(socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0)
    return (PacketEnd(FileDescriptor(ends[0]), on: queue), FileDescriptor(ends[1]))
  }

  private init(_ descriptor: FileDescriptor, on queue: DispatchQueue) {
    self.descriptor = descriptor
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
    let bound = LoopBound(Weak(self))
    source.setEventHandler { bound.value.end?.read() }
    source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    self.source = source
    source.activate()
  }

  deinit { source?.cancel() }

  func send(_ octets: [UInt8]) {
    guard source != nil else { return }
    _ = Glibc.send(descriptor.number, octets, octets.count, Int32(MSG_NOSIGNAL))
  }

  /// The other end sees the end of the connection.
  func close() {
    guard source != nil else { return }
    source?.cancel()
    source = nil
    shutdown(descriptor.number, Int32(SHUT_RDWR))
  }

  private func read() {
    var octets = [UInt8](repeating: 0, count: 70_000)
    while source != nil {
      let count = recv(descriptor.number, &octets, octets.count, 0)
      if count < 0 { return }
      if count == 0 {
        close()
        onEnd?()
        return
      }
      onPacket?(Array(octets.prefix(count)))
    }
  }

  private struct Weak {
    weak var end: PacketEnd?
    init(_ end: PacketEnd) { self.end = end }
  }
}
