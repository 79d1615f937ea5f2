import BLECore
import BLEWire

/// Another process on the same air.
protocol AirPeer: AnyObject {
  /// Sends without blocking; a message without room is lost.
  func send(_ message: AirMessage)
}

/// The other end of a connection, in another process.
///
/// The central's side sends its PDUs at each connection event; the peripheral's side simulates the exchange of packets, with air
/// times and losses, and returns the result. PDUs are numbered from the start of the connection, so that a lost or late message
/// does no harm: the next one repeats its contents. Delays of a process do not matter either: only the supervision time-out ends
/// a connection.
final class RemoteLink {
  /// The time that the other process has to respond on a new connection, whatever the interval is.
  static let patience = StackDuration.seconds(2)
  /// A timer that fires this much too late, in the system's time, shows that this process did not run in the meantime.
  static let lateness = StackDuration.milliseconds(250)
  /// The time in which a running process usually answers, in the system's time.
  static let answerTime = StackDuration.microseconds(500)
  /// The maximum number of unacknowledged PDUs: one message holds all of them, encrypted and of full length.
  private static let window = 48
  /// The longest time, on the air, that an exchange makes up for because answers came late.
  private static let madeUp = StackDuration.seconds(1)

  weak var connection: Connection?
  private weak var channel: (any AirPeer)?
  private weak var bridge: SharedAir?
  let accessAddress: UInt32
  /// The latest state of the other radio.
  private var station: Station
  /// PDUs that are sent or about to be sent, and unacknowledged.
  private var inFlight: [OutgoingPDU] = []
  private var peerHasMore = false
  /// Received PDUs that the next message acknowledges.
  private var owesAcknowledgement = false
  private var hasPoked = false
  private var eventEnd = StackInstant.zero
  /// When the central sent what the peripheral has not answered.
  private var unanswered: StackInstant?
  /// An event has begun, and waits for the answer to what was sent before it.
  private var isHeldBack = false
  private var cursor = StackInstant.zero
  private var isChunkScheduled = false
  private var chunkTimer = TimerToken()
  /// The end of the last silence that was excused.
  private var excused = StackInstant.zero
  /// Whether the channel is in a burst of losses.
  private var isBad = (there: false, back: false)

  init(accessAddress: UInt32, station: Station, channel: any AirPeer, bridge: SharedAir) {
    self.accessAddress = accessAddress
    self.station = station
    self.channel = channel
    self.bridge = bridge
  }

  /// Whether nothing is pending.
  var isQuiet: Bool { inFlight.isEmpty && !peerHasMore && !owesAcknowledgement }

  func close() {
    connection?.loop.cancel(chunkTimer)
    bridge?.remove(self)
  }

  /// Processes what has already arrived: before a connection is given up.
  func drain() { bridge?.readAll() }

  /// A process that did not run did not listen either: a machine that stood still for longer than the supervision time-out would
  /// lose all its links at once. If the time-out itself fires late, the silence is measured again from now; only once, since the
  /// peer may have ended.
  func excuseSilence(of connection: Connection) {
    let now = connection.loop.now
    guard connection.lastHeard != excused, let bridge, now > connection.supervisionDue + bridge.lateness else { return }
    connection.lastHeard = now
    excused = now
  }

  func readSignal() -> Int8? {
    guard let connection else { return nil }
    let path = connection.air.path(from: station, to: connection.controller.node.station)
    return path.isBlocked ? nil : path.signal(connection.controller.node.chance)
  }

  /// Takes PDUs of the connection until the window is full.
  private func fill(_ connection: Connection) {
    while inFlight.count < Self.window {
      connection.prepare()
      connection.hasCurrent = false
      if connection.current.isFiller { return }
      inFlight.append(connection.current)
    }
  }

  private func acknowledge(upTo count: UInt64, _ connection: Connection) {
    let known = UInt64(connection.transmitCount)
    guard count > known, count - known <= UInt64(inFlight.count) else { return }
    for pdu in inFlight.prefix(Int(count - known)) {
      connection.current = pdu
      connection.acknowledged()
    }
    inFlight.removeFirst(Int(count - known))
  }

  private func scheduleChunk(_ connection: Connection) {
    if isChunkScheduled { return }
    isChunkScheduled = true
    chunkTimer = connection.loop.schedule(
      at: max(cursor, connection.loop.now), .work, connection, tag: Connection.Timer.chunk.rawValue)
  }

  // MARK: The central's side

  /// In fast time several events pass while an answer is under way. Only if it does not come in time the PDUs are sent again.
  func runEvent() {
    guard let connection, let bridge else { return }
    let now = connection.loop.now
    eventEnd = connection.eventEnd
    cursor = max(cursor, connection.anchor)
    let resumption = unanswered.map { $0 + bridge.answerTime } ?? now
    isHeldBack = now < resumption
    if !isHeldBack { sendEvent(connection) }
    connection.planNextRemoteEvent(from: max(now, resumption))
  }

  private func sendEvent(_ connection: Connection) {
    guard !connection.controller.node.isSilent else { return }
    fill(connection)
    owesAcknowledgement = false
    unanswered = connection.loop.now
    channel?.send(
      .event(
        EventMessage(
          accessAddress: accessAddress, station: connection.controller.node.station,
          event: UInt64(clamping: connection.eventNumber), start: cursor, end: eventEnd,
          transmitPHY: connection.transmitPHY.rawValue, receivePHY: connection.receivePHY.rawValue,
          base: UInt64(connection.transmitCount), acknowledged: UInt64(connection.receiveCount), frames: inFlight)))
  }

  func receive(_ message: ReplyMessage) {
    guard let connection, connection.isOpen, connection.isCentral, !connection.controller.node.isSilent else { return }
    unanswered = nil
    station = message.station
    connection.heard(at: connection.loop.now)
    if let tap = connection.air.tap { report(message, to: tap, connection) }
    acknowledge(upTo: message.acknowledged, connection)
    accept(message.frames, base: message.base, connection)
    peerHasMore = message.hasMore
    cursor = max(cursor, min(message.end, eventEnd))
    scheduleChunk(connection)
    if !isQuiet { connection.wake() }
  }

  /// The peripheral has something to send: an event is scheduled at the next anchor.
  func receivePoke() {
    guard let connection, connection.isOpen, connection.isCentral else { return }
    peerHasMore = true
    connection.wake()
  }

  /// The advertiser had gone: there is no other end.
  func receiveRefusal() {
    guard let connection, connection.isOpen, connection.isCentral, !connection.isEstablished else { return }
    connection.loop.cancel(connection.supervisionTimer)
    connection.isSupervisionArmed = false
    connection.peer = .none
    bridge?.remove(self)
    connection.armSupervision()
  }

  // MARK: The peripheral's side

  func poke() {
    guard let connection, !hasPoked, !connection.controller.node.isSilent else { return }
    hasPoked = true
    channel?.send(.poke(accessAddress: accessAddress))
  }

  /// Simulates the exchange of packets of an event, or of a part of it, and returns the result.
  func receive(_ message: EventMessage) {
    guard let connection, connection.isOpen, !connection.isCentral, !connection.controller.node.isSilent,
      let transmitPHY = Self.phy(message.receivePHY), let receivePHY = Self.phy(message.transmitPHY)
    else { return }
    let node = connection.controller.node
    var there = connection.air.path(from: message.station, to: node.station)
    var back = connection.air.path(from: node.station, to: message.station)
    (there.isBad, back.isBad) = isBad
    defer { isBad = (there.isBad, back.isBad) }
    guard there.delivers(node.chance) else { return }
    station = message.station
    hasPoked = false
    connection.heard(at: connection.loop.now)
    // Even a process that slept for long is not a million events behind.
    let event = Int(clamping: message.event)
    if event > connection.eventNumber, event - connection.eventNumber < 1_000_000 { connection.eventNumber = event }
    connection.applyInstants(upTo: connection.eventNumber)
    guard connection.isOpen else { return }
    acknowledge(upTo: message.acknowledged, connection)

    let now = connection.loop.now
    cursor = min(max(message.start, now - .seconds(5)), now + .seconds(5))
    let skipped = UInt64(connection.receiveCount) &- message.base
    var theirs = skipped <= UInt64(message.frames.count) ? message.frames.dropFirst(Int(skipped)) : []
    var sent = 0
    var answer: (acknowledged: Int, sent: Int, end: StackInstant)?
    while true {
      let next = theirs.popFirst()
      let start = cursor
      if answer != nil, !there.delivers(node.chance) { break }
      cursor = cursor + AirTime.packet(next?.payload.count ?? 0, receivePHY) + AirTime.interFrameSpace
      if let tap = connection.air.tap {
        let signal = there.signal(node.chance)
        report(next ?? .empty, connection.receiveCount, at: start, receivePHY, signal, to: tap, connection)
      }
      if let next, !connection.accept(next) { theirs = [] }
      if connection.encryption.hasFailed { break }
      fill(connection)
      let outgoing = sent < inFlight.count ? inFlight[sent] : .empty
      if let tap = connection.air.tap {
        let signal = back.signal(node.chance)
        report(outgoing, connection.transmitCount + sent, at: cursor, transmitPHY, signal, to: tap, connection)
      }
      cursor = cursor + AirTime.packet(outgoing.payload.count, transmitPHY) + AirTime.interFrameSpace
      guard back.delivers(node.chance) else { break }
      if sent < inFlight.count { sent += 1 }
      answer = (connection.receiveCount, sent, cursor)
      let needed =
        AirTime.packet(theirs.first?.payload.count ?? 0, receivePHY) + AirTime.interFrameSpace
        + AirTime.packet(sent < inFlight.count ? inFlight[sent].payload.count : 0, transmitPHY)
      if theirs.isEmpty && sent >= inFlight.count || cursor + needed > message.end { break }
    }
    if connection.encryption.hasFailed {
      scheduleChunk(connection)
      return
    }
    guard let answer else { return }
    scheduleChunk(connection)
    channel?.send(
      .reply(
        ReplyMessage(
          accessAddress: accessAddress, station: node.station, event: message.event, end: answer.end,
          hasMore: answer.sent < inFlight.count || connection.hasDataToSend, base: UInt64(connection.transmitCount),
          acknowledged: UInt64(answer.acknowledged), frames: Array(inFlight.prefix(answer.sent)))))
  }

  private static func phy(_ rawValue: UInt8) -> LEPHY? {
    (1...3).contains(rawValue) ? LEPHY(rawValue: rawValue) : nil
  }

  // MARK: Both sides

  /// Reports a packet of this link to the tap: `number` counts the PDUs of its direction.
  private func report(
    _ pdu: OutgoingPDU, _ number: Int, at time: StackInstant, _ phy: LEPHY, _ signal: Int8, to tap: any AirTap,
    _ connection: Connection
  ) {
    let frame = DataChannelPDU(
      pdu.kind, sequenceNumber: number & 1 == 1, nextExpectedSequenceNumber: false, moreData: false,
      payload: pdu.payload)
    tap.air(connection.air, carried: connection.airFrame(frame, at: time, phy, signal: signal, wasReceived: true))
  }

  /// The central receives the result of an event.
  private func report(_ message: ReplyMessage, to tap: any AirTap, _ connection: Connection) {
    let known = connection.transmitCount
    let count = Int(clamping: message.acknowledged) - known
    for (index, pdu) in inFlight.prefix(max(0, count)).enumerated() {
      report(pdu, known + index, at: cursor, connection.transmitPHY, 0, to: tap, connection)
    }
    let signal = readSignal() ?? 0
    let skipped = UInt64(connection.receiveCount) &- message.base
    guard skipped <= UInt64(message.frames.count) else { return }
    for (index, pdu) in message.frames.dropFirst(Int(skipped)).enumerated() {
      report(
        pdu, connection.receiveCount + index, at: message.end, connection.receivePHY, signal, to: tap, connection)
    }
  }

  private func accept(_ frames: [OutgoingPDU], base: UInt64, _ connection: Connection) {
    for (index, frame) in frames.enumerated() where base &+ UInt64(index) == UInt64(connection.receiveCount) {
      guard connection.accept(frame) else { return }
      owesAcknowledgement = true
    }
  }

  /// The packets of the last exchange have ended.
  func finishChunk() {
    isChunkScheduled = false
    guard let connection, connection.isOpen else { return }
    connection.handOn()
    guard connection.isOpen else { return }
    if connection.encryption.hasFailed || connection.terminationReceived != nil || connection.isTerminationAcknowledged
    {
      // The peripheral has to receive the acknowledgement of its termination.
      if connection.isCentral, connection.terminationReceived != nil { sendEvent(connection) }
      connection.finishTermination()
      return
    }
    if connection.isCentral { continueEvent(connection) }
  }

  /// What was answered is followed by more in the same event, if there is time for it.
  private func continueEvent(_ connection: Connection) {
    let now = connection.loop.now
    if !isQuiet || connection.hasDataToSend {
      if eventEnd < now {
        // The event's time had ended when the answer came: the exchange continues in the air time that has passed since.
        eventEnd = now
        cursor = max(cursor, now - Self.madeUp)
      }
      let needed =
        AirTime.packet(27, connection.transmitPHY) + AirTime.packet(27, connection.receivePHY)
        + AirTime.interFrameSpace * 2
      if cursor + needed <= eventEnd { return sendEvent(connection) }
    }
    guard isHeldBack else { return }
    isHeldBack = false
    connection.loop.cancel(connection.eventTimer)
    connection.hastenRemoteEvent()
    connection.scheduleEvent()
  }
}

extension Connection {
  func heard(at time: StackInstant) {
    lastHeard = max(lastHeard, time)
    if !isEstablished { established() }
  }

  /// The longest time without an event on a link between processes without activity: an event costs two messages, and a side that
  /// has something to send can request one.
  private var quietSpan: StackDuration { min(timing.timeoutDuration / 6, .seconds(1)) }

  /// As the central of a link between processes: schedules the next event after `time`, or a later one if there is nothing to send.
  func planNextRemoteEvent(from time: StackInstant) {
    guard isOpen, case .remote(let link) = peer else { return }
    let interval = timing.intervalDuration
    let mayRest = isEstablished && isIdle && link.isQuiet && !procedures.isRunning
    let late = max(0, (time - anchor) / interval)
    let ahead = late + (mayRest ? max(1, quietSpan / interval) : 1)
    eventNumber += Int(ahead)
    anchor = anchor + interval * ahead
    scheduleEvent()
  }

  /// Brings the next event forward to the next anchor.
  func hastenRemoteEvent() {
    let spare = (anchor - loop.now) / timing.intervalDuration
    guard spare > 0 else { return }
    eventNumber -= Int(spare)
    anchor = anchor - timing.intervalDuration * spare
  }
}
