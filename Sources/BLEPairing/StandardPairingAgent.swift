import BLECore
import Dispatch
import Glibc

/// The agent that answers when no program has registered one.
///
/// Asks on the controlling terminal of the process, as Apple's systems ask by a dialogue. Only a pairing by Just Works that a
/// program of this device caused, by its use of a protected value, is accepted without a question.
///
/// Without a terminal there is no user to ask. Just Works is then accepted where a program has given cause for it
/// (`PairingOccasion`): a peripheral without a user is meant to be paired with if it has published a protected value, and not
/// otherwise. Nothing can be shown or typed, and what would need it is refused.
///
/// The terminal is opened as `/dev/tty`: the standard input remains the program's.
public final class StandardPairingAgent: PairingAgent {
  private let queue = DispatchQueue(label: "swift-corebluetooth.pairing-terminal")
  private let terminal: Terminal?

  /// An agent that uses the process's terminal.
  public init() { terminal = Terminal() }

  public var capability: PairingCapability { terminal == nil ? .noInputNoOutput : .keyboardDisplay }
  /// The user is not asked without need.
  public var wantsAuthentication: Bool { false }

  public func pairing(_ request: PairingRequest) {
    guard let terminal, request.kind != .confirmJustWorks || request.occasion != .wanted else {
      return request.answerUnattended()
    }
    // Reading waits for the user: not on the stack's queue.
    queue.async { Self.ask(request, on: terminal) }
  }

  public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
    guard let terminal, case .failed(let reason) = outcome else { return }
    queue.async { terminal.show("Pairing with \(peer.title) failed: \(reason)\n") }
  }

  private static func ask(_ request: PairingRequest, on terminal: Terminal) {
    if request.isOver { return }
    if case .displayPasskey = request.kind { return terminal.show(request.question + "\n") }
    repeat {
      terminal.show(request.question)
      guard let line = terminal.readLine(while: { !request.isOver }) else { return request.refuse() }
      if request.answer(typed: line) { return }
      terminal.show("These are not six digits.\n")
    } while !request.isOver
  }
}

/// The controlling terminal of this process.
private final class Terminal: Sendable {
  private let descriptor: Int32
  private static let longestLine = 64

  /// `nil` if there is none, or this process is not in its foreground.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if descriptor < 0 { return nil }
    if tcgetpgrp(descriptor) != getpgrp() {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  func show(_ text: String) {
    let octets = Array(text.utf8)
    _ = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// The next line without its end; `nil` if there is none, or `isWanted` returns false.
  func readLine(while isWanted: () -> Bool) -> String? {
    var line: [UInt8] = []
    while isWanted() {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, 200)
      if count == 0 || count < 0 && errno == EINTR { continue }
      var octet: UInt8 = 0
      guard count > 0, read(descriptor, &octet, 1) == 1 else { return nil }
      if octet == 0x0A { return String(decoding: line, as: UTF8.self) }
      if line.count < Self.longestLine { line.append(octet) }
    }
    return nil
  }
}
