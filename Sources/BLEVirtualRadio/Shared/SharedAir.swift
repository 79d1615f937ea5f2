import BLECore
import BLEFiles
import BLEHCI
import BLEWire
import Dispatch
import Glibc

/// An air that the processes of one user on one machine share, without a server process.
///
/// The air is a folder of sockets, one for each process: a process that joins connects to all of them. Each process simulates its
/// own radios and sends their packets to the others; reception is decided by the receiving process. A terminated process is a
/// radio that has fallen silent, and the next process that joins removes its socket.
///
/// Everything on the loop, including the initializer.
public final class SharedAir {
  /// The name of the air.
  public let name: String
  /// The folder of the air's sockets.
  public let folder: String
  /// This process's part of the air: controllers are made here.
  public let air: Air

  private let loop: DispatchStackLoop
  private let path: String
  private let process: UInt64
  private let listener: PacketSocket
  /// `nil` while no further connections can be accepted.
  private var listenerSource: (any DispatchSourceRead)?
  private var peers: [SharedAirPeer] = []
  private var links: [UInt32: RemoteLink] = [:]
  private var toldListeners: UInt16 = 0
  private var isOpen = true
  /// The maximum number of connections from one process to this one.
  private static let placesOfOneProcess = 16
  /// The number of connections that are accepted before other work of the loop.
  private static let turn = 64
  /// The maximum number of socket names that are examined.
  private static let meetingLimit = 1_024
  /// The number of attempts to connect to a busy process.
  private static let meetingAttempts = 30
  private static let pause = DispatchTimeInterval.seconds(1)
  /// The maximum number of connections from all processes together.
  private let placeLimit = SharedAir.halfOfAllDescriptors()
  /// The number of connections that were refused for lack of a place.
  public private(set) var refusedConnectionCount = 0
  /// The number of invalid messages of other processes.
  public private(set) var droppedMessageCount = 0

  /// - Parameters:
  ///   - name: the air's name: letters, digits, dots, dashes and underscores.
  ///   - runtimeFolder: the folder of airs; `nil` uses this user's folder for running processes.
  public init(
    name: String, loop: DispatchStackLoop, runtimeFolder: String? = nil, seed: UInt64 = SystemEntropy().next(),
    propagation: Propagation = .indoors, loss: LossModel = .sensitivity
  ) throws(SharedAirError) {
    guard PlainName.isValid(name) else {
      throw SharedAirError(.invalidName, "\"\(name)\" cannot be the name of an air: use letters, digits and dashes.")
    }
    self.name = name
    self.loop = loop
    var folder = try AirFolder.make(runtimeFolder ?? UserFolders.runtime)
    // Processes whose clocks run at different speeds can't communicate.
    let place = loop.speed == 1 ? name : "\(name).x\(loop.speed)"
    for part in ["air", place] { folder = try AirFolder.make(folder + "/" + part) }
    self.folder = folder
    let entropy = SystemEntropy()
    process = entropy.next()
    path = folder + "/" + entropy.octets(5).hexadecimal
    listener = try PacketSocket.listening(at: path)
    air = Air(loop: loop, seed: seed, propagation: propagation, loss: loss)
    air.bridge = self
    if loop.speed > 1 { air.leastSupervision = RemoteLink.patience * Int64(loop.speed) }
    listen()
    for entry in Self.entries(of: folder).prefix(Self.meetingLimit) where folder + "/" + entry != path {
      meet(folder + "/" + entry)
    }
  }

  deinit { closeAll() }

  /// The number of other processes on this air.
  public var peerCount: Int { peers.count { $0.process != nil } }

  /// The delay of a timer of this loop that shows that the process did not run.
  var lateness: StackDuration { RemoteLink.lateness * Int64(loop.speed) }

  /// The time in which a running process answers, on this loop.
  var answerTime: StackDuration { RemoteLink.answerTime * Int64(loop.speed) }

  /// Leaves the air: for its peers, the radios of this process fall silent.
  public func leave() {
    closeAll()
    for link in links.values { link.connection?.peer = .none }
    links = [:]
    air.remoteListenerCount = 0
  }

  private func closeAll() {
    guard isOpen else { return }
    isOpen = false
    unlink(path)
    listenerSource?.cancel()
    for peer in peers { peer.close() }
    peers = []
  }

  // MARK: Meeting

  /// The names of sockets in the folder.
  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.utf8.count == 10, name.utf8.allSatisfy({ $0 != 0x2E }) { names.append(name) }
    }
    return names.sorted()
  }

  private func meet(_ path: String, attempt: Int = 1) {
    switch PacketSocket.connected(to: path) {
    case .socket(let socket): add(socket, isOurs: true)
    case .stale: unlink(path)
    case .busy where attempt < Self.meetingAttempts:
      let bound = LoopBound(Unowned(self))
      loop.queue.asyncAfter(deadline: .now() + Self.pause) {
        guard let air = bound.value.object, air.isOpen else { return }
        air.meet(path, attempt: attempt + 1)
      }
    case .busy, .failed: break
    }
  }

  private func add(_ socket: PacketSocket, isOurs: Bool) {
    let peer = SharedAirPeer(socket, isOurs: isOurs, queue: loop.queue, owner: self)
    guard hasRoom(for: peer) else {
      refusedConnectionCount += 1
      return peer.close()
    }
    peers.append(peer)
    peer.send(surely: .hello(process: process, listeners: localListeners))
  }

  /// A process has a few places, for several adapters of its own; all processes together leave this process half of its file
  /// descriptors. Connections that have not identified themselves are dropped first.
  private func hasRoom(for peer: SharedAirPeer) -> Bool {
    if peers.count(where: { $0.number == peer.number }) >= Self.placesOfOneProcess { return false }
    if peers.count < placeLimit { return true }
    guard let silent = peers.first(where: { $0.process == nil }) else { return false }
    remove(silent)
    return true
  }

  func remove(_ peer: SharedAirPeer) {
    peer.close()
    peers.removeAll { $0 === peer }
    countListeners()
  }

  private static func halfOfAllDescriptors() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
    return min(512, Int(clamping: limit.rlim_cur) / 2)
  }

  // MARK: Listening

  private func listen() {
    let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: loop.queue)
    let bound = LoopBound(Unowned(self))
    source.setEventHandler { bound.value.object?.acceptAll() }
    // The socket must not be released before the source is cancelled.
    let socket = LoopBound(listener)
    source.setCancelHandler { _ = socket.value }
    listenerSource = source
    source.activate()
  }

  private func acceptAll() {
    for _ in 0..<Self.turn {
      guard isOpen, listenerSource != nil else { return }
      switch listener.accepted() {
      case .socket(let socket): add(socket, isOurs: false)
      case .nothing: return
      case .noDescriptors: return stopListening()
      }
    }
    // The source fires again for the rest.
  }

  /// Connections wait at the socket for a while: otherwise the source would fire for them again and again.
  private func stopListening() {
    listenerSource?.cancel()
    listenerSource = nil
    let bound = LoopBound(Unowned(self))
    loop.queue.asyncAfter(deadline: .now() + Self.pause) {
      guard let air = bound.value.object, air.isOpen, air.listenerSource == nil else { return }
      air.listen()
    }
  }

  // MARK: Messages

  /// Processes all messages that have arrived from all processes.
  func readAll() {
    acceptAll()
    for peer in peers { peer.read() }
  }

  func receive(_ octets: [UInt8], from peer: SharedAirPeer) {
    guard isOpen, let message = try? AirMessage(octets) else {
      droppedMessageCount += 1
      return
    }
    switch message {
    case .hello(let process, let listeners):
      peer.process = process
      peer.listeners = listeners
      dropDoubles(of: peer)
      countListeners()
    case .listeners(let count):
      peer.listeners = count
      countListeners()
    case .advertising(let message): hear(message, from: peer)
    case .scanRequest(let node, let set, let scanner):
      guard let advertiser = advertiser(node: node, set: set) else { return }
      _ = advertiser.answersScanRequest(from: scanner)
    case .connect(let message): connect(message, from: peer)
    case .refused(let accessAddress): links[accessAddress]?.receiveRefusal()
    case .event(let message): links[message.accessAddress]?.receive(message)
    case .reply(let message): links[message.accessAddress]?.receive(message)
    case .poke(let accessAddress): links[accessAddress]?.receivePoke()
    }
  }

  /// Two processes that joined at the same time have connected to each other: one of the two connections is dropped.
  private func dropDoubles(of peer: SharedAirPeer) {
    guard let other = peer.process else { return }
    let both = peers.filter { $0.process == other }
    guard both.count > 1 else { return }
    // Both sides keep the one that the process with the smaller number made.
    let keepsOurs = process < other
    for double in both where double.isOurs != keepsOurs { remove(double) }
  }

  private func hear(_ message: AdvertisingMessage, from peer: SharedAirPeer) {
    let now = loop.now
    guard message.start <= now + .seconds(1), now - message.start < .seconds(10) else { return }
    let source = RemoteAdvertiser(message, channel: peer, bridge: self)
    guard let offer = source.offer else {
      droppedMessageCount += 1
      return
    }
    withExtendedLifetime(source) {
      if air.hasTap, let tap = air.tap { offer.report(to: tap, on: air, start: message.start) }
      for listener in air.listeners.candidates(near: message.station.position) {
        listener.hear(offer, start: message.start)
      }
    }
  }

  private func advertiser(node: UInt32, set: UInt8) -> LinkLayerAdvertiser? {
    air.node(number: Int(node))?.controller?.advertisingSets[LEAdvertisingHandle(rawValue: set)]?.advertiser
  }

  private func connect(_ message: ConnectMessage, from peer: SharedAirPeer) {
    let indication = message.indication
    let timing = ConnectionTiming(
      interval: indication.interval, latency: indication.latency, timeout: indication.timeout)
    guard let advertiser = advertiser(node: message.node, set: message.set), timing.isValid,
      (1...3).contains(message.phy), links[indication.accessAddress] == nil, advertiser.accepts(indication.initiator),
      advertiser.address == indication.advertiser
    else {
      peer.send(.refused(accessAddress: indication.accessAddress))
      return
    }
    let link = RemoteLink(
      accessAddress: indication.accessAddress, station: message.station, channel: peer, bridge: self)
    insert(link)
    if air.hasTap, let tap = air.tap {
      let request = AdvertisingChannelPDU.connectIndication(indication)
      tap.air(
        air,
        carried: AirFrame(
          time: message.created, channel: 37, phy: LEPHY(rawValue: message.phy),
          accessAddress: AdvertisingChannelPDU.accessAddress, octets: request.octets, signal: 0, wasReceived: true))
    }
    advertiser.take(indication, created: loop.now) { connection in
      connection.peer = .remote(link)
      link.connection = connection
      connection.transmitPHY = LEPHY(rawValue: message.phy)
      connection.receivePHY = LEPHY(rawValue: message.phy)
      connection.updateDataLength()
      connection.begin()
    }
  }

  // MARK: Links and listeners

  func insert(_ link: RemoteLink) { links[link.accessAddress] = link }

  func remove(_ link: RemoteLink) {
    if links[link.accessAddress] === link { links[link.accessAddress] = nil }
  }

  private var localListeners: UInt16 { UInt16(clamping: air.listeners.count) }

  private func countListeners() { air.remoteListenerCount = peers.reduce(0) { $0 + Int($1.listeners) } }
}

extension SharedAir: AirBridge {
  func carry(_ offer: AdvertisingOffer, of advertiser: LinkLayerAdvertiser, start: StackInstant) {
    let octets = AirMessage.advertising(AdvertisingMessage(offer, of: advertiser, start: start)).octets
    for peer in peers where peer.listeners > 0 { peer.send(octets: octets) }
  }

  func localListenersChanged() {
    let count = localListeners
    // The others only need to know whether any radio listens.
    if (count > 0) == (toldListeners > 0) { return }
    toldListeners = count
    for peer in peers { peer.send(surely: .listeners(count)) }
  }
}

/// An unowned reference that a closure can capture.
struct Unowned<Object: AnyObject> {
  weak var object: Object?
  init(_ object: Object) { self.object = object }
}
