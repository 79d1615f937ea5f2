import BLECore
import BLEWire

extension HCIController {
  /// Sends a command when its turn has come.
  ///
  /// - Parameter completion: called once: with the return parameters, for a command that is answered by Command Status as
  ///   soon as it has begun, or with what went wrong. Where the controller is not ready it is called before this returns.
  public func send<Command: HCICommand>(
    _ command: Command, _ completion: @escaping (Result<Command.ReturnParameters, HCICommandError>) -> Void
  ) {
    guard isReady else {
      completion(.failure(.notReady))
      return
    }
    enqueue(command, completion)
  }

  /// Sends a command of which only a failure is of interest, to the log.
  public func send<Command: HCICommand>(_ command: Command) {
    send(command) { [log] result in
      switch result {
      // A controller that is gone has been told of by other means.
      case .success, .failure(.notReady): break
      // The link has ended while the command was on its way, as links do.
      case .failure(.refused(.unknownConnectionIdentifier)): log.log(.debug, "\(Command.name): its link has ended")
      case .failure(let error): log.log(.warning, "\(Command.name): \(error)")
      }
    }
  }

  func enqueue<Command: HCICommand>(
    _ command: Command, _ completion: @escaping (Result<Command.ReturnParameters, HCICommandError>) -> Void
  ) {
    let entry = HCICommandQueue.Entry(
      opcode: Command.opcode, isAnsweredByStatus: Command.isAnsweredByStatus, packet: HCIPacket(command)
    ) { result in
      switch result {
      case .success(let octets): completion(Self.decode(octets))
      case .failure(let error): completion(.failure(error))
      }
    }
    let isFirst = commands.pendingOpcode == nil
    commands.append(entry)
    sendNextCommand()
    // A controller that takes no commands must say some time that it does again.
    if isFirst, commands.inFlight == nil { restartCommandTimer() }
  }

  private static func decode<Parameters: HCIReturnParameters>(
    _ octets: ArraySlice<UInt8>
  ) -> Result<Parameters, HCICommandError> {
    var reader = ByteReader(octets, layer: WireLayer.hciReturnParameters.rawValue)
    do throws(DecodeError) {
      // Later versions of the specification may add to the end: what is left over is not looked at.
      return .success(try Parameters(from: &reader))
    } catch {
      return .failure(.malformed(error))
    }
  }

  private func sendNextCommand() {
    guard let packet = commands.takeNext() else { return }
    restartCommandTimer()
    transmit(packet)
  }

  private func restartCommandTimer() {
    loop.cancel(commandTimer)
    commandTimer = loop.schedule(
      after: configuration.commandTimeout, .background, self, tag: TimerTag.command.rawValue)
  }

  func commandTimedOut() {
    if let opcode = commands.pendingOpcode { fail(.unanswered(opcode)) }
  }

  func receiveAnswer(_ event: CommandCompleteEvent) {
    // The return parameters of every command begin with a status.
    let status = event.returnParameters.first.map(HCIErrorCode.init(rawValue:))
    answer(event.opcode, byStatus: nil, credits: event.commandCredits) { entry in
      if let status, !status.isSuccess { return .failure(.refused(status)) }
      // Controllers that end a command by Command Complete where Command Status belongs have finished it at once.
      if entry.isAnsweredByStatus, status == nil { return .success([HCIErrorCode.success.rawValue]) }
      return .success(event.returnParameters)
    }
  }

  func receiveAnswer(_ event: CommandStatusEvent) {
    answer(event.opcode, byStatus: event.status, credits: event.commandCredits) { _ in
      event.status.isSuccess ? .success([event.status.rawValue]) : .failure(.refused(event.status))
    }
  }

  private func answer(
    _ opcode: HCIOpcode, byStatus status: HCIErrorCode?, credits: UInt8,
    _ result: (HCICommandQueue.Entry) -> Result<ArraySlice<UInt8>, HCICommandError>
  ) {
    let entry = commands.takeAnswered(opcode, byStatus: status)
    if entry == nil, opcode != .none {
      counters.unexpectedAnswers += 1
      log.log(.warning, "answer to \(opcode), which was not waiting for one")
      // What else such an answer says is not believed either.
      return
    }
    commands.updateCredits(credits)
    if entry != nil {
      loop.cancel(commandTimer)
      if credits == 0, commands.pendingOpcode != nil { restartCommandTimer() }
    }
    sendNextCommand()
    if let entry { entry.completion(result(entry)) }
  }
}
