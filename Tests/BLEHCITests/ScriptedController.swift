import BLECore
import BLEHCI
import BLEWire

/// A controller that answers as a well-behaved chip does, except where the test says otherwise. In virtual time.
final class ScriptedController: HCITransport {
  let name = "scripted"
  let isSimulated = true
  var isReady = true
  var comesBack = false
  private(set) var isOpen = false
  /// The error of opening.
  var openError: TransportError?

  private let loop: VirtualLoop
  private weak var receiver: (any HCITransportReceiver)?
  /// Everything the host sent.
  private(set) var sent: [HCIPacket] = []
  /// Commands that get no answer.
  var silent: Set<HCIOpcode> = []
  /// Answers in place of the usual ones.
  var answers: [HCIOpcode: [HCIPacket]] = [:]

  /// The values that the host reads at start-up.
  var leFeatures: LEFeatures = [.dataPacketLengthExtension, .phy2M, .extendedAdvertising]
  var commands = HCISupportedCommands(HCIRegistry.commands.map { HCIOpcode(UInt16($0.code ?? 0)) })
  var lowEnergyBuffers: (length: UInt16, count: UInt8) = (27, 4)
  var sharedBuffers: (length: UInt16, count: UInt16) = (1021, 6)

  init(loop: VirtualLoop) { self.loop = loop }

  var sentCommands: [HCIOpcode] {
    sent.filter { $0.kind == .command }.compactMap { try? HCICommandPacket($0.octets).opcode }
  }

  var sentData: [HCIACLPacket] {
    sent.filter { $0.kind == .aclData }.compactMap { try? HCIACLPacket($0.octets) }
  }

  func forgetSent() { sent.removeAll() }

  func open(receiver: any HCITransportReceiver) throws(TransportError) {
    if let openError { throw openError }
    isOpen = true
    self.receiver = receiver
  }

  func becomeReady() {
    isReady = true
    receiver?.transportIsReady(self)
  }

  func wait(_ cause: TransportError) { receiver?.transport(self, waitsBecause: cause) }

  func close() { isOpen = false }

  func send(_ packet: HCIPacket) {
    guard isOpen else { return }
    sent.append(packet)
    guard packet.kind == .command, let command = try? HCICommandPacket(packet.octets) else { return }
    loop.schedule(after: .microseconds(10), .work) { [weak self] in self?.answer(command) }
  }

  /// Delivers a packet to the host, valid or not.
  func inject(_ packet: HCIPacket) { receiver?.transport(self, didReceive: packet) }
  func inject(_ event: some HCIEventParameters) { inject(HCIPacket(event)) }
  func fail(_ error: TransportError) { receiver?.transport(self, didFail: error) }

  func connect(_ handle: UInt16, role: LEConnectionRole = .peripheral) {
    inject(
      LEConnectionCompleteEvent(
        status: .success, connectionHandle: ConnectionHandle(handle), role: role,
        peerAddress: HCIAddress(type: .random, value: 0xC000_0000_0000 | UInt64(handle)),
        interval: ConnectionInterval(rawValue: 24), latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 72),
        clockAccuracy: .ppm50))
  }

  func disconnect(_ handle: UInt16) {
    inject(
      DisconnectionCompleteEvent(
        status: .success, connectionHandle: ConnectionHandle(handle), reason: .remoteUserTerminated))
  }

  func complete(_ count: UInt16, of handle: UInt16) {
    inject(
      NumberOfCompletedPacketsEvent(
        counts: HCICompletedPackets([.init(connectionHandle: ConnectionHandle(handle), count: count)])))
  }

  func data(_ payload: ArraySlice<UInt8>, on handle: UInt16) {
    inject(
      HCIPacket(
        HCIACLPacket(connectionHandle: ConnectionHandle(handle), boundary: .firstFlushable, payload: payload)))
  }

  private func answer(_ command: HCICommandPacket) {
    guard isOpen, !silent.contains(command.opcode) else { return }
    for packet in answers[command.opcode] ?? [usualAnswer(to: command.opcode)] { inject(packet) }
  }

  private func usualAnswer(to opcode: HCIOpcode) -> HCIPacket {
    switch opcode {
    case HCIReadLocalSupportedCommands.opcode:
      .commandComplete(HCIReadLocalSupportedCommands.self, .init(commands: commands))
    case HCIReadLocalSupportedFeatures.opcode:
      .commandComplete(HCIReadLocalSupportedFeatures.self, .init(features: [.brEDRNotSupported, .leSupported]))
    case HCIReadLocalVersionInformation.opcode:
      .commandComplete(
        HCIReadLocalVersionInformation.self,
        .init(version: .v5_4, revision: 0, linkLayerVersion: .v5_4, companyIdentifier: 0xFFFF, linkLayerSubversion: 0))
    case HCIReadBDADDR.opcode:
      .commandComplete(HCIReadBDADDR.self, .init(address: DeviceAddress(0x0012_3456_789A, kind: .public)))
    case HCIReadBufferSize.opcode:
      .commandComplete(
        HCIReadBufferSize.self,
        .init(
          aclDataPacketLength: sharedBuffers.length, synchronousDataPacketLength: 0,
          aclDataPacketCount: sharedBuffers.count, synchronousDataPacketCount: 0))
    case LEReadLocalSupportedFeatures.opcode:
      .commandComplete(LEReadLocalSupportedFeatures.self, .init(features: leFeatures))
    case LEReadBufferSize.opcode:
      .commandComplete(
        LEReadBufferSize.self,
        .init(aclDataPacketLength: lowEnergyBuffers.length, aclDataPacketCount: lowEnergyBuffers.count))
    case LEReadSupportedStates.opcode:
      .commandComplete(LEReadSupportedStates.self, .init(states: LESupportedStates(rawValue: 0x3FF)))
    case LEReadFilterAcceptListSize.opcode: .commandComplete(LEReadFilterAcceptListSize.self, .init(size: 8))
    case LEReadResolvingListSize.opcode: .commandComplete(LEReadResolvingListSize.self, .init(size: 8))
    case LEReadMaximumDataLength.opcode:
      .commandComplete(
        LEReadMaximumDataLength.self,
        .init(transmitOctets: 251, transmitTime: 2120, receiveOctets: 251, receiveTime: 2120))
    case LEReadNumberOfSupportedAdvertisingSets.opcode:
      .commandComplete(LEReadNumberOfSupportedAdvertisingSets.self, .init(count: 4))
    case LEReadMaximumAdvertisingDataLength.opcode:
      .commandComplete(LEReadMaximumAdvertisingDataLength.self, .init(length: 1650))
    case LEReadTransmitPower.opcode: .commandComplete(LEReadTransmitPower.self, .init(minimum: -20, maximum: 8))
    case LERand.opcode: .commandComplete(LERand.self, .init(number: 0x0123_4567_89AB_CDEF))
    case HCIDisconnect.opcode, LECreateConnection.opcode: .commandStatus(.success, of: opcode)
    default:
      HCIPacket(
        CommandCompleteEvent(commandCredits: 1, opcode: opcode, returnParameters: [HCIErrorCode.success.rawValue]))
    }
  }
}
