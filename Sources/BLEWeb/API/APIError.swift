import BLECore
import BLEReports
import BLESession
import CoreBluetooth

/// Why a request was not carried out: the kinds are those of `ble --json`.
struct APIError: Error {
  enum Kind: String, Sendable {
    case invalid = "bad-data"
    case notFound = "not-found"
    case unavailable
    case failed
    case timedOut = "timed-out"

    /// What a device or the radio does is no failure of the server: no status of 500 or more.
    var status: Int {
      switch self {
      case .invalid: 400
      case .notFound: 404
      case .unavailable: 409
      case .failed, .timedOut: 424
      }
    }
  }

  let kind: Kind
  let message: String
  var attributeError: Int?

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  init(_ error: SessionError) {
    kind =
      switch error.code {
      case .unavailable, .notConnected: .unavailable
      case .timedOut, .budgetSpent, .attemptsSpent: .timedOut
      case .notFound: .notFound
      case .invalid, .notSupported: .invalid
      default: .failed
      }
    message = error.description
    attributeError = (error.underlying as? CBATTError)?.errorCode
  }

  var response: WebResponse {
    let error: JSONValue = [
      "kind": .string(kind.rawValue), "message": .string(message),
      "att_error": attributeError.map(JSONValue.integer) ?? .null,
    ]
    return .json(["error": error], status: kind.status)
  }
}

extension WebResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> WebResponse {
    WebResponse(status, "application/json", Array(value.text.utf8))
  }
}

/// UUIDs as text: `CBUUID(string:)` ends the program for others.
enum BLEWebUUID {
  static func isValid(_ text: String) -> Bool { BLEUUID(text) != nil }
}
