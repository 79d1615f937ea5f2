import BLEChat
import BLESession
import BLESessionCryptography
import Foundation

/// `ble chat`: a conversation of two devices without a network.
struct ChatCommand: ToolCommand {
  static let name = Parameter.option(
    "name", "name", "What the other side calls you (default: your user name).", \String.self)
  static let peer = Parameter.option("peer", "name", "Talk only to the one of this name.", \String.self)
  static let central = Parameter.flag("central", "Only look for the other side; do not advertise.")
  static let peripheral = Parameter.flag("peripheral", "Only advertise and wait for the other side.")
  static let encrypt = Parameter.flag("encrypt", "Talk encrypted or not at all; both sides show a code to compare.")
  static let untilPeerEnds = Parameter.flag(
    "until-peer-ends", "When the input has ended, go on until the other side's has, too.")

  static let node = CommandNode(
    "chat", abstract: "Chat with a nearby device, without a network.",
    discussion: """
      Start it on two devices: they find each other, agree on one link and keep it. Messages of any length, up to 1 MiB, \
      arrive whole, in order and once, however often the link is lost; what you say while the other side is away is \
      delivered when it is back.

      On a terminal your line is edited at the bottom, with history (↑ ↓); '…' marks what is on its way and '✓' what has \
      arrived. The bell rings for each message. Ctrl-D or Ctrl-C leaves. Two sides of one name are told apart by what follows \
      the name: 'you', or the beginning of the other side's number, which is another one each time that it starts.

      In a pipe each line of the input is a message and each message a line of the output; it ends when the input has \
      ended and all of it is delivered. Line breaks and control characters in messages are written out (\\n, \\u{7}); \
      --json gives them exactly.

      An app that knows only service FF11 with characteristic FF22 takes part with plain text, as 'ble serve chat' does.

      To try out what happens, 'kill -USR1' breaks the link of the side that is its central.
      """,
    name, peer, central, peripheral, encrypt, untilPeerEnds
  ) { (name, peer, isCentral, isPeripheral, requiresEncryption, waitsForPeer) throws(UsageError) in
    let role: ChatConfiguration.Role
    switch (isCentral, isPeripheral) {
    case (true, true): throw UsageError("'--central' and '--peripheral' contradict each other")
    case (true, false): role = .central
    case (false, true): role = .peripheral
    case (false, false): role = .automatic
    }
    let own = name ?? NSUserName()
    guard !own.isEmpty else { throw UsageError("The value '' is invalid for '--name <name>': expected a name") }
    return ChatCommand(
      configuration: ChatConfiguration(
        name: own, role: role, partner: peer, cryptography: SystemCryptography(),
        requiresEncryption: requiresEncryption, identifier: .random(in: 1 ... .max)),
      waitsForPeer: waitsForPeer)
  }

  let configuration: ChatConfiguration
  let waitsForPeer: Bool

  func run(in session: Session) async throws(ToolError) {
    try await ChatProgram(configuration, waitsForPeer: waitsForPeer, in: session).run()
  }
}
