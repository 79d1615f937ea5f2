import BLECore
import Testing

/// The end of one explored world.
struct TrialResult: Sendable {
  let failure: TrialFailure?
  /// Its devices, in the order of their making.
  let devices: [ExploredDevice]
  /// The time of the world at its end.
  let time: Duration
  let recording: WorldCapture
}

extension WorldTrial {
  /// The body of a test, in a world of its own.
  typealias Body = @Sendable (World) async throws -> Void

  /// Runs `body` in a new world. Issues that it records in its tasks are a failure of the world; they are not reported.
  static func run(
    seed: UInt64, events: [WorldEvent], budget: ExplorationBudget, _ body: @escaping Body
  ) async -> TrialResult {
    let trial = WorldTrial(seed: seed, events: events, budget: budget)
    let world = World(seed: seed, trial: trial)
    await trial.keepingIssues {
      // A task of its own: a body that does not end is left behind.
      let task = Task {
        do {
          try await body(world)
        } catch {
          trial.fail(TrialFailure(error))
        }
        trial.bodyEnded()
      }
      await withTaskCancellationHandler {
        await trial.end()
      } onCancel: {
        task.cancel()
      }
    }
    let devices = world.allDevices.map { device in
      ExploredDevice(
        name: device.name, hasLaunchedPrograms: device.hasLaunchedPrograms, hasBonds: !device.bonds.isEmpty)
    }
    // Conditions and programs may refer to the world.
    world.promises.removeAll()
    for device in world.allDevices { device.releasePrograms() }
    return TrialResult(
      failure: trial.failure, devices: devices, time: world.now, recording: world.recording)
  }

  private func keepingIssues(_ body: @escaping @Sendable () async -> Void) async {
    // Without swift-testing nothing records issues.
    guard let test = Test.current else { return await body() }
    let issues = IssueHandlingTrait.compactMapIssues { [self] issue in
      if issue.isFailure { fail(TrialFailure(issue)) }
      return nil
    }
    try? await issues.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
}
