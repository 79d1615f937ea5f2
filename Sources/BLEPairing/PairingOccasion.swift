/// The cause of a pairing.
public enum PairingOccasion: String, Hashable, Sendable, CaseIterable {
  /// A program of this device used a protected value of the peer, or requested the pairing.
  case wanted
  /// The peer began, and a program of this device has given cause for it: it has published something that requires a paired link,
  /// or has connected to the device. Apple's systems ask the user then.
  case offered
  /// The peer began, and no program of this device has given cause for a pairing.
  case unasked
}
