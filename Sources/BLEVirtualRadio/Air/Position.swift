/// A place on the air, in metres.
public struct Position: Hashable, Sendable {
  /// In metres, as are the others.
  public var x: Double
  /// In metres.
  public var y: Double
  /// In metres.
  public var z: Double

  /// A place by its distances from the origin, in metres.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Where radios are that were put nowhere.
  public static let origin = Position()

  /// In metres.
  public func distance(to other: Position) -> Double {
    let (x, y, z) = (x - other.x, y - other.y, z - other.z)
    return (x * x + y * y + z * z).squareRoot()
  }
}

/// What the air has to know of a radio to say how others hear it.
public struct Station: Hashable, Sendable {
  /// Names the radio on its air; shadowing belongs to a pair of these.
  public var identity: UInt64
  /// Where the radio is.
  public var position: Position
  /// In dBm.
  public var transmitPower: Int8
  /// What antenna and body add to each packet sent and heard, in dB; mostly negative.
  public var antennaOffset: Double

  /// A radio as it is heard: power in dBm, antenna in dB.
  public init(identity: UInt64, position: Position = .origin, transmitPower: Int8 = 0, antennaOffset: Double = 0) {
    self.identity = identity
    self.position = position
    self.transmitPower = transmitPower
    self.antennaOffset = antennaOffset
  }
}
