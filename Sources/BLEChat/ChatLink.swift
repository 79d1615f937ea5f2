import BLESession
import CoreBluetooth

/// One link on which frames are spoken, from the first octet to its end.
final class ChatLink {
  let side: ChatConversation.Side
  /// What this host calls the device on the other end.
  let device: UUID
  var reader = ChatFrameReader()
  /// What the other side said first.
  var partner: ChatHello?
  /// Nothing more is heard or said on it.
  var isOver = false
  /// Only what waits already is said.
  var isClosing = false
  /// Another link to the same other side is used in its place. Should that one come to nothing, the other side has to hear of it.
  var isGivenUp = false
  /// The stream that waits to be handed over.
  var outgoing = Data()
  /// What was handed over and is not taken yet: on another link it would be nonsense.
  var handed: [Reply<Void>] = []
  /// Ends what takes too long: the greeting, then the time for a goodbye to arrive.
  var timer: (any SessionTimer)?
  /// Which one of this side's links it is: later ones have greater numbers.
  let number: Int

  /// Values that are handed over at once: enough to keep the link busy.
  static let mostHanded = 8

  init(_ side: ChatConversation.Side, _ device: UUID, number: Int) {
    self.side = side
    self.number = number
    self.device = device
  }

  func say(_ frame: ChatFrame) { outgoing.append(ChatFrameReader.framed(frame.octets)) }

  /// The link is gone.
  func end() {
    isOver = true
    timer?.cancel()
    outgoing = Data()
    let all = handed
    handed = []
    for reply in all { reply.cancel() }
  }
}
