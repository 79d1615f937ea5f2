import CoreBluetooth
import Dispatch
import Foundation

/// Copies octets between a channel and the standard streams, with a blocking thread for each direction.
@MainActor final class ChannelRelay {
  private let channel: CBL2CAPChannel
  private let limit: Int?
  private let rate: Int?
  private let endsWithInput: Bool
  private let session: Session
  private var isOver = false
  private var outcome = Outcome()

  /// The result of one direction.
  struct Outcome: Sendable {
    var received = 0
    /// The time from the first received octet to the last, in seconds.
    var seconds = 0.0
    var failure: ToolError?
  }

  /// - Parameters:
  ///   - limit: the most octets to receive; `nil`: no limit.
  ///   - rate: the most octets to read per second; `nil`: no limit.
  ///   - endsWithInput: whether the end of the standard input closes the channel.
  init(_ channel: CBL2CAPChannel, limit: Int?, rate: Int?, endsWithInput: Bool, in session: Session) {
    self.channel = channel
    self.limit = limit
    self.rate = rate
    self.endsWithInput = endsWithInput
    self.session = session
  }

  /// Copies until one side ends. `check` throws if the link cannot be used any longer.
  func run(_ check: @escaping @MainActor () throws(ToolError) -> Void) async throws(ToolError) {
    channel.inputStream.open()
    channel.outputStream.open()
    defer {
      channel.outputStream.close()
      channel.inputStream.close()
    }
    receive()
    send()
    do {
      try await session.waiting.until(within: nil) { () throws(ToolError) in
        if self.isOver { return true }
        // A lost link also ends the streams, after the received octets were read.
        if self.channel.inputStream.streamStatus == .open { try check() }
        return false
      }
    } catch {
      report()
      throw error
    }
    report()
    if let failure = outcome.failure { throw failure }
  }

  private func report() {
    let (count, seconds) = (outcome.received, outcome.seconds)
    guard count > 0 else { return }
    let pace = seconds > 0 ? ", \(Int(Double(count) / seconds)) octets/s" : ""
    session.output.note("Received \(count) octets in \((seconds * 1000).rounded() / 1000) s\(pace).")
  }

  private func end(_ outcome: Outcome?) {
    if let outcome { self.outcome = outcome }
    isOver = true
    session.waiting.changed()
  }

  // MARK: Threads

  private func receive() {
    let carrier = StreamCarrier(channel, limit: limit ?? .max, rate: rate)
    Thread.detachNewThread { [weak self] in
      let outcome = carrier.receive()
      onMain { self?.end(outcome) }
    }
  }

  private func send() {
    let carrier = StreamCarrier(channel, limit: .max, rate: nil)
    let endsWithInput = endsWithInput
    Thread.detachNewThread { [weak self] in
      carrier.send()
      guard endsWithInput else { return }
      onMain { self?.end(nil) }
    }
  }
}

/// Copies in one direction.
///
/// `@unchecked Sendable`: a channel's streams take calls from any thread.
private final class StreamCarrier: @unchecked Sendable {
  private let input: InputStream
  private let output: OutputStream
  private let limit: Int
  private let rate: Int?
  private static let pieceLength = 65_536

  init(_ channel: CBL2CAPChannel, limit: Int, rate: Int?) {
    input = channel.inputStream
    output = channel.outputStream
    self.limit = limit
    self.rate = rate
  }

  /// From the channel to the standard output.
  func receive() -> ChannelRelay.Outcome {
    var outcome = ChannelRelay.Outcome()
    // With a rate, it reads a tenth of a second's octets at a time.
    let length = rate.map { max(1, min(Self.pieceLength, $0 / 10)) } ?? Self.pieceLength
    var buffer = [UInt8](repeating: 0, count: length)
    var start: UInt64?
    while outcome.received < limit {
      let count = input.read(&buffer, maxLength: min(length, limit - outcome.received))
      if count <= 0 {
        if let error = input.streamError {
          outcome.failure = ToolError(.failed, "The channel was lost: \(error.localizedDescription.inert)")
        }
        break
      }
      let now = DispatchTime.now().uptimeNanoseconds
      if start == nil { start = now }
      outcome.received += count
      outcome.seconds = Double(now - (start ?? now)) / 1e9
      guard Output.write(buffer[..<count], to: STDOUT_FILENO) else {
        outcome.failure = ToolError(.outputClosed, "The reader of the standard output has closed it.")
        break
      }
      if let rate, let start { Self.wait(until: start + UInt64(Double(outcome.received) / Double(rate) * 1e9)) }
    }
    return outcome
  }

  /// From the standard input to the channel, until either ends.
  func send() {
    var buffer = [UInt8](repeating: 0, count: Self.pieceLength)
    while true {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      var sent = 0
      while sent < count {
        let taken = buffer[sent..<count].withUnsafeBufferPointer { rest in
          rest.baseAddress.map { output.write($0, maxLength: rest.count) } ?? -1
        }
        if taken <= 0 { return }
        sent += taken
      }
    }
  }

  private static func wait(until nanoseconds: UInt64) {
    let now = DispatchTime.now().uptimeNanoseconds
    if nanoseconds > now { Thread.sleep(forTimeInterval: Double(nanoseconds - now) / 1e9) }
  }
}
