import BLECore
import BLEVirtualRadio
import Synchronization

/// A crowd of advertisers in a world: see `World.makeCrowd`.
public final class StrayCrowd: Sendable {
  /// The number of its advertisers.
  public let count: Int
  private let loop: VirtualLoop
  private let made = Mutex<LoopBound<Crowd>?>(nil)

  init(_ count: Int, around center: Position, reach: Double, in world: World) throws(AirDescriptionError) {
    try Crowd.check(count, around: center, reach: reach)
    self.count = count
    loop = world.loop
    world.onLoop { [self] air in
      guard let crowd = try? air.makeCrowd(count, around: center, reach: reach) else { return }
      let bound = LoopBound(crowd)
      made.withLock { $0 = bound }
    }
  }

  /// The number of advertisements that it has sent so far. Read it while the world's clock stands still.
  public var advertisementCount: Int { made.withLock { $0?.value.eventCount ?? 0 } }

  /// It falls silent, for good.
  public func leave() {
    loop.submit(from: .common) { [self] in made.withLock { $0 }?.value.leave() }
  }
}
