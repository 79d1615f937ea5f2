import BLEAdapter
import BLECore
import BLEHost
import BLEWire

extension Fuzzer {
  /// The channels of a link: frames on two that are open, credits, and whatever can be asked about channels, while a program
  /// writes and reads now and then.
  static let l2capChannels = Fuzzer(name: "l2cap-channels") { octets in
    let carrier = LeavingCarrier()
    let link = L2CAPLink(role: .peripheral, loop: VirtualLoop(), carrier: carrier)
    let program = ChannelUser()
    link.owner = program
    for request in ChannelUser.requests { link.receive(fragment: request[...], isFirst: true) }
    for (flag, piece) in Pieces(octets) {
      let channel = flag & 3 == 0 ? ChannelIdentifier.lowEnergySignaling : ChannelIdentifier(0x003F + UInt16(flag & 3))
      link.receive(
        fragment: L2CAPFrame(channel: channel, informationPayload: piece).octets[...], isFirst: true)
      program.act(flag >> 2)
      carrier.leave()
      require(link.channelCount <= L2CAPLink.channelLimit, "more channels than a link has")
      require(program.unread <= L2CAPLink.channelLimit * 65_536, "more unread than the windows hold")
    }
    link.close()
    carrier.leave()
    require(link.channelCount == 0, "a channel outlives its link")
  } seeds: {
    let frames: [(UInt8, [UInt8])] = [
      (1, [3, 0, 1, 2, 3]), (2, [200, 0, 1, 2, 3]), (2, [4, 5, 6]), (5, [2, 0, 1]), (9, [9, 9]), (0x11, []),
      (0, [0x16, 1, 4, 0, 0x40, 0, 9, 0]), (0, [0x06, 2, 4, 0, 0x40, 0, 0x40, 0]),
      (0, [0x19, 3, 6, 0, 0, 4, 0x80, 0, 0x51, 0]),
    ]
    let all: [UInt8] = frames.flatMap { [$0.0, UInt8($0.1.count)] + $0.1 }
    return [all] + frames.map { [$0.0, UInt8($0.1.count)] + $0.1 }
  }
}

/// A program with channels. One at each request, in both modes.
private final class ChannelUser: L2CAPLinkOwner, PeerChannelEvents {
  /// One channel in each mode; the peer calls them 0x50 and 0x51.
  static let requests: [[UInt8]] = [
    [14, 0, 5, 0, 0x14, 1, 10, 0, 0x80, 0, 0x50, 0, 0, 2, 64, 0, 4, 0],
    [14, 0, 5, 0, 0x17, 2, 10, 0, 0x80, 0, 0, 2, 64, 0, 4, 0, 0x51, 0],
  ]

  private var channels: [L2CAPChannel] = []
  var unread: Int { channels.reduce(0) { $0 + $1.unreadOctets } }

  func link(_ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult? {
    multiplexer.rawValue == 0x80 ? nil : .spsmNotSupported
  }

  func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel) {
    channel.events = self
    channels.append(channel)
  }

  func act(_ choice: UInt8) {
    guard let channel = channels.last else { return }
    switch choice {
    case 1: channel.send([UInt8](repeating: 7, count: 700)) {}
    case 2: channel.consume(1_000)
    case 3: channels.first?.send([7, 7]) {}
    case 4: channel.close()
    default: break
    }
  }

  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>) {}
  func channel(_ channel: any PeerChannel, didClose reason: EndReason) { channels.removeAll { $0 === channel } }
}

/// A carrier whose frames leave on request.
private final class LeavingCarrier: L2CAPCarrier {
  private var sent: [() -> Void] = []
  var queuedFrames: Int { sent.count }

  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) {
    self.sent.append(sent ?? {})
  }

  func leave() {
    let left = sent
    sent = []
    for sent in left { sent() }
  }
}
