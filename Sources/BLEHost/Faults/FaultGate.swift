import BLEAdapter
import BLECore
import BLEFaults
import BLEWire

/// The gate of one link of a host with faults. On the loop.
final class FaultGate: L2CAPGate {
  let number: UInt64
  private(set) weak var connection: HostConnection?
  private weak var link: L2CAPLink?
  private weak var faults: HostFaults?
  private let loop: any StackLoop
  /// What is called when a packet has left, by the packet's number.
  private var closures: [UInt64: () -> Void] = [:]
  private var lastPacket: UInt64 = 0

  init(number: UInt64, connection: HostConnection, link: L2CAPLink, faults: HostFaults) {
    self.number = number
    self.connection = connection
    self.link = link
    self.faults = faults
    loop = connection.loop
  }

  /// Lets everything pass from now on.
  func detach() {
    if link?.gate === self { link?.gate = nil }
    faults = nil
  }

  // MARK: From the link

  func send(_ payload: consuming ByteWriter, on channel: ChannelIdentifier, sent: (() -> Void)?) {
    guard let faults else {
      link?.transmit(payload, on: channel, sent: sent)
      return
    }
    let packet = packet(from: .device, channel, Array(payload.octets.dropFirst(L2CAPLink.payloadHeadroom)))
    if let sent { closures[packet.number] = sent }
    faults.take(packet)
  }

  func receive(_ payload: ArraySlice<UInt8>, on channel: ChannelIdentifier) {
    guard let faults else {
      link?.deliver(payload, of: channel)
      return
    }
    faults.take(packet(from: .peer, channel, Array(payload)))
  }

  func linkDidClose() {
    faults?.linkDidClose(number)
    let left = closures.sorted { $0.key < $1.key }
    closures = [:]
    for (_, sent) in left { sent() }
  }

  // MARK: From the faults

  /// Passes a packet on in its direction.
  func pass(_ packet: FaultPacket) {
    guard let link else { return }
    switch packet.sender {
    case .device:
      var writer = ByteWriter(headroom: L2CAPLink.payloadHeadroom, capacity: packet.octets.count)
      writer.append(contentsOf: packet.octets)
      link.transmit(writer, on: packet.channel, sent: closures.removeValue(forKey: packet.number))
    case .peer: link.deliver(packet.octets[...], of: packet.channel)
    }
  }

  /// A packet is lost. To the host it was sent.
  func drop(_ number: UInt64) {
    guard let sent = closures.removeValue(forKey: number) else { return }
    loop.schedule(after: .zero, .work, sent)
  }

  private func packet(from sender: FaultSender, _ channel: ChannelIdentifier, _ octets: [UInt8]) -> FaultPacket {
    // Numbers are unique for all links of a host: no link has so many packets.
    lastPacket += 1
    var packet = FaultPacket(
      link: number, number: number << 40 | lastPacket, sender: sender, channel: channel, octets: octets)
    packet.attribute = packet.handle.flatMap { attribute(at: $0, in: packet) }
    return packet
  }

  /// The attribute of the server that a packet concerns: this host's own, or the peer's as far as it is known.
  private func attribute(at handle: AttributeHandle, in packet: FaultPacket) -> FaultAttribute? {
    guard let connection, let opcode = packet.octets.first.map({ ATTOpcode($0) }) else { return nil }
    let isOwn = (packet.sender == .device) == opcode.isFromServer
    return isOwn
      ? connection.stack.server.gatt.database.faultAttribute(at: handle)
      : connection.database.layout.faultAttribute(at: handle)
  }
}

extension AttributeDatabase {
  /// The characteristic, and the descriptor, that a handle belongs to; `nil` for declarations.
  func faultAttribute(at handle: AttributeHandle) -> FaultAttribute? {
    guard let attribute = self[handle] else { return nil }
    var value: Attribute?
    for other in attributes(from: .first, through: handle).reversed() {
      switch other.type {
      case GATTType.characteristic:
        guard other.handle != handle, let value else { return nil }
        return FaultAttribute(
          characteristic: value.type, descriptor: value.handle == handle ? nil : attribute.type)
      case GATTType.primaryService, GATTType.secondaryService, GATTType.include: return nil
      default: value = other
      }
    }
    return nil
  }
}

extension RemoteLayout {
  /// The same of a peer's database, as far as it was discovered.
  func faultAttribute(at handle: AttributeHandle) -> FaultAttribute? {
    let before = characteristics.items(in: .first...handle)
    guard let characteristic = before.last, characteristic.handle != handle else { return nil }
    if characteristic.valueHandle == handle { return FaultAttribute(characteristic: characteristic.uuid) }
    guard let descriptor = descriptors.items(in: handle...handle).first else { return nil }
    return FaultAttribute(characteristic: characteristic.uuid, descriptor: descriptor.uuid)
  }
}

/// Answers for values of services that a fault has added; they are all fixed.
final class NoApplication: AttributeApplication {
  func read(_ request: AttributeReadRequest) {}
  func write(_ request: AttributeWriteRequest) {}
  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration) {}
}

extension LocalService {
  /// A service that a fault adds.
  static func ofFault(_ uuid: BLEUUID) -> LocalService {
    LocalService(
      uuid: uuid, isPrimary: true,
      characteristics: [
        LocalCharacteristic(
          identifier: LocalCharacteristicIdentifier(rawValue: .max), uuid: uuid,
          properties: CharacteristicProperties.read, permissions: LocalPermissions(read: SecurityDemand.none),
          value: [0])
      ])
  }
}
