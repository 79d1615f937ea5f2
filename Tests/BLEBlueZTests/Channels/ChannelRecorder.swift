import BLEAdapter
import BLECore

@testable import BLEBlueZ

/// Records the data that a channel receives, and its end.
///
/// `@unchecked Sendable`: everything but `told`, which is behind its mutex, is touched on the loop only.
final class ChannelRecorder: PeerChannelEvents, @unchecked Sendable {
  let told = CentralRecorder()
  private(set) var channel: (any PeerChannel)?
  private(set) var octets: [UInt8] = []
  /// The largest amount of unread octets.
  private(set) var peak = 0
  private var unread = 0
  /// Whether everything counts as read immediately; else `consume` says so.
  private let reads: Bool
  /// After how many octets "complete" is recorded.
  private let wanted: Int

  init(wanted: Int = .max, reads: Bool = true) {
    self.wanted = wanted
    self.reads = reads
  }

  func take(_ channel: any PeerChannel) {
    self.channel = channel
    channel.events = self
  }

  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>) {
    let before = self.octets.count
    self.octets += octets
    unread += octets.count
    peak = max(peak, unread)
    if reads {
      consume()
    } else if unread >= SocketChannel.window, unread - octets.count < SocketChannel.window {
      told.note("full")
    }
    if before < wanted, self.octets.count >= wanted { told.note("complete") }
  }

  func consume() {
    channel?.consume(unread)
    unread = 0
  }

  func channel(_ channel: any PeerChannel, didClose reason: EndReason) { told.note("closed \(reason)") }
}
