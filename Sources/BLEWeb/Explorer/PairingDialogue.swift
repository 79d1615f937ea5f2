import BLECore
import BLEPairing
import BLEReports
import BLESession

/// Asks the people in front of the browsers when a device is paired. The first answer counts.
///
/// A question that has no answer is refused when the pairing times out (Core, Vol 3 Part H 3.4).
package final class PairingDialogue: PairingAgent {
  private struct State {
    var questions: [(number: Int, request: PairingRequest)] = []
    var next = 1
  }

  private let hub: EventHub
  private let state = Guarded(State())
  /// A read-only explorer answers nothing, and so refuses.
  private let isReadOnly: Bool
  /// The most questions at the same time; further ones are refused.
  private static let mostQuestions = 16

  init(hub: EventHub, isReadOnly: Bool) {
    self.hub = hub
    self.isReadOnly = isReadOnly
  }

  package var capability: PairingCapability { isReadOnly ? .noInputNoOutput : .keyboardDisplay }

  package func pairing(_ request: PairingRequest) {
    if isReadOnly { return request.refuse() }
    let number = state.with { state -> Int? in
      state.questions.removeAll { $0.request.isOver }
      guard state.questions.count < Self.mostQuestions else { return nil }
      defer { state.next += 1 }
      state.questions.append((state.next, request))
      return state.next
    }
    guard let number else { return request.refuse() }
    hub.publish("pairing", Self.json(number, request))
  }

  package func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
    state.with { $0.questions.removeAll { $0.request.peer.address == peer.address } }
    let members: JSONValue =
      switch outcome {
      case .paired(let method, let isBonded):
        ["paired": true, "method": .string(method.rawValue), "bonded": .bool(isBonded), "message": .null]
      case .failed(let reason): ["paired": false, "method": .null, "bonded": false, "message": .string(reason)]
      }
    hub.publish("paired", .combined(["peer": Self.json(peer)], members))
  }

  /// The questions that are open.
  var questions: JSONValue {
    let open = state.with { state in
      state.questions.removeAll { $0.request.isOver }
      return state.questions
    }
    return ["pairings": .array(open.map { Self.json($0.number, $0.request) })]
  }

  /// - Parameter passkey: the six digits, where they are asked for.
  /// - Throws: `notFound` for a question that is not open any more, `invalid` for an answer that does not fit it.
  func answer(_ number: Int, accepts: Bool, passkey: String?) throws(APIError) {
    let request = state.with { $0.questions.first { $0.number == number }?.request }
    guard let request, !request.isOver else { throw APIError(.notFound, "this question is not open any more") }
    switch (request.kind, accepts) {
    case (_, false): request.refuse()
    case (.enterPasskey, true):
      guard request.enter(passkey ?? "") else { throw APIError(.invalid, "\"passkey\" has to be six digits") }
    case (.displayPasskey, true):
      throw APIError(.invalid, "the digits are typed on the other device: there is nothing to answer")
    case (.compare, true), (.confirmJustWorks, true), (.replaceBond, true): request.accept()
    }
    state.with { $0.questions.removeAll { $0.number == number } }
    hub.publish("answered", ["number": .integer(number)])
  }

  private static func json(_ number: Int, _ request: PairingRequest) -> JSONValue {
    let (kind, digits): (String, String?) =
      switch request.kind {
      case .displayPasskey(let digits): ("display-passkey", digits)
      case .enterPasskey: ("enter-passkey", nil)
      case .compare(let digits): ("compare", digits)
      case .confirmJustWorks: ("confirm", nil)
      case .replaceBond: ("replace-bond", nil)
      }
    return [
      "number": .integer(number), "kind": .string(kind), "digits": .string(orNull: digits),
      "method": .string(request.method.rawValue),
      "secure_connections": .bool(request.isSecureConnections), "occasion": .string(request.occasion.rawValue),
      "peer": json(request.peer), "question": .string(request.question),
    ]
  }

  private static func json(_ peer: PairingPeer) -> JSONValue {
    ["address": .string(peer.address.description), "name": .string(orNull: peer.name)]
  }
}
