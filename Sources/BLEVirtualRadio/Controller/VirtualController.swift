import BLEHCI
import BLECore
import BLEWire

/// A Bluetooth LE controller in software, with HCI, a link layer and a radio on an air. A host cannot distinguish it from a chip.
/// Made by ``Air/makeController(address:position:configuration:)``.
///
/// A controller is on the air until ``close()`` or ``Air/shutDown()`` is called, whatever references to it remain.
///
/// Everything on the air's loop. The host's packets are validated as by a real controller: no octets of a host can make it trap,
/// hang or grow without bound.
public final class VirtualController: HCITransport, TimerTarget {
  enum Timer: Int { case command, heldEvents, hardware }

  /// The name in the configuration.
  public var name: String { configuration.name }
  /// Always true.
  public let isSimulated = true
  /// Its public address; or a random static one, which it then uses without a command of the host.
  public let address: DeviceAddress
  /// The configuration that it was made with.
  public let configuration: ControllerConfiguration
  let air: Air
  let node: AirNode
  let features: LEFeatures
  let supportedCommands: Set<HCIOpcode>
  /// The number of invalid packets of the host that were dropped.
  public private(set) var droppedPacketCount = 0

  private weak var receiver: (any HCITransportReceiver)?
  private var isOpen = false
  private var isClosed = false
  private let commands = PacketQueue<[UInt8]>()
  private var isCommandTimerSet = false
  let faults = FaultCounts()
  var hasFailedOnce = false

  /// A class for the same reason as `ProcedureState`.
  final class FaultCounts {
    var dataToHost = 0
    var dataFromHost = 0
    var commands = 0
    var refusals: [HCIOpcode: (error: HCIErrorCode, count: Int)] = [:]
    var spoiledPackets = 0
    var isHung = false

    /// The error with which the next command with this opcode is refused; `nil` if it is not.
    func takeRefusal(of opcode: HCIOpcode) -> HCIErrorCode? {
      guard let refusal = refusals[opcode], refusal.count > 0 else { return nil }
      refusals[opcode]?.count -= 1
      return refusal.error
    }
  }

  // The state that the host has set; `resetState` restores all defaults.
  var host = HostState()
  var acceptList: Set<DeviceAddress> = []
  var resolvingList = ResolvingList()
  var advertisingSets: [LEAdvertisingHandle: AdvertisingSet] = [:]
  var scanner: LinkLayerScanner?
  var initiator: Initiator?

  // Connections.
  private(set) var connections: [UInt16: Connection] = [:]
  private var peers: [DeviceAddress: UInt16] = [:]
  private var lastConnection: Connection?
  private var nextHandle: UInt16 = 0x0040
  private var outstandingPackets = 0
  private var uncountedPackets = 0
  /// The memory of the last event. If the host has not kept that event, the next one is written there.
  private var eventRoom: [UInt8] = []
  /// Events of a link that are held back behind its first data.
  private var heldEvents: [HCIPacket] = []

  init(air: Air, node: AirNode, address: DeviceAddress, configuration: ControllerConfiguration) {
    self.air = air
    self.node = node
    self.address = address
    self.configuration = configuration
    features = Self.features(configuration)
    supportedCommands = CommandTable.opcodes(for: configuration)
    if address.kind == .random { host.randomAddress = address }
  }

  var loop: any StackLoop { air.loop }

  // MARK: The transport

  /// Connects the host. Throws if the controller was closed.
  public func open(receiver: any HCITransportReceiver) throws(TransportError) {
    guard !isClosed else { throw TransportError(.closed, "The controller \(name) was closed; make another one.") }
    self.receiver = receiver
    isOpen = true
  }

  /// Accepts a packet of the host. Commands are answered after the configured delay.
  public func send(_ packet: consuming HCIPacket) {
    guard isOpen, !faults.isHung else { return }
    switch packet.kind {
    case .command: queue(command: packet.octets)
    case .aclData: take(data: packet)
    default: droppedPacketCount += 1
    }
  }

  /// Removes the controller from the air: its peers observe a silent radio.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    isOpen = false
    receiver = nil
    resetState()
    air.remove(node)
  }

  /// Unplugs the controller; the host is notified that its transport has failed.
  public func unplug() {
    let told = receiver
    close()
    told?.transport(self, didFail: TransportError(.closed, "The controller \(name) was removed."))
  }

  func toHost(_ packet: consuming HCIPacket) {
    guard isOpen, !faults.isHung else { return }
    receiver?.transport(self, didReceive: packet)
  }

  /// Passes an event to the host, in the memory of the one before if that is free.
  /// - Parameter make: makes the event in the array that it is given.
  func toHost(eventIn make: (consuming [UInt8]) -> HCIPacket) {
    var room: [UInt8] = []
    // The host may cause another event inside the call: that one then gets memory of its own.
    swap(&room, &eventRoom)
    let packet = make(consume room)
    toHost(packet)
    eventRoom = packet.octets
  }

  /// Called by the loop.
  public func timerFired(tag: Int) {
    switch Timer(rawValue: tag) {
    case .command: runCommand()
    case .heldEvents: releaseHeldEvents()
    case .hardware: failHardware(code: 0x42)
    case nil: break
    }
  }

  // MARK: Radio and faults

  /// The position of the radio.
  public var position: Position { node.position }
  /// The transmit power in dBm.
  public var transmitPower: Int8 { node.transmitPower }
  /// Whether the radio has fallen silent.
  public var isSilent: Bool { node.isSilent }

  /// Moves the radio, with immediate effect.
  public func move(to position: Position) { node.move(to: position) }
  /// Sets the transmit power in dBm.
  public func setTransmitPower(_ power: Int8) { node.setTransmitPower(power) }
  /// Sets the gain of antenna and body for each packet sent and received, in dB.
  public func setAntennaOffset(_ offset: Double) { node.setAntennaOffset(offset) }
  /// The radio falls silent, as if its antenna had been cut; the peers and the host notice by their time-outs only.
  public func silence() { node.silence() }
  /// From now on all its activities share the time of one radio: while one is on the air no other is. With another controller of
  /// the same device they share it with that one's, also if it was closed and this one is its successor.
  public func shareRadioTime(with other: VirtualController? = nil) {
    if let other, other !== self {
      if other.node.radioTime == nil { other.node.share(RadioTime()) }
      if let time = other.node.radioTime { node.share(time) }
    } else if node.radioTime == nil {
      node.share(RadioTime())
    }
  }

  /// A silent radio sends and receives again.
  public func comeBack() { node.comeBack() }

  /// Causes a fault that a radio does not cause.
  public func inject(_ fault: ControllerFault) {
    switch fault {
    case .loseDataToHost(let packets): faults.dataToHost = packets
    case .loseDataFromHost(let packets): faults.dataFromHost = packets
    case .ignoreCommands(let count): faults.commands = count
    case .refuseCommands(let opcode, let error, let count):
      faults.refusals[HCIOpcode(opcode)] = (HCIErrorCode(rawValue: error), count)
    case .spoilEncryptedPackets(let count): faults.spoiledPackets = count
    case .hang: faults.isHung = true
    }
  }

  /// The hardware fails: the host receives HCI_Hardware_Error, and all activity of the controller has ended.
  public func failHardware(code: UInt8) {
    resetState()
    emit(HardwareErrorEvent(hardwareCode: code), .hardwareError)
  }

  // MARK: Commands

  /// The maximum number of waiting commands of a host that does not wait for responses.
  private static let commandLimit = 64

  private func queue(command octets: [UInt8]) {
    guard octets.count >= 3, commands.count < Self.commandLimit else {
      droppedPacketCount += 1
      return
    }
    commands.append(octets)
    scheduleCommand()
  }

  private func scheduleCommand() {
    guard !isCommandTimerSet, !commands.isEmpty else { return }
    isCommandTimerSet = true
    loop.schedule(after: configuration.commandDelay, .work, self, tag: Timer.command.rawValue)
  }

  private func runCommand() {
    isCommandTimerSet = false
    guard isOpen, !commands.isEmpty else { return }
    let octets = commands.removeFirst()
    scheduleCommand()
    if faults.commands > 0 {
      faults.commands -= 1
      return
    }
    CommandTable.run(octets, on: self)
  }

  // MARK: Data

  /// Most packets are for the same connection as the one before.
  private func connection(of packet: HCIACLPacket) -> Connection? {
    let handle = packet.connectionHandle.rawValue
    if let lastConnection, lastConnection.handle == handle { return lastConnection }
    lastConnection = connections[handle]
    return lastConnection
  }

  private func take(data: consuming HCIPacket) {
    guard let packet = try? HCIACLPacket(data), let connection = connection(of: packet),
      packet.payload.count <= Int(configuration.aclPacketLength), packet.boundary != .complete,
      connection.terminationSent == nil
    else {
      droppedPacketCount += 1
      return
    }
    guard outstandingPackets < Int(configuration.aclPacketCount) else {
      droppedPacketCount += 1
      emit(DataBufferOverflowEvent(linkType: 0x01), .dataBufferOverflow)
      return
    }
    outstandingPackets += 1
    if faults.dataFromHost > 0 {
      faults.dataFromHost -= 1
      connection.send([], isStart: true)
      return
    }
    connection.send(packet.payload, isStart: packet.boundary != .continuing)
  }

  func reportCompleted(_ count: Int, of connection: Connection) {
    outstandingPackets -= count
    var reported = count
    if configuration.quirks.contains(.missingCompletedPackets) {
      uncountedPackets += count
      reported -= uncountedPackets / 16
      uncountedPackets %= 16
    }
    guard reported > 0 else { return }
    let (handle, number) = (ConnectionHandle(connection.handle), UInt16(clamping: reported))
    toHost { .numberOfCompletedPackets(number, of: handle, in: $0) }
  }

  func reportData(_ payload: consuming ArraySlice<UInt8>, isStart: Bool, of connection: Connection) {
    if faults.dataToHost > 0 {
      faults.dataToHost -= 1
      return
    }
    toHost(
      HCIPacket(
        HCIACLPacket(
          connectionHandle: ConnectionHandle(connection.handle), boundary: isStart ? .firstFlushable : .continuing,
          payload: payload)))
    if !heldEvents.isEmpty { releaseHeldEvents() }
  }

  func hold(_ packet: HCIPacket) {
    heldEvents.append(packet)
    loop.schedule(after: .milliseconds(200), .work, self, tag: Timer.heldEvents.rawValue)
  }

  private func releaseHeldEvents() {
    var packets: [HCIPacket] = []
    swap(&packets, &heldEvents)
    for packet in packets { toHost(packet) }
  }

  /// Takes one of the host's buffers for received data.
  func takeHostBuffer(for connection: Connection) -> Bool {
    guard host.isFlowControlled else { return true }
    guard host.freeBuffers > 0 else { return false }
    host.freeBuffers -= 1
    connection.heldByHost += 1
    return true
  }

  // MARK: Connections

  var hasRoomForConnection: Bool { connections.count < configuration.connectionLimit }

  /// `peer` is an identity address if its address can be resolved.
  func connection(to peer: DeviceAddress) -> Connection? { peers[peer].flatMap { connections[$0] } }

  func insert(_ connection: Connection) {
    connections[connection.handle] = connection
    peers[connection.peerIdentity.address] = connection.handle
    node.links.insert(connection)
    node.radioTime?.linksChanged()
  }

  /// What it sends on the advertising channels.
  var loadSources: [any AdvertisingLoadSource] {
    advertisingSets.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.advertiser)
  }

  func remove(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.handle) != nil else { return }
    lastConnection = nil
    peers[connection.peerIdentity.address] = nil
    node.links.remove(connection)
    outstandingPackets -= connection.outstanding
    host.freeBuffers += connection.heldByHost
  }

  /// Connection handles are assigned cyclically, so that a closed one is not reused immediately.
  func newHandle() -> UInt16 {
    repeat {
      nextHandle = nextHandle >= 0x0EFF ? 0x0001 : nextHandle + 1
    } while connections[nextHandle] != nil
    return nextHandle
  }

  // MARK: Reset

  /// The state after HCI_Reset: no activity, and all defaults.
  func resetState() {
    for (_, set) in advertisingSets.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      stopAdvertising(set)
    }
    advertisingSets = [:]
    scanner?.stop()
    scanner = nil
    initiator?.stop()
    initiator = nil
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
      connection.abandon()
      remove(connection)
    }
    outstandingPackets = 0
    heldEvents = []
    host = HostState()
    if address.kind == .random { host.randomAddress = address }
    acceptList = []
    resolvingList = ResolvingList()
  }
}
