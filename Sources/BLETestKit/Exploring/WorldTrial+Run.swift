import BLECore
import Testing

/// The end of one explored world.
struct TrialResult: Sendable {
  var report: WorldReport
  let recording: WorldCapture
}

extension WorldTrial {
  /// The body of a test, in a world of its own.
  typealias Body = @Sendable (World) async throws -> Void

  /// Whether this task belongs to the body of an explored world.
  @TaskLocal static var isUnderWay = false

  /// Runs `body` in a new world. Issues that it records in its tasks are a failure of the world; they are not reported.
  /// - Parameters:
  ///   - isWatched: whether the process looks after worlds that do not end.
  ///   - begun: called with the world before the body is.
  static func run(
    _ order: WorldOrder, _ body: @escaping Body, isWatched: Bool = false,
    begun: (World) -> Void = { _ in }
  ) async -> TrialResult {
    let trial = WorldTrial(order, isWatched: isWatched)
    let world = World(seed: order.seed, trial: trial)
    begun(world)
    await trial.keepingIssues {
      await $isUnderWay.withValue(true) {
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
    }
    let devices = world.allDevices.map { device in
      ExploredDevice(
        name: device.name, hasLaunchedPrograms: device.hasLaunchedPrograms, hasBonds: !device.bonds.isEmpty)
    }
    let opcodes = Set(world.allDevices.flatMap { $0.radio.value.procedures?.opcodes ?? [] })
    // Conditions and programs may refer to the world.
    world.promises.removeAll()
    for device in world.allDevices { device.releasePrograms() }
    var report = WorldReport(failure: trial.failure, devices: devices, time: world.now, steps: trial.steps)
    report.strikes = trial.stage.strikes
    report.opcodes = opcodes.sorted()
    if report.failure != nil { report.links = LinkSpan.all(in: world) }
    if let failure = trial.failure { world.recording.markFailure(failure.words, at: world.loop.now) }
    if let capture = order.capture {
      report.capturePath = WorldCapture.$folder.withValue(capture.folder) {
        try? world.recording.write(forTest: capture.test)
      }
    }
    return TrialResult(report: report, recording: world.recording)
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
