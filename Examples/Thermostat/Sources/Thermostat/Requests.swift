import CoreBluetooth
import Foundation

/// Why a request was not carried out.
public enum RequestError: Error, Equatable, Sendable {
  /// A newer request of the same kind took its place before it was sent.
  case superseded
  /// The thermostat did not answer.
  case timedOut
  /// The thermostat, or the system on its behalf, refused it, with this code.
  case refused(code: Int)
}

/// A value that is to be written, and who wants to hear of it.
struct Request {
  enum Kind: Equatable {
    case target
    case childLock
  }

  typealias Completion = (Result<Void, RequestError>) -> Void

  let kind: Kind
  let value: Data
  let completion: Completion

  var characteristic: CBUUID { kind == .target ? Profile.target : Profile.childLock }
  /// The first write of the child lock lets the user confirm a pairing.
  var timeLimit: Duration { kind == .target ? .seconds(10) : .seconds(60) }
}
