import BLECore
import BLEWire

/// Receives the events of a controller. On the loop.
public protocol HCIControllerDelegate: AnyObject {
  /// Called when the state has changed. With ``HCIControllerState/resetting(_:)``, ``HCIControllerState/failed(_:)`` and
  /// ``HCIControllerState/stopped`` all links have already ended, without a Disconnection Complete for each.
  func controller(_ controller: HCIController, didChange state: HCIControllerState)
  /// Called for an event that is not an answer to a command. When a connection is complete, its link already exists; when it has
  /// ended, its link is already closed.
  func controller(_ controller: HCIController, didReceive event: HCIEvent)
}

/// The host's side of one controller: start-up, commands, data buffers, and restarts when the controller fails.
///
/// Everything on the loop. The controller is not trusted: what it sends at the wrong time is counted and ignored, and anything
/// that shows that its state is lost causes a restart on a new transport.
public final class HCIController {
  public struct Configuration: Sendable {
    /// The time limit for the answer to a command.
    public var commandTimeout = StackDuration.seconds(10)
    /// The delays before the restarts after a failure; after the last one the controller has failed, unless its transport comes back.
    public var restartDelays: [StackDuration] = [
      .milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5),
    ]
    /// The delay before each further restart of a controller whose transport comes back.
    public var lastRestartDelay = StackDuration.seconds(30)
    /// After this time without a failure the restarts are counted from the first again.
    public var stableAfter = StackDuration.seconds(10)

    public init() {}
  }

  public typealias TransportFactory = () throws(TransportError) -> any HCITransport

  enum TimerTag: Int {
    case command
    case restart
  }

  public let loop: any StackLoop
  public weak var delegate: (any HCIControllerDelegate)?
  /// Observes every packet in both directions.
  public var tap: (any HCITap)? {
    get { packetTap }
    set { packetTap = newValue }
  }
  public private(set) var state = HCIControllerState.stopped
  public var counters: HCICounters { tally }
  // Reached by this target only, for the same reason as in `HCILink`.
  private var packetTap: (any HCITap)?
  var tally = HCICounters()

  let log: Logger
  let configuration: Configuration
  private let makeTransport: TransportFactory
  private var transport: (any HCITransport)?
  private(set) var isReady = false
  private var startUp: HCIStartUp?
  /// Whether the controller was reset by this side: from then on a failure of its hardware concerns this side, also during the start-up,
  /// whose masks and addresses it discards.
  var isReset: Bool { isReady || startUp?.isReset == true }
  private var restartCount = 0
  private var readySince = StackInstant.zero
  private var restartTimer = TimerToken()
  var commands = HCICommandQueue()
  var commandTimer = TimerToken()
  let data = ACLScheduler()
  var earlyData = EarlyData()

  /// - Parameter makeTransport: makes a new, unopened transport, for the start and after each failure.
  public init(
    loop: any StackLoop, log: Logger = .silent, configuration: Configuration = Configuration(),
    makeTransport: @escaping TransportFactory
  ) {
    self.loop = loop
    self.log = log
    self.configuration = configuration
    self.makeTransport = makeTransport
    data.controller = self
  }

  deinit { transport?.close() }

  /// The features of the controller; `nil` while it is not ready.
  public var features: ControllerFeatures? {
    if case .ready(let features) = state { features } else { nil }
  }

  /// False if the transport leads to hardware, or may lead there.
  public var isSimulated: Bool { transport?.isSimulated ?? false }
  /// The name of the transport, if there is one.
  public var transportName: String? { transport?.name }

  /// Opens the transport and reads the controller's features. Does nothing unless stopped or failed.
  public func start() {
    switch state {
    case .stopped, .failed:
      restartCount = 0
      open()
    case .starting, .waiting, .ready, .resetting: return
    }
  }

  /// Stops the controller: links end, commands fail, the transport is closed.
  public func stop() {
    if case .stopped = state { return }
    // The answer is not awaited: the reset only silences a chip that would continue to advertise.
    if isReady { transmit(HCIPacket(HCIReset())) }
    tearDown()
    change(to: .stopped)
  }

  private func open() {
    change(to: .starting)
    do throws(TransportError) {
      let transport = try makeTransport()
      self.transport = transport
      try transport.open(receiver: self)
      if transport.isReady { beginStartUp() }
    } catch {
      fail(.transport(error))
    }
  }

  private func beginStartUp() {
    guard case .starting = state, startUp == nil else { return }
    let startUp = HCIStartUp(controller: self) { [unowned self] result in
      switch result {
      case .success(let features): becomeReady(features)
      case .failure(let failure): fail(failure)
      }
    }
    self.startUp = startUp
    startUp.begin()
  }

  private func becomeReady(_ features: ControllerFeatures) {
    startUp = nil
    data.configure(packetLength: features.aclDataPacketLength, packetCount: features.aclDataPacketCount)
    isReady = true
    readySince = loop.now
    if tally.losses > tally.returns { tally.returns += 1 }
    change(to: .ready(features))
  }

  /// The controller cannot be trusted: its state is discarded, and it is restarted after a delay.
  func fail(_ failure: HCIFailure) {
    switch state {
    case .starting, .waiting, .ready: break
    case .stopped, .resetting, .failed: return
    }
    log.log(.error, "\(failure)")
    if isReady {
      tally.losses += 1
      if loop.now - readySince >= configuration.stableAfter { restartCount = 0 }
    }
    let delay = restartDelay(comesBack: transport?.comesBack ?? false)
    tearDown()
    guard failure.isWorthAnotherTry, let delay else {
      change(to: .failed(failure))
      return
    }
    let isLast = restartCount >= configuration.restartDelays.count
    restartCount += 1
    restartTimer = loop.schedule(
      after: delay, isLast ? .background : .work, self, tag: TimerTag.restart.rawValue)
    change(to: .resetting(failure))
  }

  /// The delay before the next restart; `nil` if there is none.
  private func restartDelay(comesBack: Bool) -> StackDuration? {
    let delays = configuration.restartDelays
    if restartCount < delays.count { return delays[restartCount] }
    return comesBack ? configuration.lastRestartDelay : nil
  }

  private func tearDown() {
    isReady = false
    startUp = nil
    loop.cancel(restartTimer)
    loop.cancel(commandTimer)
    let transport = transport
    self.transport = nil
    transport?.close()
    data.closeAll()
    earlyData = EarlyData()
    for entry in commands.takeAll() { entry.completion(.failure(.notReady)) }
  }

  private func change(to state: HCIControllerState) {
    self.state = state
    delegate?.controller(self, didChange: state)
  }

  func transmit(_ packet: consuming HCIPacket) {
    guard let transport else { return }
    tally.sentOctets &+= UInt64(packet.octetCount)
    if let tap = packetTap { tap.tapDidHear(packet, .toController, at: loop.now) }
    transport.send(packet)
  }

  /// The link of a connection; `nil` if there is none.
  public func link(_ handle: ConnectionHandle) -> HCILink? { data.link(handle) }
}

extension HCIController: HCITransportReceiver {
  public func transportIsReady(_ transport: any HCITransport) {
    guard transport === self.transport else { return }
    if case .waiting = state { change(to: .starting) }
    beginStartUp()
  }

  public func transport(_ transport: any HCITransport, waitsBecause cause: TransportError) {
    guard transport === self.transport, startUp == nil, !isReady else { return }
    log.log(.error, "\(cause)")
    // The lost controller was removed: its failures do not count against the next one.
    restartCount = 0
    change(to: .waiting(cause))
  }

  public func transport(_ transport: any HCITransport, didFail error: TransportError) {
    if transport === self.transport { fail(.transport(error)) }
  }

  public func transport(_ transport: any HCITransport, didReceive packet: consuming HCIPacket) {
    guard transport === self.transport else { return }
    tally.receivedOctets &+= UInt64(packet.octetCount)
    if let tap = packetTap { tap.tapDidHear(packet, .toHost, at: loop.now) }
    switch packet.kind {
    case .aclData: receiveData(packet)
    case .event: receiveEvent(packet.octets)
    case .command, .synchronousData, .isochronousData: tally.unexpectedPackets += 1
    }
  }
}

extension HCIController: TimerTarget {
  public func timerFired(tag: Int) {
    switch TimerTag(rawValue: tag) {
    case .command: commandTimedOut()
    case .restart: if case .resetting = state { open() }
    case nil: break
    }
  }
}
