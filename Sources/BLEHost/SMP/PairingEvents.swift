import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// The inputs of a pairing.
public enum PairingInput: Sendable {
  /// Start as the initiator.
  case start
  /// A command of the peer.
  case received(SMPPDU)
  /// A command of the peer whose length does not fit its code.
  case receivedMalformed
  /// The user's answer to a question; ignored if the question is not open.
  case answered(PairingRequest.Answer, to: PairingQuestion.ID)
  /// The user types a passkey.
  case typed(PairingKeypress)
  /// The link was encrypted with the key of this pairing, could not be encrypted, or is no longer encrypted.
  case encryptionChanged(isEncrypted: Bool)
  /// Thirty seconds have passed since the last command was sent.
  case timedOut
  /// This side cancels the pairing.
  case cancelled
  /// The link has ended.
  case disconnected
}

/// The actions that a pairing requests, to be performed in order.
public enum PairingAction: Sendable {
  case send(SMPPDU)
  case ask(PairingQuestion)
  /// The peer's user types a passkey.
  case peerTyped(PairingKeypress)
  /// Encrypt the link, as the central, with this key (diversifier and random number zero).
  case startEncryption(SecretKey)
  case finished(PairingResult)
  case failed(PairingFailure)
}

/// A pairing's request to its user: what a `PairingRequest` shows or asks, before it is passed to an agent. The digits are redacted.
public struct PairingQuestion: Sendable, Redacted {
  /// Identifies a question of one link, so that a late answer is not taken for an answer to another question.
  public struct ID: Hashable, Sendable {
    let pairing: Int
    let number: Int
  }

  public let id: ID
  /// What to show, or what to ask. A pairing does not know the name of the device whose bond would be replaced.
  public let kind: PairingRequest.Kind
  public let method: PairingMethod
  public let isSecureConnections: Bool
  /// The address of the link.
  public let peer: DeviceAddress

  public var description: String { "pairing by \(method.rawValue)" }

  /// False if there is only something to show.
  public var needsAnswer: Bool {
    if case .displayPasskey = kind { false } else { true }
  }
}

/// Why a pairing failed.
public enum PairingFailure: Error, Hashable, Sendable {
  /// The peer ended the pairing.
  case refusedByPeer(SMPPairingFailedReason)
  /// This side ended the pairing: the peer's values were wrong or below the policy, or the user refused.
  case refused(SMPPairingFailedReason)
  /// The peer did not continue. There is no further pairing on this link (Core, Vol 3 Part H 3.4).
  case timedOut
  /// The link could not be encrypted, or its encryption was switched off.
  case encryptionFailed
  /// The link could not be encrypted with the keys of an earlier pairing, or that encryption was switched off.
  case bondFailed
  case cancelled
  case disconnected
  /// Too soon after a failure; with the time that is left to wait.
  case tooSoon(StackDuration)
  /// Another pairing is in progress, or the link is being encrypted.
  case busy
  /// There is no room for the keys of another device.
  case tooManyBonds
  /// The keys could not be stored. A previous bond is unchanged.
  case storageFailed
}

extension PairingFailure: CustomStringConvertible {
  /// The reason, as the second half of a sentence for users.
  public var description: String {
    switch self {
    case .refusedByPeer(let reason): "the device refused: \(reason)"
    case .refused(let reason): "refused here: \(reason)"
    case .timedOut: "the device did not continue"
    case .encryptionFailed: "the link could not be encrypted"
    case .bondFailed: "the link could not be encrypted with the keys of an earlier pairing"
    case .cancelled: "cancelled here"
    case .disconnected: "the link has ended"
    case .tooSoon(let delay): "too soon after a failure: \(delay.nanoseconds / 1_000_000_000 + 1) s to wait"
    case .busy: "another pairing is in progress"
    case .tooManyBonds: "there is no room for the keys of another device"
    case .storageFailed: "the keys could not be stored"
    }
  }
}
