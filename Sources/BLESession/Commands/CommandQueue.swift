import CoreBluetooth

/// Commands to one device, strictly one after another.
///
/// A command is over when the device's own answer says so, not when the write was acknowledged. A command that is not answered in time
/// is told again or fails, and the next one goes: the queue does not get stuck.
///
/// ```swift
/// let queue = CommandQueue(session, commandPath: path, answerPath: answers)
/// let reply = try await queue.send(Command(Data([0x01]), answer: .beginning(Data([0x81]))))
/// ```
public final class CommandQueue: Sendable {
  package let core: Confined<CommandQueueCore>
  /// The session of the device that is told.
  public let session: DeviceSession

  /// - Parameters:
  ///   - session: the session of the device that is told; it is kept.
  ///   - commandPath: where commands are written.
  ///   - answerPath: where answers are notified; may be the same characteristic.
  ///   - policy: what becomes of waiting commands when the link is lost.
  ///   - capacity: how many may wait.
  ///   - codecs: what stands between commands and values on the air, made anew for each connection.
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

  /// Tells the device and returns its answer, without the codecs; empty where the command wants none.
  ///
  /// Where the task is cancelled, a command that waits is taken out; the answer of one under way is ignored when it comes.
  /// - Parameters:
  ///   - command: what the device is told.
  ///   - progress: called on the session's queue each time a part of a long command has gone out.
  /// - Throws: `notConnected`, `connectionLost`, `disconnected`, `timedOut`, `refused`, `invalid`, `cancelled`.
  public func send(
    _ command: Command, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(SessionError) -> Data {
    try await core.reply { core, reply in core.add(command, progress, reply) }
  }

  /// How many commands wait or are under way.
  public var count: Int {
    get async { await core.value { $0.count } }
  }

  /// Values that came on the answers' characteristic and answered nothing.
  public func unsolicitedMessages() -> AsyncStream<Data> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      core.perform { core in
        let number = core.unsolicited.add(continuation)
        continuation.onTermination = { [weak self] _ in self?.core.perform { $0.unsolicited.remove(number) } }
      }
    }
  }
}
