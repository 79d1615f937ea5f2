import BLEChat

/// What the two sides of a chat are called on the screen.
///
/// The name is that of the login unless `--name` gives another one, so the two may have the same: then each name is followed by what tells
/// its owner apart, the own one by "you" and the other one by the beginning of the number of that side's run.
struct ChatNames {
  private let ownName: String
  private(set) var partner: ChatPartner?

  init(own name: String) { ownName = name.inertWords }

  /// Whether both sides have the same name.
  var areAlike: Bool { partner?.name?.inertWords == ownName }

  var own: String { areAlike ? "\(ownName) (you)" : ownName }

  var other: String {
    guard let partner, let name = partner.name?.inertWords else { return "the other side" }
    guard areAlike else { return name }
    guard let identifier = partner.identifier else { return "\(name) (the other side)" }
    let digits = String(identifier, radix: 16)
    return "\(name) (\((String(repeating: "0", count: max(0, 16 - digits.count)) + digits).prefix(4)))"
  }

  /// Called when the other side has arrived; returns whether it was there before. A side that was started again has its name only, which
  /// says nothing where it is this side's name as well.
  mutating func arrived(_ arrival: ChatPartner) -> Bool {
    defer { partner = arrival }
    guard let partner, partner.name == arrival.name else { return false }
    return arrival.name?.inertWords != ownName || partner.identifier == arrival.identifier
  }
}
