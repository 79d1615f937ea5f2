import BLECore
import BLEWire

/// A transmitter that is not Bluetooth and spoils packets on the channels that it covers while it sends.
public struct Interferer: Hashable, Sendable {
  /// When it sends.
  public enum Activity: Hashable, Sendable {
    /// Bursts and pauses without memory, the two states of the Gilbert-Elliott model: of the time it sends the share `load`, 0 to
    /// 1, in bursts of `burst` on average.
    case bursts(load: Double, burst: StackDuration)
    /// It sends for `on` of each `period`.
    case periodic(on: StackDuration, period: StackDuration)
  }

  /// For people.
  public var name: String
  /// The link layer's channels that it covers, one bit for each index, 0 to 39.
  public var channels: UInt64
  /// When it sends.
  public var activity: Activity
  /// Where it is. At `nil` it is stronger than every signal, everywhere.
  public var position: Position?
  /// Its power within the 2 MHz of one channel, in dBm.
  public var power: Int8

  /// An interferer whose values are known to be in order.
  package init(_ name: String, channels: UInt64, activity: Activity, at position: Position?, power: Int8) {
    self.name = name
    self.channels = channels
    self.activity = activity
    self.position = position
    self.power = power
  }

  /// A Wi-Fi network of 20 MHz.
  /// - Parameters:
  ///   - channel: its channel, 1 to 13. The channels 1, 6 and 11 leave the three advertising channels free, and nine of the data
  ///     channels.
  ///   - load: the share of the time in which it sends, 0 to 1.
  ///   - position: where its access point is. Without one it is stronger than every signal, everywhere.
  public static func wifi(
    channel: Int, load: Double, at position: Position? = nil
  ) throws(AirDescriptionError) -> Interferer {
    guard (1...13).contains(channel) else {
      throw AirDescriptionError("Wi-Fi", found: "the channel \(channel)", expected: "a channel from 1 to 13")
    }
    guard load >= 0, load <= 1 else {
      throw AirDescriptionError("Wi-Fi", found: "a load of \(load)", expected: "a share from 0 to 1")
    }
    try position?.check("Wi-Fi")
    return wifi(checked: channel, load, at: position)
  }

  package static func wifi(checked channel: Int, _ load: Double, at position: Position? = nil) -> Interferer {
    // The subcarriers of 20 MHz reach 8.3 MHz from the centre (IEEE 802.11), and a receiver of Bluetooth hears 1 MHz beside its own.
    Interferer(
      "Wi-Fi on channel \(channel)", channels: mask(around: 2_407 + 5 * channel, reach: 9),
      activity: .bursts(load: load, burst: .milliseconds(1)), at: position,
      // 20 dBm over 20 MHz.
      power: 10)
  }

  /// A microwave oven: it radiates near 2.45 GHz in one half of each period of mains of 50 Hz.
  public static func microwaveOven(at position: Position? = nil) throws(AirDescriptionError) -> Interferer {
    try position?.check("microwave oven")
    return microwaveOven(checked: position)
  }

  package static func microwaveOven(checked position: Position?) -> Interferer {
    Interferer(
      "microwave oven", channels: mask(around: 2_455, reach: 15),
      activity: .periodic(on: .milliseconds(9), period: .milliseconds(20)), at: position, power: 16)
  }

  /// Interferers that are met in most places: Wi-Fi at a third of its time on each of the three usual channels, and a microwave oven,
  /// each stronger than every signal.
  public static let usual: [Interferer] = [1, 6, 11].map { wifi(checked: $0, 0.33) } + [microwaveOven(checked: nil)]

  /// A bit for each channel whose centre is at most `reach` MHz from a frequency in MHz.
  private static func mask(around centre: Int, reach: Int) -> UInt64 {
    (0..<40).reduce(0) { abs(frequency(of: $1) - centre) <= reach ? $0 | 1 << UInt64($1) : $0 }
  }

  /// The centre of a channel in MHz (Core, Vol 6 Part B 1.4.1).
  static func frequency(of channel: Int) -> Int {
    switch channel {
    case 37: 2_402
    case 38: 2_426
    case 39: 2_480
    case ...10: 2_404 + 2 * channel
    default: 2_428 + 2 * (channel - 11)
    }
  }
}
