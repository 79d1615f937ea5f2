import Foundation

/// Commands strictly one after the other. That a command was written does not mean that it was carried out: it has succeeded
/// when the device's answer says so. Everything on the queue that was given.
final class CommandQueue {
  enum Failure: Error, Equatable {
    /// No answer, however often it was sent.
    case timedOut(attempts: Int)
    /// The device's own number.
    case refused(UInt8)
    case disconnected
    case cancelled
  }

  typealias Completion = (Result<[UInt8], Failure>) -> Void

  private struct Command {
    let code: UInt8
    let payload: [UInt8]
    let completion: Completion
  }

  private let queue: DispatchQueue
  private let timeout: TimeInterval
  private let attempts: Int
  /// Brings a frame to the device.
  private let send: (Frame) -> Void

  private var waiting: [Command] = []
  private var current: (command: Command, sequence: UInt8, attempt: Int, timer: DispatchWorkItem)?
  private var nextSequence: UInt8 = 1

  init(queue: DispatchQueue, timeout: TimeInterval, attempts: Int, send: @escaping (Frame) -> Void) {
    self.queue = queue
    self.timeout = timeout
    self.attempts = attempts
    self.send = send
  }

  /// `completion` is called once, with what follows the status in the device's answer.
  func run(_ code: UInt8, _ payload: [UInt8] = [], _ completion: @escaping Completion) {
    waiting.append(Command(code: code, payload: payload, completion: completion))
    if current == nil { startNext() }
  }

  /// What the device said. Answers that belong to nothing, or to a command that was given up, are passed over.
  func receive(_ frame: Frame) {
    guard let (command, sequence, _, timer) = current, frame.sequence == sequence,
      frame.command == command.code | Frame.answerBit, let status = frame.payload.first
    else { return }
    timer.cancel()
    current = nil
    command.completion(status == 0 ? .success(Array(frame.payload.dropFirst())) : .failure(.refused(status)))
    if current == nil { startNext() }
  }

  /// Ends all that is under way or waits.
  func failAll(_ failure: Failure) {
    current?.timer.cancel()
    let ended = [current?.command].compactMap { $0 } + waiting
    current = nil
    waiting = []
    for command in ended { command.completion(.failure(failure)) }
  }

  private func startNext() {
    if waiting.isEmpty { return }
    let command = waiting.removeFirst()
    transmit(command, sequence: nextSequence, attempt: 1)
    nextSequence &+= 1
  }

  /// Sent again it keeps its number: a device that has carried it out already answers once more, and does nothing twice.
  private func transmit(_ command: Command, sequence: UInt8, attempt: Int) {
    let timer = DispatchWorkItem { [weak self] in self?.timeOut() }
    current = (command, sequence, attempt, timer)
    queue.asyncAfter(deadline: .now() + timeout, execute: timer)
    send(Frame(sequence: sequence, command: command.code, payload: command.payload))
  }

  private func timeOut() {
    guard let (command, sequence, attempt, _) = current else { return }
    if attempt < attempts { return transmit(command, sequence: sequence, attempt: attempt + 1) }
    current = nil
    command.completion(.failure(.timedOut(attempts: attempts)))
    if current == nil { startNext() }
  }
}
