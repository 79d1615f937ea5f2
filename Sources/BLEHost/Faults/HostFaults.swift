import BLEAdapter
import BLECore
import BLEFaults
import BLEWire

/// What a host cannot do to its own radio. Everything on the loop.
public struct FaultRadio: Sendable {
  /// Lets the radio send and receive nothing for a while.
  let silence: @Sendable (StackDuration) -> Void
  /// Lets the controller's hardware fail and recover.
  let resetController: @Sendable () -> Void
  /// Gives the controller another trouble.
  let trouble: @Sendable (FaultControllerTrouble) -> Void

  /// A radio with these abilities.
  public init(
    silence: @escaping @Sendable (StackDuration) -> Void, resetController: @escaping @Sendable () -> Void,
    trouble: @escaping @Sendable (FaultControllerTrouble) -> Void
  ) {
    self.silence = silence
    self.resetController = resetController
    self.trouble = trouble
  }
}

/// Carries out the faults of a host: gives the engine the packets of all links, passes on what it lets pass, and does to the device what it
/// says. On the loop.
final class HostFaults: TimerTarget {
  private weak var stack: HostStack?
  private let loop: any StackLoop
  private let log: Logger
  private var engine: FaultEngine
  private let radio: FaultRadio?
  private let didStrike: @Sendable (Fault, StackInstant) -> Void
  private var gates: [UInt64: FaultGate] = [:]
  private var lastLink: UInt64 = 0
  private var timer: TimerToken?
  private var added: [PublishedService] = []
  private let application = NoApplication()

  init(
    stack: HostStack, faults: [Fault], chance: SeededEntropy, radio: FaultRadio?,
    didStrike: @escaping @Sendable (Fault, StackInstant) -> Void
  ) {
    self.stack = stack
    loop = stack.loop
    log = stack.log.labelled("\(stack.log.label) fault")
    self.radio = radio
    self.didStrike = didStrike
    engine = FaultEngine(faults: faults, chance: chance, now: stack.loop.now)
    for connection in stack.connections.all { attach(connection) }
    setTimer()
  }

  /// The faults that were set.
  var faults: [Fault] { engine.faults }

  /// Ends all faults. Packets that wait are lost.
  func end() {
    for gate in gates.values { gate.detach() }
    for number in gates.keys.sorted() { carryOut(engine.linkClosed(number)) }
    abandon()
  }

  /// Ends all faults of a process that has ended: nothing is called.
  func abandon() {
    if let timer { loop.cancel(timer) }
    timer = nil
    for gate in gates.values { gate.detach() }
    gates = [:]
  }

  // MARK: Links

  /// A link was established.
  func attach(_ connection: HostConnection) {
    guard let link = connection.channels else { return }
    lastLink += 1
    let gate = FaultGate(number: lastLink, connection: connection, link: link, faults: self)
    gates[lastLink] = gate
    link.gate = gate
    carryOut(engine.linkOpened(lastLink, now: loop.now))
  }

  func linkDidClose(_ number: UInt64) {
    carryOut(engine.linkClosed(number))
    gates[number] = nil
  }

  func take(_ packet: FaultPacket) { carryOut(engine.take(packet, now: loop.now)) }

  func encrypted(_ connection: HostConnection) {
    let link = gates.values.first { $0.connection === connection }?.number
    carryOut(engine.phaseBegan(.encryption, link: link, now: loop.now))
  }

  func startedAdvertising() { carryOut(engine.phaseBegan(.advertising, link: nil, now: loop.now)) }

  func cause(_ fault: Fault) { carryOut(engine.cause(fault, now: loop.now)) }

  // MARK: Outputs

  private func carryOut(_ outputs: [FaultOutput]) {
    for output in outputs {
      switch output {
      case .pass(let packet): gates[packet.link]?.pass(packet)
      case .drop(let number): for gate in gates.values { gate.drop(number) }
      case .perform(let action, let link): perform(action, on: link)
      case .strike(let fault, _):
        log.log(.info, "\(fault)")
        didStrike(fault, loop.now)
      }
    }
    setTimer()
  }

  private func setTimer() {
    if let timer { loop.cancel(timer) }
    // A packet that is late is under way; what strikes at a time is not.
    timer = engine.deadline.map {
      loop.schedule(at: $0, engine.holdsPackets ? .work : .background, self, tag: 0)
    }
  }

  func timerFired(tag: Int) {
    timer = nil
    carryOut(engine.advance(to: loop.now))
  }

  /// After the current job: what is done to a link or to the host must not happen inside of what handles a packet of it.
  private func perform(_ action: FaultAction, on link: UInt64?) {
    let connection = link.flatMap { gates[$0]?.connection }
    stack?.later { [weak self, weak connection] in self?.performNow(action, on: connection) }
  }

  private func performNow(_ action: FaultAction, on connection: HostConnection?) {
    guard let stack else { return }
    switch action {
    case .disconnect(let reason):
      for ended in connection.map({ [$0] }) ?? stack.connections.all where ended.isUp { ended.disconnect(reason) }
    case .forgetBond: stack.security.remove(nil) { _ in }
    case .restart: restart()
    case .resetController: if let radio { radio.resetController() } else { restart() }
    case .controller(let trouble):
      guard let radio else { return log.log(.warning, "a controller that is not simulated has no such trouble") }
      radio.trouble(trouble)
    case .silence(let time):
      if let radio { return radio.silence(StackDuration(time)) }
      engine.silence(for: StackDuration(time), now: loop.now)
    case .changeTable(let change): changeTable(change)
    default: break
    }
  }

  private func restart() {
    stack?.powerInput(.setSwitchedOn(false))
    loop.schedule(after: Self.restartTime, .work) { [weak stack] in stack?.powerInput(.setSwitchedOn(true)) }
  }

  private static let restartTime = StackDuration.seconds(1)

  private func changeTable(_ change: FaultTableChange) {
    guard let stack else { return }
    let server = stack.server.gatt
    switch change {
    case .removeService(let uuid):
      for role in stack.peripherals { role.removeServices(of: uuid) }
      for service in added where service.uuid == uuid { server.remove(service) }
      added.removeAll { $0.uuid == uuid }
    case .addService(let uuid):
      let service = LocalService.ofFault(uuid)
      if let published = server.publish(service, application: application) { added.append(published) }
    case .shiftHandles(let count):
      guard let count = UInt16(exactly: count), let first = stack.server.firstFreeHandle,
        server.database.move(from: first, by: count)
      else { return }
      for role in stack.peripherals { role.handlesDidMove(by: count) }
      added = added.map { $0.moved(by: count) }
      for client in server.clients { client.forgetSubscriptions(in: first ... .last) }
      server.databaseDidChange(in: first ... .last)
    }
  }
}
