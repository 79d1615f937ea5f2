import BLECore
import BLEPairing
import Synchronization

/// The host's user: what can be shown and typed, and the answers, as the input has them.
final class FuzzAgent: PairingAgent {
  let capability: PairingCapability
  let wantsAuthentication: Bool
  private let choice = Mutex<UInt8>(0)

  init(_ circumstances: UInt8) {
    capability = PairingCapability(rawValue: circumstances >> 3 & 7) ?? .noInputNoOutput
    wantsAuthentication = circumstances & 0x40 != 0
  }

  /// Refuses where the lowest bit is set, and does not answer at all where the second is.
  var answers: UInt8 {
    get { choice.withLock { $0 } }
    set { choice.withLock { $0 = newValue } }
  }

  func pairing(_ request: PairingRequest) {
    let choice = answers
    if choice & 2 != 0 { return }
    if choice & 1 != 0 { return request.refuse() }
    if case .enterPasskey = request.kind { _ = request.enter("000000") } else { request.accept() }
  }
}
