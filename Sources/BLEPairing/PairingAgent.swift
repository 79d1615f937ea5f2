/// Who answers the questions of a pairing: passkeys, comparisons and permission. Apple's systems ask in a dialogue of their own.
public protocol PairingAgent: Sendable {
}
