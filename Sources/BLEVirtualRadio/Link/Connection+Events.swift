import BLECore
import BLEWire

/// The connection events of the central's end (Core, Vol 6 Part B 4.5.1), and the rest between them.
extension Connection {
  /// Schedules the first event, at `anchor`.
  func begin() {
    armSupervision()
    guard isCentral else { return }
    scheduleEvent()
  }

  /// A packet was queued: the next event has to take place.
  func dataQueued() {
    guard isOpen else { return }
    if isCentral { return wake() }
    switch peer {
    case .local(let central): central.wake()
    case .remote(let link): link.poke()
    case .none: break
    }
  }

  /// The central's end runs its events again, or runs the next one as work.
  func wake() {
    guard isOpen, !isEventOpen else { return }
    if isParked {
      unpark()
    } else if !isEventTimerWork {
      loop.cancel(eventTimer)
      if case .remote = peer { hastenRemoteEvent() }
      scheduleEvent()
    }
  }

  func scheduleEvent() {
    isEventTimerWork = isWorkPending
    eventTimer = loop.schedule(
      at: anchor, isEventTimerWork ? .work : .background, self, tag: Timer.event.rawValue)
  }

  /// Whether this link makes progress: its events count as work.
  private var isWorkPending: Bool {
    if !isEstablished || !isIdle || procedures.isRunning { return true }
    switch peer {
    case .local(let other): return other.isOpen && (!other.isIdle || other.procedures.isRunning)
    case .remote(let link): return !link.isQuiet
    case .none: return false
    }
  }

  // MARK: One event

  func runEvent() {
    guard isOpen else { return }
    isEventOpen = false
    // No other event is scheduled during this one.
    isEventTimerWork = true
    cursor = anchor
    applyInstants(upTo: eventNumber)
    guard isOpen else { return }
    switch peer {
    case .local(let other): if takesTurn(at: anchor) { play(with: other) } else { planNextEvent() }
    case .remote(let link): link.runEvent()
    case .none: planNextEvent()
    }
  }

  /// The time by which the exchanges of the current event must have ended.
  var eventEnd: StackInstant {
    let interval = timing.intervalDuration
    let limit = eventLengthLimit > .zero ? min(interval, eventLengthLimit) : interval
    return anchor + limit - AirTime.interFrameSpace
  }

  /// The exchanges simulated so far have ended on the air.
  func finishChunk() {
    guard isOpen else { return }
    if case .remote(let link) = peer { link.finishChunk() }
    guard case .local(let other) = peer else { return }
    other.handOn()
    handOn()
    if other.isOpen { other.finishTermination() }
    if isOpen { finishTermination() }
    guard isOpen else { return }
    if isEventOpen, other.isOpen {
      play(with: other)
    } else {
      isEventOpen = false
      planNextEvent()
    }
  }

  /// After the last exchange of an event: schedules the next event, or a rest.
  func planNextEvent() {
    guard isOpen else { return }
    if case .local(let other) = peer, other.isOpen, canRest, other.canRest, isEstablished, other.isEstablished,
      timing == other.timing
    {
      isParked = true
      other.isParked = true
      isEventTimerWork = false
      return
    }
    eventNumber += 1
    anchor = anchor + timing.intervalDuration
    // A loop in real time may be late: missed events are skipped.
    let now = loop.now
    if anchor < now, now - anchor > timing.intervalDuration {
      let missed = (now - anchor) / timing.intervalDuration
      eventNumber += Int(missed)
      anchor = anchor + timing.intervalDuration * missed
    }
    scheduleEvent()
  }

  private var canRest: Bool { isIdle && path.isPerfect && !isContended && !air.hasInterference }

  // MARK: Rest

  /// Ends a rest: events take place again from the next one. The effects of the skipped events are computed.
  func unpark() {
    guard isParked, isCentral else { return }
    isParked = false
    let passed = max(0, (loop.now - anchor) / timing.intervalDuration)
    if case .local(let other) = peer {
      other.isParked = false
      computeRest(of: other, passed: passed)
      if other.isOpen { other.armSupervision() }
    }
    eventNumber += Int(passed) + 1
    anchor = anchor + timing.intervalDuration * (passed + 1)
    armSupervision()
    scheduleEvent()
  }

  /// `passed` events were not simulated: computes when the two ends last received each other.
  private func computeRest(of other: Connection, passed: Int64) {
    let cycle = Int(timing.latency) + 1
    other.lastListened += max(0, (eventNumber + Int(passed) - other.lastListened) / cycle) * cycle
    let start = anchor + timing.intervalDuration * Int64(other.lastListened - eventNumber)
    let heard = start + AirTime.packet(0, transmitPHY)
    other.lastHeard = max(other.lastHeard, heard)
    lastHeard = max(lastHeard, heard + AirTime.interFrameSpace + AirTime.packet(0, receivePHY))
  }

  /// The path from the peer has changed.
  func pathChanged() {
    refreshPath()
    endRest()
  }

  func refreshPath() {
    guard case .local(let other) = peer else { return }
    path = air.path(from: controller.node, to: other.controller.node)
  }

  // MARK: Supervision

  private var supervisionLimit: StackDuration {
    // Until the first packet of the peer, the limit is six intervals (Core, Vol 6 Part B 4.5.2).
    if case .remote = peer {
      let limit = isEstablished ? timing.timeoutDuration : max(timing.intervalDuration * 6, RemoteLink.patience)
      return max(limit, air.leastSupervision)
    }
    if isEstablished { return timing.timeoutDuration }
    return timing.intervalDuration * 6
  }

  func armSupervision() {
    if isSupervisionArmed { return }
    isSupervisionArmed = true
    let start = isEstablished ? lastHeard : max(created, lastHeard)
    supervisionDue = start + supervisionLimit
    supervisionTimer = loop.schedule(at: supervisionDue, .background, self, tag: Timer.supervision.rawValue)
  }

  func superviseNow() {
    isSupervisionArmed = false
    guard isOpen, !isParked else { return }
    if case .remote(let link) = peer {
      link.drain()
      link.excuseSilence(of: self)
    }
    guard isOpen else { return }
    if loop.now < lastHeard + supervisionLimit {
      armSupervision()
      return
    }
    if terminationSent != nil {
      close(reason: .localHostTerminated)
    } else {
      close(reason: isEstablished ? .connectionTimeout : .failedToEstablish)
    }
  }

  func established() {
    isEstablished = true
    loop.cancel(supervisionTimer)
    isSupervisionArmed = false
    armSupervision()
    controller.linkEstablished(self)
  }

  // MARK: The end

  /// Ends this side and reports the reason to the host.
  func close(reason: HCIErrorCode) {
    guard isOpen else { return }
    abandon()
    controller.linkClosed(self, reason: reason)
  }

  /// Ends this side without an event.
  func abandon() {
    guard isOpen else { return }
    isOpen = false
    loop.cancel(eventTimer)
    loop.cancel(supervisionTimer)
    procedures.cancelTimer(loop)
    encryption.end(loop)
    if case .local(let other) = peer, other.isOpen {
      if isCentral {
        if isParked {
          other.isParked = false
          computeRest(of: other, passed: max(0, (loop.now - anchor) / timing.intervalDuration))
        }
        other.peer = .none
        other.armSupervision()
      } else {
        // The central continues, and receives nothing.
        other.path = .blocked
        path = .blocked
        other.unpark()
      }
    }
    if case .remote(let link) = peer { link.close() }
    peer = .none
    waiting.removeAll()
    control.removeAll()
    incoming.removeAll()
  }
}
