import BLECore
import BLEVirtualRadio

/// What changes about a device's place as time passes: its walk, and the way its user faces. On the loop.
///
/// A walk moves the radio each 100 ms, a turn changes its signal each second. Both are background for the loop: a world in which
/// somebody walks can be quiet.
final class DeviceMotion: TimerTarget {
  private enum Timer: Int { case step, turn }

  static let step = StackDuration.milliseconds(100)
  static let turn = StackDuration.seconds(1)

  // The loop keeps this object for as long as a timer is set: it must not be kept by it in turn.
  private weak var radio: DeviceRadio?
  private let orientation: Orientation
  private var walk: Walk?
  private var walkBegan = StackInstant.zero
  private var repeats = false
  private var stepTimer = TimerToken()
  private var turnTimer = TimerToken()
  private(set) var carrying = Carrying.onTable

  init(_ radio: DeviceRadio, seed: UInt64) {
    self.radio = radio
    orientation = Orientation(seed: seed)
  }

  var isWalking: Bool { walk != nil }

  func start(_ walk: Walk, repeats: Bool) {
    stop()
    guard let radio else { return }
    self.walk = walk
    self.repeats = repeats && walk.duration > .zero
    walkBegan = radio.loop.now
    takeStep()
  }

  func stop() {
    radio?.loop.cancel(stepTimer)
    walk = nil
  }

  func carry(_ carrying: Carrying) {
    self.carrying = carrying
    radio?.loop.cancel(turnTimer)
    turnAround()
  }

  func timerFired(tag: Int) {
    switch Timer(rawValue: tag) {
    case .step: takeStep()
    case .turn: turnAround()
    case nil: break
    }
  }

  private func takeStep() {
    guard let walk, let radio else { return }
    var passed = Duration.nanoseconds((radio.loop.now - walkBegan).nanoseconds)
    if passed >= walk.duration {
      guard repeats else {
        self.walk = nil
        radio.place(at: walk.end)
        return
      }
      while passed >= walk.duration, walk.duration > .zero {
        walkBegan = walkBegan + StackDuration(walk.duration)
        passed -= walk.duration
      }
    }
    radio.place(at: walk.position(at: passed))
    let left = StackDuration(walk.duration - passed)
    stepTimer = radio.loop.schedule(
      after: max(.nanoseconds(1), min(Self.step, left)), .background, self, tag: Timer.step.rawValue)
  }

  private func turnAround() {
    guard let radio else { return }
    let share = orientation.shadowing(at: (radio.loop.now - StackInstant.zero).seconds)
    radio.bodyLoss = carrying.loss + carrying.shadow * share
    guard carrying.shadow > 0 else { return }
    turnTimer = radio.loop.schedule(after: Self.turn, .background, self, tag: Timer.turn.rawValue)
  }
}
