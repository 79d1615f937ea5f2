import BLEVirtualRadio

/// A kind of place with a name: how signals propagate there, what disturbs them, how devices are carried, and where they are. A world
/// without a setting is a room in which nothing is in the way (`Propagation.indoors`) and activities of a device do not share time.
///
/// `Docs/radio.md` says where the numbers are from.
public struct WorldSetting: Hashable, Sendable {
  /// A place in a setting, and how a device is held there.
  public struct Place: Hashable, Sendable {
    /// Where it is.
    public var position: Position
    /// How the device is held.
    public var carrying: Carrying

    /// A place for a device.
    public init(_ position: Position, _ carrying: Carrying = .onTable) {
      self.position = position
      self.carrying = carrying
    }
  }

  /// The name for people.
  public let name: String
  /// The path loss exponent.
  public let exponent: Double
  /// The standard deviation of the loss that a pair of radios has for good, in dB.
  public let shadowing: Double
  /// The walls.
  public let walls: [Wall]
  /// What sends on the same frequencies.
  public let interference: [Interferer]
  /// The number of advertisers around the origin that are no devices.
  public let crowd: Int
  /// Where devices are: the first in the first place, further ones in those that follow, all others in the last. A device that is given a
  /// position is there, and held as in its place.
  public let places: [Place]
  /// Whether the activities of a device share the time of its radio.
  public let sharesRadioTime: Bool

  /// Two devices half a metre apart on a table, one Wi-Fi network at a tenth of its time. RSSI about -34 dBm, no loss by distance.
  public static let sameDesk = WorldSetting(
    known: "same desk", exponent: 2, interference: [.wifi(checked: 6, 0.1, at: Position(x: 8, y: 3))],
    places: [Place(.origin), Place(Position(x: 0.5))])

  /// Two rooms with a plasterboard wall between; the first device lies in one, all others are in hands in the next, 5 m away. Two Wi-Fi
  /// networks. RSSI about -71 dBm.
  public static let nextRoom = WorldSetting(
    known: "next room", exponent: 2.8, shadowing: 3,
    walls: [Wall(from: Position(x: 2.5, y: -20), to: Position(x: 2.5, y: 20), .plasterboard)],
    interference: [
      .wifi(checked: 1, 0.2, at: Position(x: 9, y: 4)), .wifi(checked: 11, 0.1, at: Position(x: -8, y: -6)),
    ], places: [Place(.origin), Place(Position(x: 5), .inHand)])

  /// A hall with 300 advertisers in a square of 30 m, three busy Wi-Fi networks on 1, 6 and 11; the first device in a hand, the others
  /// in pockets 4 m away.
  public static let trainStation = WorldSetting(
    known: "train station", exponent: 2.2, shadowing: 4,
    interference: [
      .wifi(checked: 1, 0.4, at: Position(x: 10, y: 5)), .wifi(checked: 6, 0.4, at: Position(x: -10, y: 8)),
      .wifi(checked: 11, 0.4, at: Position(x: 3, y: -12)),
    ], crowd: 300, places: [Place(.origin, .inHand), Place(Position(x: 4), .inPocket)])

  /// The first device lies free, the others are in the pockets of people 1.5 m away.
  public static let pocket = WorldSetting(
    known: "pocket", exponent: 2.5, shadowing: 2, places: [Place(.origin), Place(Position(x: 1.5), .inPocket)])

  /// Outdoors without obstacles: the first device lies free, the others are in hands 20 m away. Nothing but distance.
  public static let garden = WorldSetting(
    known: "garden", exponent: 2, shadowing: 2, places: [Place(.origin), Place(Position(x: 20), .inHand)])

  /// As far as a link just holds: 66 m of path loss, about -92 dBm, where a third of the packets is lost.
  public static let edgeOfRange = WorldSetting(
    known: "edge of range", exponent: 2.85, places: [Place(.origin), Place(Position(x: 66))])

  /// A kitchen: a microwave oven at 2 m, and one Wi-Fi network.
  public static let kitchen = WorldSetting(
    known: "kitchen", exponent: 2.8, shadowing: 2,
    interference: [
      .microwaveOven(checked: Position(x: 1, y: 2)), .wifi(checked: 6, 0.2, at: Position(x: 6, y: -4)),
    ], places: [Place(.origin), Place(Position(x: 3))])

  /// All that have a name here.
  public static let all: [WorldSetting] = [
    sameDesk, nextRoom, trainStation, pocket, garden, edgeOfRange, kitchen,
  ]

  init(
    known name: String, exponent: Double, shadowing: Double = 0, walls: [Wall] = [], interference: [Interferer] = [],
    crowd: Int = 0, places: [Place], sharesRadioTime: Bool = true
  ) {
    self.name = name
    self.exponent = exponent
    self.shadowing = shadowing
    self.walls = walls
    self.interference = interference
    self.crowd = crowd
    self.places = places
    self.sharesRadioTime = sharesRadioTime
  }

  /// A setting of one's own.
  /// - Parameters:
  ///   - name: for people.
  ///   - exponent: the path loss exponent, 1 to 10.
  ///   - shadowing: in dB, 0 to 50.
  ///   - walls: see `FloorPlan`.
  ///   - interference: what sends on the same frequencies.
  ///   - crowd: the number of advertisers that are no devices, in a square of 30 m around the origin.
  ///   - places: where devices are, and how they are held; without one, they lie at the origin.
  ///   - sharesRadioTime: whether the activities of a device share the time of its radio.
  /// - Throws: which value is out of its limits.
  public init(
    name: String, exponent: Double, shadowing: Double = 0, walls: [Wall] = [],
    interference: [Interferer] = [], crowd: Int = 0, places: [Place] = [],
    sharesRadioTime: Bool = true
  ) throws(AirDescriptionError) {
    guard exponent >= 1, exponent <= 10 else {
      throw AirDescriptionError(name, found: "a path loss exponent of \(exponent)", expected: "1 to 10")
    }
    guard shadowing >= 0, shadowing <= 50 else {
      throw AirDescriptionError(name, found: "a shadowing of \(shadowing) dB", expected: "0 to 50 dB")
    }
    for place in places { try place.position.check(name) }
    _ = try FloorPlan(walls: walls)
    try Crowd.check(crowd, around: .origin, reach: Self.crowdReach)
    self.init(
      known: name, exponent: exponent, shadowing: shadowing, walls: walls, interference: interference, crowd: crowd,
      places: places, sharesRadioTime: sharesRadioTime)
  }

  /// Half the edge of the square in which its crowd is, in metres.
  static let crowdReach = 15.0

  /// The place of the device with this number, from 0.
  func place(ofDevice number: Int) -> Place {
    places.isEmpty ? Place(.origin) : places[min(number, places.count - 1)]
  }

  var propagation: Propagation {
    Propagation(
      signal: .pathLoss(exponent: exponent, referenceLoss: 40, shadowing: shadowing, jitter: 1.5), range: 100,
      plan: walls.isEmpty ? nil : FloorPlan(checked: walls))
  }
}
