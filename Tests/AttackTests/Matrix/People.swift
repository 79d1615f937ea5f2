import BLEPairing
import Synchronization

/// The two people in front of two devices: they type on one device what the other shows, and compare digits.
final class People: Sendable {
  private struct State {
    var shown: String?
    var typing: [PairingRequest] = []
    var comparing: [PairingRequest] = []
  }

  private let state = Mutex(State())

  func see(_ request: PairingRequest) {
    switch request.kind {
    case .confirmJustWorks, .replaceBond: request.accept()
    case .displayPasskey(let digits):
      let typing = state.withLock { state in
        state.shown = digits
        defer { state.typing = [] }
        return state.typing
      }
      for request in typing { request.enter(digits) }
    case .enterPasskey:
      let (digits, typing) = state.withLock { state in
        state.typing.append(request)
        // Two who are both asked agree on a number.
        let digits = state.shown ?? (state.typing.count == 2 ? "271828" : nil)
        defer { if digits != nil { state.typing = [] } }
        return (digits, state.typing)
      }
      if let digits { for request in typing { request.enter(digits) } }
    case .compare:
      let comparing = state.withLock { state in
        state.comparing.append(request)
        defer { if state.comparing.count == 2 { state.comparing = [] } }
        return state.comparing
      }
      guard comparing.count == 2 else { return }
      let isSame = comparing[0].kind == comparing[1].kind
      for request in comparing { if isSame { request.accept() } else { request.refuse() } }
    }
  }

  /// What was shown belongs to a pairing that has ended.
  func pairingEnded() { state.withLock { $0 = State() } }
}

/// One of them, and what they were asked to do.
final class Person: PairingAgent {
  enum Task { case show, type, compare, confirmJustWorks, replace }

  let capability: PairingCapability
  let wantsAuthentication: Bool
  private let data: PairingOutOfBandData?
  private let people: People
  private let requests = Mutex<[PairingRequest]>([])

  init(_ capability: PairingCapability, wantsAuthentication: Bool, data: PairingOutOfBandData?, among people: People) {
    self.capability = capability
    self.wantsAuthentication = wantsAuthentication
    self.data = data
    self.people = people
  }

  var asked: [PairingRequest] { requests.withLock { $0 } }
  var tasks: [Task] { asked.map { Task($0.kind) } }

  func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandData? { data }

  func pairing(_ request: PairingRequest) {
    requests.withLock { $0.append(request) }
    people.see(request)
  }

  func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) { people.pairingEnded() }
}

extension Person.Task {
  init(_ kind: PairingRequest.Kind) {
    self =
      switch kind {
      case .displayPasskey: .show
      case .enterPasskey: .type
      case .compare: .compare
      case .confirmJustWorks: .confirmJustWorks
      case .replaceBond: .replace
      }
  }
}
