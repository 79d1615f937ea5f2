import BLEVirtualRadio

extension Device {
  /// Walks in a straight line, in metres per second, and stays where the line ends. A walk under way does not keep the world from
  /// being quiet; `World.advance` passes its time. Its position changes each 100 ms.
  /// - Throws: the first value that is not finite or out of its limits.
  public func walk(from start: Position, to end: Position, speed: Double) throws(AirDescriptionError) {
    walk(try Walk(from: start, [.to(end, speed: speed)]))
  }

  /// Walks, and stays where the walk ends, or begins it again at its start. Another walk, or `move(to:)`, ends it.
  public func walk(_ walk: Walk, repeats: Bool = false) {
    onLoop { $0.motion.start(walk, repeats: repeats) }
  }

  /// Stays where it is.
  public func stopWalking() { onLoop { $0.motion.stop() } }

  /// Where it is now. Read it while the world's clock stands still.
  public var position: Position { radio.value.position }

  /// Its user holds it like this from now on, and turns around in the course of time: see `Carrying`.
  public func carry(_ carrying: Carrying) { onLoop { $0.motion.carry(carrying) } }

  /// From now on the RSSI between it and another device, in both directions, is the recorded one, wherever they are within the range
  /// of the air; loss follows from it. Replaces a trace between these two.
  public func follow(_ trace: RSSITrace, to other: Device, then ending: RSSITrace.Ending = .ends) {
    let otherRadio = other.radio
    onLoop { radio in
      radio.tracePlayers[other.address]?.stop()
      otherRadio.value.tracePlayers[self.address]?.stop()
      otherRadio.value.tracePlayers[self.address] = nil
      radio.tracePlayers[other.address] = TracePlayer(trace, ending, between: radio, and: otherRadio.value)
    }
  }

  /// The RSSI between it and another device follows from distance and walls again.
  public func stopFollowing(to other: Device) {
    let otherRadio = other.radio
    onLoop { radio in
      radio.tracePlayers.removeValue(forKey: other.address)?.stop()
      otherRadio.value.tracePlayers.removeValue(forKey: self.address)?.stop()
    }
  }
}
