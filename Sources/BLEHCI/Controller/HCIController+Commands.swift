import BLECore
import BLEWire

extension HCIController {
  /// Sends a command when all earlier ones are answered.
  ///
  /// - Parameter completion: called once: with the return parameters (for a command that is answered by Command Status, as soon
  ///   as it has begun), or with the error. If the controller is not ready it is called before this returns.
  public func send<Command: HCICommand>(
    _ command: Command, _ completion: @escaping (Result<Command.ReturnParameters, HCICommandError>) -> Void
  ) {
    guard isReady else {
      completion(.failure(.notReady))
      return
    }
    enqueue(command, completion)
  }

  /// Sends a command and logs its failure.
  public func send<Command: HCICommand>(_ command: Command) {
    send(command) { [log] result in
      switch result {
      // The loss of a controller is reported elsewhere.
      case .success, .failure(.notReady): break
      // The link ended before the controller executed the command.
      case .failure(.refused(.unknownConnectionIdentifier)): log.log(.debug, "\(Command.name): its link has ended")
      case .failure(let error): log.log(.warning, "\(Command.name): \(error)")
      }
    }
  }

  func enqueue<Command: HCICommand>(
    _ command: Command, _ completion: @escaping (Result<Command.ReturnParameters, HCICommandError>) -> Void
  ) {
    let entry = HCICommandQueue.Entry(
      opcode: Command.opcode, isAnsweredByStatus: Command.isAnsweredByStatus, octets: HCIPacket(command).octets
    ) { result in
      switch result {
      case .success(let octets): completion(Self.decode(octets))
      case .failure(let error): completion(.failure(error))
      }
    }
    let isFirst = commands.pendingOpcode == nil
    commands.append(entry)
    sendNextCommand()
    // A controller that accepts no commands has to report in time that it does again.
    if isFirst, commands.inFlight == nil { restartCommandTimer() }
  }

  private static func decode<Parameters: HCIReturnParameters>(
    _ octets: ArraySlice<UInt8>
  ) -> Result<Parameters, HCICommandError> {
    var reader = ByteReader(octets, layer: WireLayer.hciReturnParameters.rawValue)
    do throws(DecodeError) {
      // Later versions of the specification may append parameters: remaining octets are ignored.
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
      // Controllers that answer with Command Complete where Command Status belongs have completed the command at once.
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
      tally.unexpectedAnswers += 1
      log.log(.warning, "answer to \(opcode), which was not waiting for one")
      // The other contents of such an answer are ignored too.
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
