import BLESession
import CoreBluetooth

/// A described device with a session: it is connected when the handshake has succeeded, and commands are performed by name.
///
/// ``session`` provides its state, its events and its reconnections, as for any `DeviceSession`.
public final class DescribedDevice: Sendable {
  /// The description of the device.
  public let description: DeviceDescription
  /// The session that keeps the device connected.
  public let session: DeviceSession
  /// The conversation's commands, one after another; `nil` where the device has none.
  public let queue: CommandQueue?
  let codec: DescribedCodec
  let report: @Sendable (DeviceReport) -> Void

  /// - Parameters:
  ///   - description: the device's description.
  ///   - central: the central that searches for the device and connects to it.
  ///   - target: the device; by default the first one that the description recognises.
  ///   - configuration: everything except what the description defines: opening, address rule, wake hint, patience.
  ///   - onDisconnect: what happens to pending commands when the link is lost.
  ///   - cryptography: for descriptions with a cipher; `SystemCryptography` of `BLESessionCryptography`.
  ///   - report: called with each step, on the session's own queue.
  /// - Throws: `notSupported` where cryptography is needed and not given, `invalid` where a key cannot be used.
  public init(
    _ description: DeviceDescription, in central: Central, target: DeviceTarget? = nil,
    configuration: SessionConfiguration = SessionConfiguration(), onDisconnect: DisconnectPolicy = .fail,
    cryptography: (any SessionCryptography)? = nil, report: @escaping @Sendable (DeviceReport) -> Void = { _ in }
  ) throws(SessionError) {
    let numbers = SequenceNumbers()
    let codec = try description.codec(numbers: numbers, cryptography: cryptography)
    var configuration = configuration
    configuration.addressRule = description.recognition.addressRule
    configuration.wakeHint = description.wakeHint
    configuration.patience = .seconds(description.patience)
    configuration.opening += try description.opening(codec: codec, numbers: numbers, report: report)
    self.description = description
    self.codec = codec
    self.report = report
    session = central.session(
      with: target ?? .first(description.recognition.rule()), configuration: configuration)
    queue = description.conversation.map { [session] conversation in
      CommandQueue(
        session, commandPath: conversation.commandPath, answerPath: conversation.answerPath, onDisconnect: onDisconnect,
        codecs: { CodecChain([codec]) })
    }
  }

  /// Connects, and returns when the handshake has succeeded.
  /// - Throws: what `DeviceSession.connect` throws; `notVerified` where the handshake was refused.
  public func connect() async throws(SessionError) { try await session.connect() }

  /// Disconnects, without reconnecting.
  public func disconnect() async { await session.disconnect() }

  /// Performs a command, and returns the fields of its answer, in the order of the description.
  /// - Parameters:
  ///   - name: the command's name.
  ///   - values: by parameter name; text is parsed for numbers and octets. An omitted parameter has its default.
  /// - Throws: `invalid` for a command or a value that the description does not have, `refused` with the fields of the refusal if the
  ///   device refuses; otherwise what `CommandQueue.send` throws.
  public func perform(
    _ name: String, _ values: [String: FieldValue] = [:]
  ) async throws(SessionError) -> [FieldReading] {
    let command = try description.command(name, with: values)
    switch command.kind {
    case .conversation(let send, let answer, let refusal):
      return try await converse(command, try send.message(values), answer, refusal)
    case .read(let path, let layout):
      let value = try await session.read(path)
      guard let readings = layout.decode(DescribedMessage(payload: value)) else {
        throw SessionError(
          .refused, "the value of \(path) is not what the description says: \(Hexadecimal.encode(value))")
      }
      return readings
    case .write(let path, let layout):
      try await write(try layout.message(values).payload, to: path)
      return []
    }
  }

  /// Writes with response if the characteristic supports it; many alert characteristics support only writes without response.
  private func write(_ value: Data, to path: CharacteristicPath) async throws(SessionError) {
    let properties = await session.core.value { core in
      core.peripheral.flatMap { path.find(in: $0)?.properties } ?? .write
    }
    if properties.contains(.write) || !properties.contains(.writeWithoutResponse) {
      try await session.write(value, to: path)
    } else {
      try await session.writeWithoutResponse(value, to: path)
    }
  }

  private func converse(
    _ command: DeviceCommand, _ message: DescribedMessage, _ answer: MessageLayout?, _ refusal: MessageLayout?
  ) async throws(SessionError) -> [FieldReading] {
    guard let queue else { throw SessionError(.notSupported, "the device has no conversation") }
    let refused = Guarded<[FieldReading]?>(nil)
    let attempts = Guarded(0)
    let codec = codec
    let rule = answer.map { answer in
      AnswerRule.judged { content in
        let message = codec.message(of: content)
        if answer.decode(message) != nil { return .accepted }
        guard let readings = refusal?.decode(message) else { return .unrelated }
        refused.with { $0 = readings }
        return .refused
      }
    }
    let order = Command(
      codec.content(of: message), answer: rule, timeLimit: .seconds(command.timeLimit), retries: command.retries,
      isRepeatable: command.isRepeatable)
    let (name, report) = (command.name, report)
    do {
      let content = try await queue.send(order) { progress in
        guard progress.sent == progress.total else { return }
        report(
          .told(
            command: name,
            attempt: attempts.with { attempts in
              attempts += 1; return attempts
            }))
      }
      return answer?.decode(codec.message(of: content)) ?? []
    } catch {
      guard error.code == .refused, let readings = refused.with({ $0 }) else { throw error }
      throw SessionError(.refused, "the device refused \"\(command.name)\"" + readings.inBrackets)
    }
  }
}

/// A notification of a described device.
public struct DescribedNotification: Sendable, Hashable {
  /// The description's name for it.
  public var name: String
  /// Its fields.
  public var readings: [FieldReading]
}
