import BLECore
import BLEWire

/// The medium between radios: which radios receive a packet, at which RSSI, and which packets are lost.
///
/// One air belongs to one loop. All randomness is derived from `seed`: the same calls in the same order on a virtual loop give
/// the same packets at the same times. Not modelled: clock drift, angle and phase.
public final class Air {
  /// The loop and the clock of this air.
  public let loop: any StackLoop
  /// The source of all randomness of this air.
  public let seed: UInt64
  /// How signals propagate between radios. A change takes effect immediately, for all.
  public var propagation: Propagation {
    get { medium }
    set {
      let range = medium.range
      medium = newValue
      rebuildListeners()
      if range != newValue.range, collides { rebuildLoad() }
      pathsChanged()
    }
  }
  /// In this file only: of what other targets reach, the compiler cannot prove that nothing else changes it during an access.
  private var medium: Propagation
  /// Observes every simulated packet. Packets that no radio can receive are not simulated: advertising while no radio scans, and
  /// the empty events of a connection on which nothing can be lost.
  public weak var tap: (any AirTap)? { didSet { hasTap = tap != nil } }
  /// False if nothing observes: a packet then costs one question for a number. True also after the observer is gone.
  private(set) var hasTap = false

  /// Whether the first event of a connection comes at a drawn time within the first interval after the request, as a central may
  /// choose (Core, Vol 6 Part B 4.5.3), instead of at the beginning of that interval.
  public var variesFirstEvent = false

  private var loss: LossModel
  private var pairLoss: [Pair: LossModel] = [:]
  /// The RSSI between two radios where it is given, in dBm.
  private var pairSignal: [Pair: Double] = [:]
  /// The interferers, if there are any.
  private(set) var interference: Interference?
  /// Whether advertisements are lost where packets of several advertisers overlap. A crowd sets it.
  public var collides = false {
    didSet { if oldValue != collides { rebuildLoad() } }
  }
  /// How busy the advertising channels are, where packets collide.
  private(set) var load: AdvertisingLoad?
  var crowds: [Crowd] = []
  var crowdCount = 0
  private var nodes: [Int: AirNode] = [:]
  private var nodeCount = 0
  private(set) var listeners: ListenerGrid
  /// The number of listening radios in other processes.
  var remoteListenerCount = 0 {
    didSet { if oldValue == 0, remoteListenerCount > 0 { listenersArrived() } }
  }
  /// The connection to other processes, if any.
  weak var bridge: (any AirBridge)?
  /// The minimum time for which the process at the other end of a connection may be silent, whatever the supervision time-out is.
  /// For airs that run faster than the machine's clock, where no machine could keep short time-outs.
  var leastSupervision = StackDuration.zero
  /// Advertisers that wait for a listener.
  private var resting: [Int: any RestingAdvertiser] = [:]
  private var restCount = 0

  private struct Pair: Hashable {
    let sender: Int
    let receiver: Int
  }

  /// - Parameter loss: how packets are lost between all radios without a model of their own.
  public init(
    loop: any StackLoop, seed: UInt64, propagation: Propagation = .indoors, loss: LossModel = .sensitivity
  ) {
    self.loop = loop
    self.seed = seed
    medium = propagation
    self.loss = loss
    listeners = ListenerGrid(range: propagation.range)
  }

  /// Makes a controller on this air. `address` is its public address, or its initial random static one.
  public func makeController(
    address: DeviceAddress, position: Position = .origin, configuration: ControllerConfiguration = .init()
  ) -> VirtualController {
    nodeCount += 1
    let station = Station(
      identity: address.value, position: position, transmitPower: configuration.transmitPower)
    let node = AirNode(air: self, number: nodeCount, station: station)
    nodes[nodeCount] = node
    let controller = VirtualController(air: self, node: node, address: address, configuration: configuration)
    node.controller = controller
    if configuration.sharesRadioTime { node.share(RadioTime()) }
    return controller
  }

  /// Removes all controllers from the air: all activity ends, and nothing is retained.
  public func shutDown() {
    for crowd in crowds { crowd.leave() }
    for (_, node) in nodes.sorted(by: { $0.key < $1.key }) { node.controller?.close() }
  }

  /// Sets how packets are lost between all radios without a model of their own.
  public func setLoss(_ model: LossModel) {
    loss = model
    pathsChanged()
  }

  /// Sets how packets are lost between two radios, in both directions; `nil`: by the air's model.
  public func setLoss(_ model: LossModel?, between first: VirtualController, and second: VirtualController) {
    setLoss(model, from: first, to: second)
    setLoss(model, from: second, to: first)
  }

  /// Sets how packets are lost in one direction.
  public func setLoss(_ model: LossModel?, from sender: VirtualController, to receiver: VirtualController) {
    pairLoss[Pair(sender: sender.node.number, receiver: receiver.node.number)] = model
    pathsChanged(of: sender.node)
  }

  /// Sets the RSSI in dBm at which two radios receive each other, whatever lies between them; `nil`: by the air's propagation.
  public func setSignal(_ level: Double?, between first: VirtualController, and second: VirtualController) {
    pairSignal[Pair(sender: first.node.number, receiver: second.node.number)] = level
    pairSignal[Pair(sender: second.node.number, receiver: first.node.number)] = level
    pathsChanged(of: first.node)
  }

  /// Sets the interferers of this air, in place of those before.
  public func setInterference(_ interferers: [Interferer]) {
    interference = interferers.isEmpty ? nil : Interference(interferers, seed: seed)
    pathsChanged()
  }

  func node(number: Int) -> AirNode? { nodes[number] }

  func remove(_ node: AirNode) {
    nodes[node.number] = nil
    node.radioTime?.leave(node)
    node.controller = nil
    pairLoss = pairLoss.filter { $0.key.sender != node.number && $0.key.receiver != node.number }
    pairSignal = pairSignal.filter { $0.key.sender != node.number && $0.key.receiver != node.number }
    load?.forget(node: node.number)
  }

  // MARK: Paths

  /// The path between two radios of this process.
  func path(from sender: AirNode, to receiver: AirNode) -> AirPath {
    if sender.isSilent || receiver.isSilent { return .blocked }
    let model =
      pairLoss.isEmpty ? loss : pairLoss[Pair(sender: sender.number, receiver: receiver.number)] ?? loss
    if !pairSignal.isEmpty, let level = pairSignal[Pair(sender: sender.number, receiver: receiver.number)] {
      return path(level: level, jitter: 0, model)
    }
    return path(from: sender.station, to: receiver.station, model)
  }

  /// The path between a radio of another process and one of this.
  func path(from sender: Station, to receiver: Station) -> AirPath { path(from: sender, to: receiver, loss) }

  private func path(from sender: Station, to receiver: Station, _ model: LossModel) -> AirPath {
    guard let level = medium.meanSignal(from: sender, to: receiver, seed: seed) else { return .blocked }
    return path(level: level, jitter: medium.jitter, model)
  }

  private func path(level: Double, jitter: Double, _ model: LossModel) -> AirPath {
    var path = AirPath(isBlocked: false, level: level, jitter: jitter, rate: 0)
    switch model {
    case .none: break
    case .independent(let rate): path.rate = rate
    case .bursts(let bursts):
      path.bursts = bursts
      path.rate = bursts.rateWhenGood
    case .bySignal(let curve): path.rate = curve.rate(at: level)
    }
    return path
  }

  func pathsChanged(of node: AirNode) {
    for link in node.links.all {
      link.pathChanged()
      if case .local(let other) = link.peer { other.pathChanged() }
    }
  }

  private func pathsChanged() {
    for (_, node) in nodes.sorted(by: { $0.key < $1.key }) { pathsChanged(of: node) }
  }

  func nodeMoved(_ node: AirNode, from old: Position) {
    for listener in node.listeners {
      listeners.remove(listener, at: old)
      listeners.insert(listener)
    }
    if let load {
      for source in node.controller?.loadSources ?? [] { load.refresh(source) }
    }
  }

  func rebuildLoad() {
    load = collides ? AdvertisingLoad(range: propagation.range) : nil
    for (_, node) in nodes.sorted(by: { $0.key < $1.key }) {
      for source in node.controller?.loadSources ?? [] { load?.insert(source) }
    }
    for crowd in crowds { crowd.count(in: load) }
  }

  // MARK: Listeners

  /// Whether any radio may receive an advertisement.
  var hasListeners: Bool { listeners.count > 0 || remoteListenerCount > 0 }
  /// Whether any radio of this process may receive one.
  var hasLocalListeners: Bool { listeners.count > 0 }

  func startListening(_ listener: any AdvertisingListener) {
    let wasEmpty = !hasListeners
    listener.node.listeners.append(listener)
    listeners.insert(listener)
    bridge?.localListenersChanged()
    if wasEmpty { listenersArrived() }
  }

  func stopListening(_ listener: any AdvertisingListener) {
    listener.node.listeners.removeAll { $0 === listener }
    listeners.remove(listener, at: listener.node.position)
    bridge?.localListenersChanged()
  }

  /// Calls the advertiser back once when there is a listener. The returned number cancels that.
  func rest(_ advertiser: any RestingAdvertiser) -> Int {
    restCount += 1
    resting[restCount] = advertiser
    return restCount
  }

  func endRest(_ number: Int) { resting[number] = nil }

  private func listenersArrived() {
    let advertisers = resting.sorted { $0.key < $1.key }
    resting = [:]
    for (_, advertiser) in advertisers { advertiser.resume() }
  }

  private func rebuildListeners() {
    var grid = ListenerGrid(range: propagation.range)
    for (_, node) in nodes.sorted(by: { $0.key < $1.key }) {
      for listener in node.listeners { grid.insert(listener) }
    }
    listeners = grid
  }
}
