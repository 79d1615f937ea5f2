import CoreBluetooth

/// Sends commands to one device, one at a time.
///
/// A command completes with the device's own answer, not when the write is acknowledged. A command that is not answered in time is
/// sent again or fails, and the next one is sent: the queue does not block.
///
/// ```swift
/// let queue = CommandQueue(session, commandPath: path, answerPath: answers)
/// let reply = try await queue.send(Command(Data([0x01]), answer: .beginning(Data([0x81]))))
/// ```
public final class CommandQueue: Sendable {
  package let core: Confined<CommandQueueCore>
  /// The session of the device.
  public let session: DeviceSession

  /// - Parameters:
  ///   - session: the session of the device; it is retained.
  ///   - commandPath: the characteristic that commands are written to.
  ///   - answerPath: the characteristic that notifies answers; may be the same.
  ///   - policy: what happens to waiting commands when the link is lost.
  ///   - capacity: the most commands in the queue.
  ///   - codecs: creates the codecs between commands and characteristic values, once for each connection.
  public init(
    _ session: DeviceSession, commandPath: CharacteristicPath, answerPath: CharacteristicPath,
    onDisconnect policy: DisconnectPolicy = .fail, capacity: Int = 1_000,
    codecs: @escaping @Sendable () -> CodecChain = { CodecChain() }
  ) {
    self.session = session
    core = session.core.derived { device in
      CommandQueueCore(
        device: device, commandPath: commandPath, answerPath: answerPath, policy: policy, capacity: capacity,
        codecs: codecs
      )
    }
  }

  deinit {
    core.perform { $0.close() }
  }

  /// Sends a command and returns the device's answer, decoded; empty if the command has no answer rule.
  ///
  /// If the task is cancelled, a waiting command is removed; the answer to a command in progress is ignored.
  /// - Parameters:
  ///   - command: the command.
  ///   - progress: called on the session's queue each time a part of a long command was sent.
  /// - Throws: `notConnected`, `connectionLost`, `disconnected`, `timedOut`, `notFound`, `refused`, `invalid`, `cancelled`.
  public func send(
    _ command: Command, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(SessionError) -> Data {
    try await core.reply { core, reply in core.add(command, progress, reply) }
  }

  /// The number of commands that wait or are in progress.
  public var count: Int {
    get async { await core.value { $0.count } }
  }

  /// Notified values that are not the answer to a command. A slow consumer loses the oldest of 256.
  public func unsolicitedMessages() -> AsyncStream<Data> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      core.perform { core in
        let number = core.unsolicited.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.unsolicited.remove(number) } }
      }
    }
  }
}
