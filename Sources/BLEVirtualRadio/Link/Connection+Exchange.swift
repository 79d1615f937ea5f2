import BLECore
import BLEWire

/// The exchange of packets in a connection event, simulated for both ends at once (Core, Vol 6 Part B 4.5.6, 4.5.9).
extension Connection {
  /// The number of exchanges that are simulated before received packets are delivered: the hosts can then queue more for the same event.
  private static let exchangesAtOnce = 8

  /// Simulates the next exchanges of the current event, from `cursor`.
  func play(with other: Connection) {
    let isFirst = !isEventOpen
    isEventOpen = false
    let begin = cursor
    if isFirst {
      guard other.isListening(to: self), other.takesTurn(at: anchor) else {
        transmitUnheard()
        noteTurn(from: begin)
        planNextEvent()
        return
      }
      other.lastListened = eventNumber
    } else if !keepsTurn(with: other) {
      planNextEvent()
      return
    }
    let turnEnd = turnEnd(with: other)
    other.eventNumber = eventNumber
    other.anchor = anchor
    var isOver = false
    var count = 0
    while !isOver {
      if !isFirst || count > 0, !hasTime(with: other, until: turnEnd) { break }
      if count == Self.exchangesAtOnce {
        isEventOpen = true
        break
      }
      count += 1
      isOver = !exchange(with: other)
    }
    noteTurn(from: begin, with: other)
    if isEventOpen || needsHandingOn || other.needsHandingOn {
      isEventTimerWork = true
      eventTimer = loop.schedule(at: max(cursor, loop.now), .work, self, tag: Timer.chunk.rawValue)
    } else {
      planNextEvent()
    }
  }

  private var needsHandingOn: Bool {
    completed > 0 || !incoming.isEmpty || terminationReceived != nil || isTerminationAcknowledged
      || encryption.hasFailed
  }

  /// Whether there is time for another exchange before the event must end, at the latest at `turnEnd`.
  private func hasTime(with other: Connection, until turnEnd: StackInstant?) -> Bool {
    let needed =
      AirTime.packet(nextPayloadCount, transmitPHY) + AirTime.interFrameSpace
      + AirTime.packet(other.nextPayloadCount, other.transmitPHY)
    return cursor + needed <= min(eventEnd, turnEnd ?? eventEnd)
  }

  /// Whether the peripheral listens at this event.
  private func isListening(to central: Connection) -> Bool {
    guard isOpen, terminationReceived == nil else { return false }
    applyInstants(upTo: central.eventNumber)
    guard isOpen, timing == central.timing, receivePHY == central.transmitPHY, transmitPHY == central.receivePHY else {
      return false
    }
    if timing.latency == 0 || hasDataToSend || !isEstablished || procedures.hasInstant { return true }
    return central.eventNumber - lastListened > Int(timing.latency)
  }

  /// The central sends, and no radio receives it.
  private func transmitUnheard() {
    prepare()
    if air.hasTap, let tap = air.tap { report(current, to: tap, wasReceived: false, signal: -127) }
    cursor = cursor + AirTime.packet(current.payload.count, transmitPHY) + AirTime.interFrameSpace
  }

  /// Simulates one packet in each direction. False if the event has ended.
  private func exchange(with other: Connection) -> Bool {
    prepare()
    let moreFromMe = hasMoreData
    let duration = AirTime.packet(current.payload.count, transmitPHY)
    let reaches = delivers() && !isSpoiled(lasting: duration, at: cursor, towards: other)
    if air.hasTap, let tap = air.tap {
      report(current, to: tap, wasReceived: reaches, signal: path.signal(controller.node.chance))
    }
    cursor = cursor + duration
    guard reaches else {
      noteExchange(isGood: false)
      return false
    }
    other.take(from: self, at: cursor)
    // A side that has failed an integrity check sends nothing more.
    if other.encryption.hasFailed { return false }
    cursor = cursor + AirTime.interFrameSpace

    other.prepare()
    let moreFromThem = other.hasMoreData
    let answerDuration = AirTime.packet(other.current.payload.count, other.transmitPHY)
    let answers =
      other.delivers() && !other.isSpoiled(lasting: answerDuration, at: cursor, towards: self)
    if air.hasTap, let tap = air.tap {
      other.cursor = cursor
      let signal = other.path.signal(other.controller.node.chance)
      other.report(other.current, to: tap, wasReceived: answers, signal: signal)
    }
    cursor = cursor + answerDuration
    noteExchange(isGood: answers)
    guard answers else { return false }
    take(from: other, at: cursor)
    if encryption.hasFailed { return false }
    cursor = cursor + AirTime.interFrameSpace
    if other.terminationReceived != nil { return false }
    if terminationReceived != nil {
      acknowledgeTermination(to: other)
      return false
    }
    // If one side has no buffer, an immediate retransmission would not help.
    if other.receiveCount & 1 == transmitCount & 1, hasCurrent { return false }
    if receiveCount & 1 == other.transmitCount & 1 { return false }
    return moreFromMe || moreFromThem
  }

  /// The central has received the peripheral's termination: one more packet acknowledges it.
  private func acknowledgeTermination(to other: Connection) {
    prepare()
    if delivers() {
      other.takeEmpty(from: self, at: cursor)
    }
  }

  /// Sends one packet on the path from the peer to this end or back; returns whether it arrives.
  private func delivers() -> Bool {
    if path.isPerfect { return true }
    // Changed outside of this object, so that no access to it lasts while the random numbers are drawn.
    var path = path
    defer { self.path = path }
    return path.delivers(controller.node.chance)
  }

  private func report(_ pdu: OutgoingPDU, to tap: any AirTap, wasReceived: Bool, signal: Int8) {
    let frame = DataChannelPDU(
      pdu.kind, sequenceNumber: transmitCount & 1 == 1, nextExpectedSequenceNumber: receiveCount & 1 == 1,
      moreData: hasMoreData, payload: pdu.payload)
    tap.air(air, carried: airFrame(frame, at: cursor, transmitPHY, signal: signal, wasReceived: wasReceived))
  }

  /// A packet of the current event as a sniffer records it.
  func airFrame(
    _ pdu: DataChannelPDU, at time: StackInstant, _ phy: LEPHY, signal: Int8, wasReceived: Bool
  ) -> AirFrame {
    AirFrame(
      time: time,
      channel: eventChannel, phy: phy, accessAddress: accessAddress, octets: pdu.octets, signal: signal,
      wasReceived: wasReceived)
  }
}
