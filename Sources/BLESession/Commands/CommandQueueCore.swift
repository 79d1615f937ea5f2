import CoreBluetooth

/// The state of a `CommandQueue`, used on its session's queue only.
package final class CommandQueueCore {
  private final class Entry {
    let command: Command
    let progress: (@Sendable (TransferProgress) -> Void)?
    let reply: Reply<Data>
    var retriesLeft: Int
    /// Counts the tries: callbacks of an earlier try are ignored.
    var round = 0

    init(_ command: Command, _ progress: (@Sendable (TransferProgress) -> Void)?, _ reply: Reply<Data>) {
      self.command = command
      self.progress = progress
      self.reply = reply
      retriesLeft = max(0, command.retries)
    }
  }

  private unowned let device: DeviceCore
  private let commandPath: CharacteristicPath
  private let policy: DisconnectPolicy
  private let capacity: Int
  private let makeCodecs: @Sendable () -> CodecChain
  private var codecs: CodecChain
  private var waiting: [Entry] = []
  private var current: Entry?
  private var timer: (any SessionTimer)?
  private var subscription: Int?
  private var observation: Int?
  package let unsolicited = Broadcast<Data>()

  init(
    device: DeviceCore, commandPath: CharacteristicPath, answerPath: CharacteristicPath, policy: DisconnectPolicy,
    capacity: Int, codecs: @escaping @Sendable () -> CodecChain
  ) {
    self.device = device
    self.commandPath = commandPath
    self.policy = policy
    self.capacity = capacity
    makeCodecs = codecs
    self.codecs = codecs()
    subscription = device.subscribe(answerPath) { [weak self] in
      self?.received($0)
    } finish: {
    }
    observation = device.observe { [weak self] in self?.happened($0.event) }
  }

  var count: Int { waiting.count + (current == nil ? 0 : 1) }

  func add(_ command: Command, _ progress: (@Sendable (TransferProgress) -> Void)?, _ reply: Reply<Data>) {
    guard device.state == .ready || policy == .resume && device.isReadyOrConnecting else {
      return reply.fail(SessionError(.notConnected, "there is no connection to the device"))
    }
    guard count < capacity else {
      return reply.fail(SessionError(.invalid, "\(capacity) commands are already waiting: the device is too slow"))
    }
    let entry = Entry(command, progress, reply)
    let place = waiting.firstIndex { $0.command.priority < command.priority } ?? waiting.endIndex
    waiting.insert(entry, at: place)
    reply.onCancel = { [weak self, weak entry] in
      guard let self, let entry else { return }
      waiting.removeAll { $0 === entry }
      if current === entry { finish(entry) }
    }
    next()
  }

  private func next() {
    guard current == nil, device.state == .ready, !waiting.isEmpty else { return }
    let entry = waiting.removeFirst()
    current = entry
    tell(entry)
  }

  private func tell(_ entry: Entry) {
    entry.round += 1
    timer = device.call(after: entry.command.timeLimit) { [weak self, weak entry] _ in entry.map { self?.isSilent($0) }
    }
    let value: Data
    do {
      value = try codecs.encode(entry.command.content)
    } catch {
      return end(entry, .failure(SessionError(.invalid, "the command cannot be encoded", underlying: error)))
    }
    write(value[...], of: value.count, entry, round: entry.round)
  }

  /// Writes as much as fits into one write, then the rest.
  private func write(_ rest: Data, of total: Int, _ entry: Entry, round: Int) {
    guard let peripheral = device.peripheral, let characteristic = commandPath.find(in: peripheral) else {
      return end(entry, .failure(SessionError(.notFound, "the device has no characteristic \(commandPath)")))
    }
    let hasResponse = characteristic.properties.contains(.write)
    let room = min(512, peripheral.maximumWriteValueLength(for: hasResponse ? .withResponse : .withoutResponse))
    let piece = Data(rest.prefix(room))
    let reply = Reply<Void>()
    reply.whenFailed = { [weak self] error in
      if self?.current === entry, entry.round == round, error.code != .connectionLost {
        self?.end(entry, .failure(error))
      }
    }
    reply.whenSucceeded = { [weak self] _ in
      guard let self, current === entry, entry.round == round else { return }
      let left = rest.dropFirst(piece.count)
      entry.progress?(TransferProgress(sent: total - left.count, total: total))
      if !left.isEmpty {
        restartTimer(entry)
        write(left, of: total, entry, round: round)
      } else if entry.command.answer == nil {
        end(entry, .success(Data()))
      }
    }
    device.perform(hasResponse ? .write(commandPath, piece, reply) : .writeWithoutResponse(commandPath, piece, reply))
  }

  /// The time limit of a long command counts from its last part that was sent.
  private func restartTimer(_ entry: Entry) {
    timer?.cancel()
    timer = device.call(after: entry.command.timeLimit) { [weak self, weak entry] _ in entry.map { self?.isSilent($0) }
    }
  }

  private func isSilent(_ entry: Entry) {
    guard current === entry else { return }
    // Discards an incomplete answer, so that it is not prepended to the next one.
    codecs.discardPartialFrame()
    guard entry.retriesLeft > 0 else {
      return end(entry, .failure(SessionError(.timedOut, "the device did not answer the command in time")))
    }
    entry.retriesLeft -= 1
    tell(entry)
  }

  private func received(_ value: Data) {
    let contents = (try? codecs.decode(value)) ?? []
    for content in contents {
      guard let entry = current, let answer = entry.command.answer else {
        unsolicited.send(content)
        continue
      }
      switch answer.verdict(on: content) {
      case .accepted: end(entry, .success(content))
      case .refused: end(entry, .failure(SessionError(.refused, "the device refused the command")))
      case .unrelated: unsolicited.send(content)
      }
    }
  }

  private func end(_ entry: Entry, _ outcome: Result<Data, SessionError>) {
    entry.reply.give(outcome)
    finish(entry)
  }

  private func finish(_ entry: Entry) {
    guard current === entry else { return }
    timer?.cancel()
    current = nil
    next()
  }

  private func happened(_ event: SessionEvent) {
    switch event {
    case .state(.ready): next()
    case .disconnected(.lost(let cause)):
      linkLost(SessionError(.connectionLost, "the connection was lost before the command was done", underlying: cause))
    case .state(.stopped), .disconnected(.user):
      failAll(SessionError(.disconnected, "the session has ended"))
    default: break
    }
  }

  private func linkLost(_ error: SessionError) {
    codecs = makeCodecs()
    timer?.cancel()
    if let entry = current {
      current = nil
      if policy == .resume, entry.command.isRepeatable, !entry.reply.isOver {
        entry.round += 1
        waiting.insert(entry, at: 0)
      } else {
        entry.reply.fail(error)
      }
    }
    if policy == .fail { failAll(error) }
  }

  private func failAll(_ error: SessionError) {
    timer?.cancel()
    let all = [current].compactMap(\.self) + waiting
    current = nil
    waiting = []
    for entry in all { entry.reply.fail(error) }
  }

  func close() {
    if let subscription { device.unsubscribe(subscription) }
    if let observation { device.stopObserving(observation) }
    failAll(SessionError(.cancelled, "the command queue was released"))
    unsolicited.finish()
  }
}
