import BLESession
import CoreBluetooth

/// One link that carries frames.
final class ChatLink {
  let side: ChatConversation.Side
  /// This host's identifier for the device at the other end.
  let device: UUID
  var reader = ChatFrameReader()
  /// The other side's hello.
  var partner: ChatHello?
  /// The link is no longer used in either direction.
  var isOver = false
  /// Only queued octets are still sent.
  var isClosing = false
  /// Another link to the same partner is used instead. If that one fails, the partner has to be notified on this one.
  var isGivenUp = false
  /// The part of the stream that waits to be sent.
  var outgoing = Data()
  /// Values that are being sent: they are cancelled with the link, because the stream of another link is different.
  var handed: [Reply<Void>] = []
  /// The time limit of the greeting, and then of the goodbye's arrival.
  var timer: (any SessionTimer)?
  /// Ascending number of this side's links.
  let number: Int

  /// The number of values under way at a time: enough to keep the link busy.
  static let mostHanded = 8

  init(_ side: ChatConversation.Side, _ device: UUID, number: Int) {
    self.side = side
    self.number = number
    self.device = device
  }

  func say(_ frame: ChatFrame) { outgoing.append(ChatFrameReader.framed(frame.octets)) }

  /// Called when the link has ended.
  func end() {
    isOver = true
    timer?.cancel()
    outgoing = Data()
    let all = handed
    handed = []
    for reply in all { reply.cancel() }
  }
}
