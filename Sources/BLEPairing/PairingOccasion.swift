/// What has led to a pairing.
public enum PairingOccasion: String, Hashable, Sendable, CaseIterable {
  /// A program of this device used a protected value of the other one, or called for the pairing.
  case wanted
  /// The other device began, and a program of this one has given cause for it: it has published something that only paired devices
  /// may use, or has connected to the device. Where there is a user, Apple's systems ask.
  case offered
  /// The other device began, and no program of this one has any use for a pairing.
  case unasked
}
