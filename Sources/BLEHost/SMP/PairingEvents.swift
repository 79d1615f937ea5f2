import BLECore
import BLECrypto
import BLEWire

/// What happens to a pairing.
public enum PairingInput: Sendable {
  /// Begin: the initiator's first step.
  case start
  /// A command of the peer.
  case received(SMPPDU)
  /// A command of the peer that was shorter or longer than its code says.
  case receivedMalformed
  /// The user's answer to a question; one that comes too late, for a question that is not open any more, changes nothing.
  case answered(PairingAnswer, to: PairingQuestion.ID)
  /// The user types a passkey.
  case typed(SMPPairingKeypressNotification.Kind)
  /// The link is encrypted now with the key of this pairing, or could not be, or is not any more.
  case encryptionChanged(isEncrypted: Bool)
  /// Thirty seconds have passed since the last command was sent.
  case timedOut
  /// This side gives up.
  case cancelled
  /// The link has ended.
  case disconnected
}

/// The user's answer.
public enum PairingAnswer: Sendable {
  case passkey(SixDigits)
  case yes
  case no
}

/// What a pairing wants done, in this order.
public enum PairingAction: Sendable {
  case send(SMPPDU)
  case ask(PairingQuestion)
  /// The peer's user types a passkey.
  case peerTyped(SMPPairingKeypressNotification.Kind)
  /// The central is to encrypt the link with this key (diversifier and random number zero).
  case startEncryption(SecretKey)
  case finished(PairingResult)
  case failed(PairingFailure)
}

/// Something to show to a user, or to ask. It names the method, so that the user is not led to take one for another.
public struct PairingQuestion: Sendable {
  /// Tells questions of one link apart, so that a late answer does not meet another question.
  public struct ID: Hashable, Sendable {
    let pairing: Int
    let number: Int
  }

  public enum Kind: Sendable {
    /// Show the passkey until the pairing ends. There is no answer.
    case displayPasskey(SixDigits)
    /// Answered by `.passkey` or `.no`.
    case enterPasskey
    /// Are the digits the same on the other device? Answered by `.yes` or `.no`.
    case compare(SixDigits)
    /// Pair with whoever this is? Answered by `.yes` or `.no`.
    case acceptJustWorks
    /// A device says it is one that there are keys of already, or has its address, and has not proved it; or the new keys are
    /// worse. Replace the keys that are kept of this identity? Answered by `.yes` or `.no`.
    case replaceBond(of: DeviceAddress, PairingSecurity)
  }

  public let id: ID
  public let kind: Kind
  public let method: PairingMethod
  public let isSecureConnections: Bool
  /// The address of the link.
  public let peer: DeviceAddress

  /// False for what is only shown.
  public var wantsAnswer: Bool {
    if case .displayPasskey = kind { false } else { true }
  }
}

/// Why there are no keys.
public enum PairingFailure: Error, Hashable, Sendable {
  /// The peer ended the pairing.
  case refusedByPeer(SMPPairingFailedReason)
  /// This side ended the pairing: what came was wrong or not good enough, or the user said no.
  case refused(SMPPairingFailedReason)
  /// The peer did not go on. There is no further pairing on this link (Core, Vol 3 Part H 3.4).
  case timedOut
  /// The link could not be encrypted, or stopped being so.
  case encryptionFailed
  /// The link could not be encrypted with the keys of an earlier pairing, or stopped being so.
  case bondFailed
  case cancelled
  case disconnected
  /// Too soon after a failure; how long it still takes.
  case tooSoon(StackDuration)
  /// Another pairing is under way, or the link is being encrypted.
  case busy
  /// There is no room for the keys of one more device.
  case tooManyBonds
  /// The keys could not be put where they outlive this process. What was kept before is as it was.
  case notKept
}

extension PairingFailure: CustomStringConvertible {
  /// The reason, as the second half of a sentence for people.
  public var description: String {
    switch self {
    case .refusedByPeer(let reason): "the device refused: \(reason)"
    case .refused(let reason): "refused here: \(reason)"
    case .timedOut: "the device did not go on"
    case .encryptionFailed: "the link could not be encrypted"
    case .bondFailed: "the link could not be encrypted with the keys of an earlier pairing"
    case .cancelled: "given up here"
    case .disconnected: "the link has ended"
    case .tooSoon(let delay): "too soon after a failure: \(delay.nanoseconds / 1_000_000_000 + 1) s to wait"
    case .busy: "another pairing is under way"
    case .tooManyBonds: "there is no room for the keys of one more device"
    case .notKept: "the keys could not be kept"
    }
  }
}
