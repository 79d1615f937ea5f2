import BLEDefaultStack
import BLESession
import CoreBluetooth

extension ToolError {
  /// The error for a state in which Bluetooth cannot be used; `nil` for states that may still change by themselves.
  init?(_ state: CBManagerState) {
    switch state {
    case .poweredOn, .unknown, .resetting: return nil
    case .unsupported:
      let reason = DefaultStack.failure?.inert ?? "the adapter is missing or does not answer"
      self.init(.unavailable, "Bluetooth is not available: \(reason).")
    case .unauthorized: self.init(.unavailable, "This program is not permitted to use Bluetooth.")
    case .poweredOff: self.init(.unavailable, "Bluetooth is switched off.")
    @unknown default: self.init(.unavailable, "Bluetooth is in a state that this program does not know.")
    }
  }

  /// The error for a session that has no Bluetooth.
  static func unavailable(_ error: SessionError) -> ToolError {
    let state = [.poweredOff, .unauthorized, .unsupported].first { error == .unavailable($0) }
    return state.flatMap { ToolError($0) } ?? ToolError(.unavailable, "The Bluetooth adapter was lost.")
  }

  /// An error for a failed operation. An ATT error keeps its code.
  static func failed(_ operation: String, _ error: any Error) -> ToolError {
    guard let refusal = error as? CBATTError else {
      return ToolError(.failed, "\(operation) failed: \(error.localizedDescription.inert)")
    }
    let code = refusal.errorCode
    let number = "0x" + (code < 16 ? "0" : "") + String(code, radix: 16, uppercase: true)
    let sentence = refusal.localizedDescription.inert
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return ToolError(.failed, "\(operation) was refused: \(text) (ATT error \(number))", attributeError: code)
  }
}
