import Foundation
import Testing

extension Neighbourhood {
  /// Starts a peripheral of the tool and waits until it can be found.
  @discardableResult
  func serve(_ profile: String, _ more: String..., device: String = "peripheral") throws -> ToolProcess {
    let server = try ble(["serve", profile, "--adapter", "radio:default/\(device)", "--json"] + more)
    try server.event("advertising")
    return server
  }

  /// Runs the tool on a terminal to its good end.
  func runOnTerminal(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TerminalProcess {
    let terminal = try terminal(arguments)
    try terminal.end(sourceLocation: sourceLocation)
    return terminal
  }
}

extension TerminalProcess {
  /// Waits for its end: with this status, and the terminal in good order.
  func end(_ status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let ended = try finish(sourceLocation: sourceLocation)
    #expect(ended == status, "\(transcript)", sourceLocation: sourceLocation)
    expectGoodOrder(sourceLocation: sourceLocation)
  }

  /// Presses Ctrl-C, which ends it with 130.
  func interrupt(sourceLocation: SourceLocation = #_sourceLocation) throws {
    type("\u{3}")
    try end(130, sourceLocation: sourceLocation)
  }

  /// A terminal is left as it was found: the cursor visible, the screen the original one, and no unknown sequence written.
  func expectGoodOrder(sourceLocation: SourceLocation = #_sourceLocation) {
    let model = model
    #expect(
      !model.isCursorHidden && !model.isAlternate && model.isWrapping, "\(transcript)", sourceLocation: sourceLocation)
    #expect(model.unknown.isEmpty, "\(model.unknown)\n\(transcript)", sourceLocation: sourceLocation)
  }
}

extension [String] {
  /// Lines for programs contain no escape sequences and no carriage returns.
  var arePlain: Bool { allSatisfy { line in !line.utf8.contains { $0 < 0x20 || $0 == 0x7F } } }
}
