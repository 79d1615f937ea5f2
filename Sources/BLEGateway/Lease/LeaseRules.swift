/// The times and limits of leases. All gateways of a fleet should have the same; where they differ, a holder's `expires` counts.
public struct LeaseRules: Sendable, Hashable {
  /// What a holder does that has no broker: it cannot tell whether the broker is down or only its own network.
  public enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// Keeps its devices: the broker may be away for a day, and no value is lost. Another gateway may claim such a device, and ends the
    /// double lease by its epoch when the network is whole.
    case keep
    /// Lets go of its devices when its leases have expired.
    case letGo = "let_go"
  }

  /// How often a gateway gives a sign of life.
  public var pulse = Duration.seconds(1)
  /// The silence after which a holder counts as gone.
  public var expires = Duration.seconds(3)
  /// The same after the broker has published a holder's last will.
  public var grace = Duration.milliseconds(1_500)
  /// How long a gateway listens to a topic that it has just subscribed to before it claims: what is retained arrives within.
  public var look = Duration.milliseconds(500)
  /// The weakest of all waits so long before it claims a free device, the strongest not at all.
  public var contention = Duration.milliseconds(400)
  /// How long a claim has to stand before its holder connects.
  public var settle = Duration.milliseconds(200)
  /// A claim that does not come back from the broker within this time is not made.
  public var claim = Duration.seconds(2)
  /// A holder that has not connected and subscribed within this time releases the device.
  public var opening = Duration.seconds(30)
  /// A holder that has accepted an offer releases the device after this time at the latest. Values that are not sent by then stay in its
  /// outbox; `Lease.last` says how many there are.
  public var draining = Duration.seconds(5)
  /// A released device is reserved for its successor for so long.
  public var reserve = Duration.seconds(2)
  /// By how many dB a gateway has to hear a device better than its holder does...
  public var hysteresis = 8.0
  /// ... for how long, before it offers to take it over. If the holder does not hear the device, a fifth of it.
  public var patience = Duration.seconds(5)
  /// A device is not offered to be taken over for so long after it has got a holder.
  public var rest = Duration.seconds(30)
  /// The time between two offers; it doubles with each that was not accepted, five times.
  public var offer = Duration.seconds(10)
  /// The time before a device that could not be opened is claimed again; it doubles with each failure, six times.
  public var retry = Duration.seconds(5)
  /// How long a device counts as heard after its last advertisement.
  public var audible = Duration.seconds(10)
  /// A device that was not heard for so long, and is not held, is forgotten. Its lease stays on the broker.
  public var memory = Duration.seconds(120)
  /// A holder publishes each lease again so often, also where nothing has changed: a broker that has lost it, or parts of a network that
  /// have come together, get it from there.
  public var refresh = Duration.seconds(60)
  /// A holder publishes its strength when it has changed by so many dB, at most each `strengthInterval`.
  public var strengthStep = 6.0
  /// See `strengthStep`.
  public var strengthInterval = Duration.seconds(5)
  /// A lease that others have overwritten is published again at most so often.
  public var repair = Duration.seconds(1)
  /// The weight of a new measurement in the smoothed strength, as in `SignalFilter`.
  public var smoothing = 0.25
  /// What is done without a broker.
  public var isolation = Isolation.keep
  /// Devices that are followed at most. Beyond that, those that have not been heard for the longest time are forgotten.
  public var mostDevices = 4_096
  /// Devices that are held at most: a radio has room for few links.
  public var mostHeld = 64
  /// The epoch with which the first claim begins of a device for which no lease is known. Seconds of the wall clock since 2020 keep the
  /// epochs of a fleet growing whose broker and gateways have all lost their memory; a wrong clock does no harm otherwise.
  public var firstEpoch = 1

  /// The defaults: a silent holder is replaced within 5 s.
  public init() {}
}

/// What a `LeaseKeeper` wants done, in this order.
public enum LeaseAction: Hashable, Sendable {
  /// Publish this with QoS 1, retained or not as the message says. Not queued where there is no connection: it would be late, and the
  /// keeper publishes what still counts after the next connection.
  case publish(LeaseMessage)
  /// Subscribe to this topic, now and on each connection; own messages come back (`no local` is off).
  case follow(LeaseTopic)
  /// Do not subscribe to this topic any more.
  case unfollow(LeaseTopic)
  /// Connect to the device and subscribe to these characteristics and to those of the configuration; then call `opened` or `failed`.
  case open(device: String, epoch: Int, subscriptions: [String])
  /// End the notifications, then the link, and call `drained` when the broker has acknowledged all values of the device: those that it
  /// sends until then still get stamps.
  case drain(device: String, epoch: Int)
  /// Take no further values, and end the link at once. What is in the outbox is sent all the same.
  case close(device: String, epoch: Int, LeaseEnd)
  /// Something that the user of the gateway should know.
  case report(LeaseReport)
}

/// Why a gateway does not hold a device any more.
public enum LeaseEnd: Hashable, Sendable {
  /// There is a greater lease: of a later epoch, or of another holder in the same.
  case superseded(by: GatewayInstance)
  /// Handed over.
  case handedOver(to: GatewayInstance)
  /// The device could not be opened.
  case failed
  /// The session has given up.
  case lost
  /// The broker was silent for longer than the lease is valid, and the rules say `letGo`.
  case isolated
  /// Another instance of the same name holds devices.
  case nameTaken
  /// The gateway ends, or does not want the device any more.
  case requested
}

/// An event that a user of the gateway should know.
public enum LeaseReport: Hashable, Sendable {
  /// The device is connected and subscribed, and the lease announced.
  case held(device: String, epoch: Int)
  /// It is not held any more.
  case ended(device: String, epoch: Int, LeaseEnd)
  /// Two gateways run under the name of this one; this one waits until the other is silent.
  case nameTaken(by: GatewayInstance)
  /// The name is free again.
  case nameFree
  /// What stood on a topic of leases was no lease, and has been replaced by the one that counts.
  case repaired(LeaseTopic)
  /// More devices are heard than are followed. Reported once until there is room.
  case tooManyDevices
}
