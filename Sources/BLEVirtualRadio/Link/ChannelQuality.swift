import BLECore
import BLEWire

/// What a central has seen of the data channels of a connection, and which it therefore leaves out (adaptive frequency hopping: Core,
/// Vol 6 Part B 4.5.8.1; how a channel is judged is left to the controller).
struct ChannelQuality {
  private var tries = [Int](repeating: 0, count: 37)
  private var failures = [Int](repeating: 0, count: 37)
  private var exchanges = 0
  private var nextPardon: StackInstant?

  /// The number of exchanges between two judgements: some eight for each channel.
  private static let period = 300
  /// A channel is bad if this share of its exchanges fails, in percent.
  private static let badShare = 20
  /// Where fewer than this would remain, the channels are not the reason, and all are kept.
  private static let leastChannels = 9
  /// After this time channels that were left out are tried again.
  private static let pardonAfter = StackDuration.seconds(60)

  mutating func note(_ channel: UInt8, isGood: Bool) {
    guard channel < 37 else { return }
    exchanges += 1
    tries[Int(channel)] += 1
    if !isGood { failures[Int(channel)] += 1 }
  }

  /// The channels to use from now on; `nil` if they stay as they are.
  mutating func judge(_ map: UInt64, allowed: UInt64, now: StackInstant) -> UInt64? {
    guard exchanges >= Self.period else { return nil }
    var kept = map
    for channel in 0..<37 where tries[channel] >= 4 && failures[channel] * 100 >= tries[channel] * Self.badShare {
      kept &= ~(1 << UInt64(channel))
    }
    tries = [Int](repeating: 0, count: 37)
    failures = tries
    exchanges = 0
    if let pardon = nextPardon, now >= pardon {
      nextPardon = nil
      return allowed == map ? nil : allowed
    }
    guard kept != map, kept.nonzeroBitCount >= Self.leastChannels else { return nil }
    nextPardon = now + Self.pardonAfter
    return kept
  }
}

extension Connection {
  /// The data channel of the current event.
  var eventChannel: UInt8 {
    ChannelSelection.channel(
      event: UInt16(truncatingIfNeeded: eventNumber), accessAddress: accessAddress, map: channelMap)
  }

  /// Whether another transmitter spoils a packet from this end that begins at `time`.
  func isSpoiled(lasting duration: StackDuration, at time: StackInstant, towards other: Connection) -> Bool {
    guard air.hasInterference else { return false }
    return air.isSpoiled(
      channel: eventChannel, from: time, lasting: duration, level: path.level, at: other.controller.node.station)
  }

  /// The central has seen how an exchange went. Only where there are interferers: elsewhere no channel is worse than another.
  func noteExchange(isGood: Bool) {
    guard air.hasInterference, controller.configuration.adaptsChannelMap else { return }
    var quality = channelQuality ?? ChannelQuality()
    channelQuality = nil
    defer { channelQuality = quality }
    quality.note(eventChannel, isGood: isGood)
    let isChanging = procedures.contains { if case .channelMapUpdate = $0 { true } else { false } }
    guard !isChanging, procedures.channelMapChange == nil,
      let map = quality.judge(channelMap, allowed: controller.hostChannels.rawValue, now: loop.now)
    else { return }
    start(.channelMapUpdate(map))
  }
}
