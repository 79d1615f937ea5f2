/// When a device counts as being in a room, and the limits of what is remembered.
public struct PresenceRules: Sendable, Hashable {
  /// The weight of a new measurement in the smoothed strength, as in `SignalFilter`.
  public var smoothing = 0.25
  /// By how many dB another room has to be stronger...
  public var hysteresis = 6.0
  /// ... for how long, until the device counts as being there.
  public var dwell = Duration.seconds(5)
  /// What a gateway has heard counts for so long. If all gateways of the present room are silent, the strongest other room counts at once.
  public var silence = Duration.seconds(15)
  /// A device that no gateway has heard for so long is nowhere.
  public var absence = Duration.seconds(60)
  /// Of more devices, those that were not heard for the longest time are forgotten: they are nowhere.
  public var mostDevices = 10_000
  /// Of more gateways that hear a device, the weakest is forgotten.
  public var mostGateways = 16

  /// The defaults.
  public init() {}
}

/// A device has been found, has gone to another room, or has not been heard any more.
public struct PresenceChange: Hashable, Sendable {
  /// The device.
  public let device: String
  /// Where it is; `nil`: nowhere.
  public let room: String?
  /// Where it was; `nil`: nowhere.
  public let before: String?
  /// The gateway of the room that hears it best.
  public let gateway: String?
  /// Its smoothed strength there in dBm.
  public let strength: Double?
}
