import BLECore
import BLEHost
import BLEVirtualRadio

/// The faults of a scripted device: the same machine as a host's, on the PDUs of the Attribute Protocol. On the loop.
final class ScriptedFaults: TimerTarget, ScriptedGate {
  private unowned let radio: ScriptedRadio
  private let box: FaultBox
  private let loop: any StackLoop
  private var engine: FaultEngine
  private var link: UInt64 = 0
  private var packet: UInt64 = 0
  private var timer: TimerToken?

  init(_ box: FaultBox, _ radio: ScriptedRadio, on loop: any StackLoop) {
    self.box = box
    self.radio = radio
    self.loop = loop
    engine = FaultEngine(
      faults: box.faults.filter { $0.mistake == nil }, chance: SeededEntropy(seed: box.seed), now: loop.now)
    if radio.isConnected { linkOpened() }
    setTimer()
  }

  /// Packets that wait are lost.
  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func linkOpened() {
    link += 1
    carryOut(engine.linkOpened(link, now: loop.now))
  }

  func linkClosed() { carryOut(engine.linkClosed(link)) }

  func take(_ pdu: [UInt8], isFromDevice: Bool) {
    packet += 1
    carryOut(
      engine.take(
        FaultPacket(
          link: link, number: packet, sender: isFromDevice ? .device : .peer, channel: .attributeProtocol, octets: pdu),
        now: loop.now))
  }

  func timerFired(tag: Int) {
    timer = nil
    carryOut(engine.advance(to: loop.now))
  }

  private func carryOut(_ outputs: [FaultOutput]) {
    for output in outputs {
      switch output {
      case .pass(let packet) where packet.link == link && packet.channel == .attributeProtocol:
        if packet.sender == .device { radio.transmit(packet.octets) } else { radio.respond(to: packet.octets) }
      case .perform(let action, _): perform(action)
      case .strike(let fault, _): box.didStrike(fault, loop.now)
      case .pass, .drop: break
      }
    }
    setTimer()
  }

  private func perform(_ action: FaultAction) {
    switch action {
    case .disconnect(let reason): radio.disconnect(reason: reason.rawValue)
    case .silence(let time):
      radio.controller.silence()
      loop.schedule(after: StackDuration(time), .background) { [weak radio] in radio?.controller.comeBack() }
    default: break
    }
  }

  private func setTimer() {
    if let timer { loop.cancel(timer) }
    timer = engine.deadline.map { loop.schedule(at: $0, engine.holdsPackets ? .work : .background, self, tag: 0) }
  }
}
