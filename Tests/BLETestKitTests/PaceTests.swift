import BLETestKit
import CoreBluetooth
import Foundation
import Synchronization
import Testing

/// Apps with timers of their own.
@Suite("The app's own timers")
struct PaceTests {
  private static func makeStory() -> (World, StoryLamp, RemoteControl) {
    let world = World(seed: 21)
    let lamp = StoryLamp(options: world.makeDevice("lamp").options)
    return (world, lamp, RemoteControl(options: world.makeDevice("phone").options))
  }

  @Test("I11.31 in a paced world the timers of Dispatch and Foundation and those of tasks fire while the world waits")
  func timersGoOff() async throws {
    let (world, lamp, remote) = Self.makeStory()
    try await world.wait(within: .seconds(10)) { remote.isConnected }
    // Half an hour for a timer of a tenth of a second: no machine is that busy.
    world.pace = .realTime(speed: 2)
    remote.setBrightness(1, after: 0.1)
    try await world.wait(within: .seconds(3_600)) { lamp.values == [1] }
    let task = Task {
      try await Task.sleep(for: .milliseconds(50))
      remote.setBrightness(2)
    }
    try await world.wait(within: .seconds(3_600)) { lamp.values == [1, 2] && remote.acknowledged == 2 }
    try await task.value
    world.pace = .asFastAsPossible
    await world.advance(by: .seconds(3_600))
    #expect(world.now > .seconds(3_600))
  }

  @Test("I11.31 a paced world runs at the pace of real time, and the radio works as before")
  func takesItsTime() async throws {
    let (world, lamp, remote) = Self.makeStory()
    world.pace = .realTime(speed: 20)
    #expect(world.pace == .realTime(speed: 20))
    let begin = ContinuousClock.now
    await world.advance(by: .seconds(4))
    #expect(ContinuousClock.now - begin >= .milliseconds(200))
    #expect(world.now == .seconds(4))
    #expect(remote.isConnected)
    for value in UInt8(1)...10 {
      remote.setBrightness(value)
      await world.settle()
      #expect(lamp.values.last == value)
    }
    await #expect(throws: WaitError.self) { try await world.wait(within: .seconds(2)) { false } }
    #expect(ContinuousClock.now - begin >= .milliseconds(300))
  }

  @Test("I11.31 an app that takes its clock as an argument sleeps in the world's time, to the nanosecond")
  func injectedClock() async throws {
    let (world, lamp, remote) = Self.makeStory()
    try await world.wait(within: .seconds(10)) { remote.isConnected }
    let begin = world.now
    let clock: any Clock<Duration> = world.continuousClock
    try await world.perform(within: .seconds(7_200)) {
      for value in UInt8(1)...60 {
        try await clock.sleep(for: .seconds(60))
        remote.setBrightness(value)
      }
    }
    #expect(world.now == begin + .seconds(3_600))
    await world.settle()
    #expect(lamp.values == Array(1...60))
  }

  @Test("I11.31 a task that sleeps in the world's time can be cancelled") func cancelling() async throws {
    let world = World(seed: 22)
    let clock = world.continuousClock
    let sleeper = world.start { try await clock.sleep(for: .seconds(60)) }
    await world.advance(by: .seconds(1))
    sleeper.cancel()
    try await world.wait(within: .seconds(1)) { sleeper.isOver }
    #expect(sleeper.error(as: CancellationError.self) != nil)
    await #expect(throws: CancellationError.self) {
      try await world.perform {
        withUnsafeCurrentTask { $0?.cancel() }
        try await clock.sleep(for: .seconds(1))
      }
    }
  }
}
