/// A position on the air, in metres.
public struct Position: Hashable, Sendable {
  /// In metres, as are the others.
  public var x: Double
  /// In metres.
  public var y: Double
  /// In metres.
  public var z: Double

  /// A position by its coordinates, in metres.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The position of radios without a given one.
  public static let origin = Position()

  /// The distance in metres.
  public func distance(to other: Position) -> Double {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return (x * x + y * y + z * z).squareRoot()
  }
}

/// The properties of a radio that determine how others receive it.
public struct Station: Hashable, Sendable {
  /// Identifies the radio on its air; shadowing is derived from a pair of these.
  public var identity: UInt64
  /// The position of the radio.
  public var position: Position
  /// The transmit power in dBm.
  public var transmitPower: Int8
  /// The gain of antenna and body for each packet sent and received, in dB; usually negative.
  public var antennaOffset: Double

  /// A radio with its transmit power in dBm and its antenna gain in dB.
  public init(identity: UInt64, position: Position = .origin, transmitPower: Int8 = 0, antennaOffset: Double = 0) {
    self.identity = identity
    self.position = position
    self.transmitPower = transmitPower
    self.antennaOffset = antennaOffset
  }
}
