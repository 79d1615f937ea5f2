import BLEVirtualRadio
import Synchronization

/// What is around the devices of a world, besides other devices.
struct WorldSurroundings: Sendable {
  var propagation = Propagation.indoors
  var interference: [Interferer] = []
  var setting: WorldSetting?
  /// The crowd of the setting.
  var crowd: StrayCrowd?
}

extension World {
  /// The walls around the devices; `nil` for none. A change takes effect with the next `settle`, `advance` or `wait`.
  public var plan: FloorPlan? {
    get { surroundings.withLock { $0.propagation.plan } }
    set {
      surroundings.withLock { $0.propagation.plan = newValue }
      onLoop { $0.propagation.plan = newValue }
    }
  }

  /// How signals get weaker with distance and walls.
  public var propagation: Propagation {
    get { surroundings.withLock { $0.propagation } }
    set {
      surroundings.withLock { $0.propagation = newValue }
      onLoop { $0.propagation = newValue }
    }
  }

  /// What sends on the same frequencies and is no Bluetooth: Wi-Fi networks, a microwave oven.
  public var interference: [Interferer] {
    get { surroundings.withLock { $0.interference } }
    set {
      surroundings.withLock { $0.interference = newValue }
      onLoop { $0.setInterference(newValue) }
    }
  }

  /// Adds a crowd of advertisers that are no devices, in a square of `2 · reach` metres. From then on advertisements collide: also
  /// those of devices are lost where several are sent at the same time. Connections to members of the crowd are never established.
  /// - Throws: what of the arguments is out of its limits.
  @discardableResult
  public func makeCrowd(
    _ count: Int, around center: Position = .origin, reach: Double = 15
  ) throws(AirDescriptionError) -> StrayCrowd {
    try StrayCrowd(count, around: center, reach: reach, in: self)
  }

  func onLoop(_ job: @escaping @Sendable (Air) -> Void) {
    loop.submit(from: .common) { [self] in job(air) }
  }
}
