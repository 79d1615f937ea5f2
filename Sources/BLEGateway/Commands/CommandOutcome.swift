import BLEDeviceFiles
import BLEReports
import BLESession
import CoreBluetooth

/// What has become of a command.
struct CommandOutcome: Sendable {
  /// Names as in the answer.
  enum Kind: String, Sendable, CaseIterable {
    /// The device has done it, and said so.
    case done
    /// The device has refused it.
    case refused
    /// Its deadline had passed before it was begun: it was not done.
    case expired
    /// It was begun, and there was no answer in time: it may have been done.
    case timedOut = "timed-out"
    /// The link broke, or the device could not be reached.
    case failed
    /// The process ended while it was under way: it may have been done. It is not repeated.
    case unknown
    /// It is no command, or not one of this device.
    case invalid
    /// The configuration does not allow it.
    case notAllowed = "not-allowed"
    /// Too many commands wait.
    case busy
    /// Another gateway of the fleet keeps the device, or none: it was not done.
    case notHeld = "not-held"
  }

  var kind: Kind
  var message: String?
  /// The fields of a described device's answer.
  var answer: [FieldReading]?
  /// The error code of the Attribute Protocol.
  var attributeError: Int?

  init(_ kind: Kind, message: String? = nil, answer: [FieldReading]? = nil) {
    self.kind = kind
    self.message = message
    self.answer = answer
  }

  static let notHeld = CommandOutcome(
    .notHeld, message: "this gateway does not hold the device: its lease below \"fleet/lease/\" says which one does")

  init(_ error: SessionError) {
    let kind: Kind =
      switch error.code {
      case .refused: .refused
      case .timedOut: .timedOut
      case .invalid: .invalid
      default: .failed
      }
    self.init(kind, message: error.description)
    attributeError = error.attError?.rawValue
  }

  func members(_ identifier: String?, _ action: CommandRequest.Action?) -> JSONValue {
    var (command, path): (String?, String?)
    switch action {
    case .perform(let name, _): command = name
    case .write(let target, _, _): path = target.description
    case nil: break
    }
    return [
      "id": .string(orNull: identifier), "command": .string(orNull: command), "write": .string(orNull: path),
      "outcome": .string(kind.rawValue), "message": .string(orNull: message), "answer": answer?.json ?? .null,
      "att_error": attributeError.map { .integer($0) } ?? .null,
    ]
  }
}

extension GatewayDevice {
  /// Does what a command asks for. The answer is the device's.
  func perform(_ action: CommandRequest.Action) async -> CommandOutcome {
    do throws(SessionError) {
      switch action {
      case .perform(let name, let values):
        guard let described else { return CommandOutcome(.notAllowed, message: "there is no device file") }
        return CommandOutcome(.done, answer: try await described.perform(name, values))
      case .write(let path, let value, true): try await session.write(value, to: path)
      case .write(let path, let value, false): try await session.writeWithoutResponse(value, to: path)
      }
      return CommandOutcome(.done)
    } catch {
      return CommandOutcome(error)
    }
  }
}
