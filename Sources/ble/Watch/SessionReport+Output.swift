import BLEReports
import BLESession
import CoreBluetooth

extension SessionReport {
  /// The error with which a command ends when its session stops; `nil` if the command continues.
  static func failure(_ reason: StopReason, of title: String) -> ToolError? {
    switch reason {
    // The session starts again when Bluetooth is on, or the user has ended it.
    case .user, .poweredOff: nil
    case .budgetSpent, .attemptsSpent: ToolError(.timedOut, "\(title): \(SessionReport.word(reason)).")
    case .unauthorized: ToolError(.unauthorized)
    case .unsupported: ToolError(.unsupported)
    case .bondLost:
      ToolError(
        .failed, "\(title): \(SessionReport.word(reason)). Remove it here as well ('ble unpair'), and pair again.")
    case .notVerified, .lost: ToolError(.failed, "\(title): \(SessionReport.word(reason)).")
    }
  }
}

extension SignalStrength {
  private var tenths: Double { (smoothed * 10).rounded() / 10 }

  var json: JSONValue {
    .object(["rssi": .integer(rssi), "smoothed": .number(tenths), "proximity": .string(proximity.rawValue)])
  }

  func sentence(_ style: Style) -> String {
    let text = String(rssi)
    return String(repeating: " ", count: max(0, 4 - text.count))
      + "\(style.strong(text)) dBm \(Sparkline.bars(rssi))  smoothed \(tenths) dBm  \(proximity.rawValue)"
  }
}
