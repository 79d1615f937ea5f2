/// One command of each code of the Security Manager, in its right length, and one whose code is reserved.
enum SecurityManagerCommands {
  static let all: [[UInt8]] = [
    [0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03], [0x02, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03], made(0x03, 16),
    made(0x04, 16), [0x05, 0x08], made(0x06, 16), made(0x07, 10), made(0x08, 16),
    [0x09, 0x01, 0x11, 0x22, 0x33, 0x44, 0x55, 0xC6], made(0x0A, 16), [0x0B, 0x09], made(0x0C, 64), made(0x0D, 16),
    [0x0E, 0x01], made(0x55, 3),
  ]

  private static func made(_ code: UInt8, _ count: Int) -> [UInt8] { [code] + [UInt8](repeating: 0x5A, count: count) }

  /// The required effect of a command during a pairing.
  enum Outcome: Equatable {
    /// It is the expected one: it is accepted, and its made-up contents fail sooner or later.
    case taken
    case ignored
    /// Pairing Failed with this reason (Core, Vol 3 Part H 3.5.5).
    case refused(UInt8)
    /// The other side has ended the pairing: nothing is answered.
    case over
  }

  /// Core, Vol 3 Part H 3.3 (reserved codes are ignored), 2.4.6 (a Security Request may cross a Pairing Request), 3.5.8
  /// (keypresses are sent where both sides agreed), and 2.3, 3.6.1 for the order of all others: a command out of order ends
  /// the pairing.
  static func outcome(
    of command: [UInt8], expecting next: UInt8?, victim: CommandSweepScene.Victim
  ) -> Outcome {
    switch command[0] {
    case next: .taken
    case 0x05: .over
    case 0x0E, 0x55: .ignored
    case 0x0B where victim == .central: .ignored
    default: .refused(0x08)
    }
  }

  /// The required answer outside a pairing: the code, or code and reason. Empty: none.
  static func answerOutsidePairing(to command: [UInt8], victim: CommandSweepScene.Victim, isPaired: Bool) -> [UInt8] {
    switch (command[0], victim) {
    case (0x01, .peripheral): [0x02]
    // A side that has sufficient security requests nothing more.
    case (0x0B, .central): isPaired ? [] : [0x01]
    case (0x01, .central), (0x0B, .peripheral): [0x05, 0x07]
    default: []
    }
  }
}
