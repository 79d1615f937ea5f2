import BLEAdapter
import BLEHCI
import Testing

@testable import BLEHost

@Suite struct PowerMachineTests {
  private static let unplugged = TransportError(.unreachable, "unplugged")
  private let features: ControllerFeatures

  /// Takes the features that a simulated controller reports.
  init() async throws {
    let world = StackWorld()
    let device = world.makeDevice(1)
    try await world.wait { device.stack.controller.features != nil }
    features = try #require(device.stack.controller.features)
  }

  private func machine(isSwitchedOn: Bool = true, isPermitted: Bool = true) -> PowerMachine {
    PowerMachine(isSwitchedOn: isSwitchedOn, isPermitted: isPermitted)
  }

  /// A machine whose controller is in use.
  private func runningMachine() -> PowerMachine {
    var machine = machine()
    _ = machine.handle(.start)
    _ = machine.handle(.controller(.starting))
    _ = machine.handle(.controller(.ready(features)))
    _ = machine.handle(.bondsLoaded(preparation: 1))
    return machine
  }

  @Test("the controller is used once the bonds are loaded")
  func theControllerIsUsedOnceTheBondsAreLoaded() {
    var machine = machine()
    #expect(machine.handle(.start) == [.startController])
    #expect(machine.handle(.controller(.starting)) == [])
    #expect(machine.handle(.controller(.ready(features))) == [.prepare(features, preparation: 1)])
    #expect(!machine.isRunning && machine.reported == .unknown)
    #expect(machine.handle(.bondsLoaded(preparation: 1)) == [.run(features), .report(.poweredOn)])
    #expect(machine.isRunning && machine.phase == .up)
  }

  @Test("bonds that were loaded for an earlier controller are ignored")
  func bondsThatWereLoadedForAnEarlierControllerAreIgnored() {
    var machine = machine()
    _ = machine.handle(.start)
    _ = machine.handle(.controller(.ready(features)))
    _ = machine.handle(.controller(.resetting(.hardwareError(code: 1))))
    #expect(machine.handle(.bondsLoaded(preparation: 1)) == [])
    #expect(machine.handle(.controller(.ready(features))) == [.prepare(features, preparation: 2)])
    #expect(machine.handle(.bondsLoaded(preparation: 1)) == [])
    #expect(machine.handle(.bondsLoaded(preparation: 2)).first == .run(features))
  }

  @Test("links end before the controller is stopped")
  func linksEndBeforeTheControllerIsStopped() {
    var machine = runningMachine()
    #expect(
      machine.handle(.setSwitchedOn(false)) == [.endLinks, .report(.poweredOff)])
    #expect(machine.phase == .stopping && !machine.isRunning)
    #expect(machine.handle(.linksEnded) == [.stopController])
    #expect(machine.phase == .down)
    #expect(machine.handle(.controller(.stopped)) == [.endConnections])
    // A second report of the end of the links changes nothing.
    #expect(machine.handle(.linksEnded) == [])
  }

  @Test("links that do not end delay the stop only up to the limit")
  func linksThatDoNotEndDelayTheStopOnlyUpToTheLimit() {
    var machine = runningMachine()
    _ = machine.handle(.setPermitted(false))
    #expect(machine.reported == .unauthorized)
    #expect(machine.handle(.linksEnded) == [.stopController])
    #expect(machine.phase == .down)
  }

  @Test("switching on while links are being ended starts the controller again afterwards")
  func switchingOnWhileLinksAreBeingEndedStartsTheControllerAgainAfterwards() {
    var machine = runningMachine()
    _ = machine.handle(.setSwitchedOn(false))
    #expect(machine.handle(.setSwitchedOn(true)) == [])
    #expect(machine.handle(.linksEnded) == [.stopController, .startController])
    // What the stop and the start lead to, in this order.
    #expect(machine.handle(.controller(.stopped)) == [.endConnections])
    #expect(machine.handle(.controller(.starting)) == [])
    #expect(machine.handle(.controller(.ready(features))) == [.prepare(features, preparation: 2)])
    #expect(machine.handle(.bondsLoaded(preparation: 2)) == [.run(features), .report(.poweredOn)])
  }

  @Test("a controller lost in use ends everything and is resetting")
  func aControllerLostInUseEndsEverythingAndIsResetting() {
    var machine = runningMachine()
    #expect(
      machine.handle(.controller(.resetting(.hardwareError(code: 1)))) == [
        .endEverything(isLost: true), .endConnections, .report(.resetting),
      ])
    #expect(machine.handle(.controller(.starting)) == [])
    #expect(
      machine.handle(.controller(.failed(.transport(Self.unplugged)))) == [
        .endConnections, .report(.unsupported),
      ])
    // Switching on retries.
    #expect(machine.handle(.setSwitchedOn(true)) == [.startController])
  }

  @Test("a controller lost while links are being ended stops")
  func aControllerLostWhileLinksAreBeingEndedStops() {
    var machine = runningMachine()
    _ = machine.handle(.setSwitchedOn(false))
    #expect(
      machine.handle(.controller(.resetting(.hardwareError(code: 1)))) == [
        .endConnections, .stopController,
      ])
    #expect(machine.phase == .down)
  }

  @Test("a controller lost while links are being ended is not resetting when it is started again")
  func aControllerLostWhileLinksAreBeingEndedIsNotResettingWhenItIsStartedAgain() {
    var machine = runningMachine()
    _ = machine.handle(.setSwitchedOn(false))
    #expect(machine.handle(.setSwitchedOn(true)) == [])
    #expect(
      machine.handle(.controller(.resetting(.hardwareError(code: 1)))) == [
        .endConnections, .stopController, .startController,
      ])
    #expect(machine.handle(.controller(.stopped)) == [.endConnections])
    #expect(machine.handle(.controller(.starting)) == [])
    #expect(machine.reported == .poweredOff)
  }

  @Test(
    "An adapter that was never there is missing; one that was in use counts as off while it is away",
    arguments: [
      (TransportError(.unreachable, ""), AdapterState.unsupported, AdapterState.poweredOff),
      (TransportError(.switchedOff, ""), .poweredOff, .poweredOff),
      (TransportError(.notPermitted, ""), .unauthorized, .unauthorized),
    ])
  func waiting(_ cause: TransportError, _ before: AdapterState, _ after: AdapterState) {
    var machine = machine()
    _ = machine.handle(.start)
    #expect(machine.handle(.controller(.waiting(cause))) == [.endConnections, .report(before)])
    var used = runningMachine()
    #expect(
      used.handle(.controller(.waiting(cause))) == [.endEverything(isLost: true), .endConnections, .report(after)])
  }

  @Test("the settings come before the controller's state")
  func theSettingsComeBeforeTheControllersState() {
    var machine = machine(isSwitchedOn: false, isPermitted: false)
    #expect(machine.handle(.start) == [.report(.unauthorized)])
    #expect(machine.handle(.setPermitted(true)) == [.report(.poweredOff)])
    #expect(machine.handle(.setSwitchedOn(true)) == [.startController])
  }

  @Test("a refused controller is stopped and not started again")
  func aRefusedControllerIsStoppedAndNotStartedAgain() {
    var machine = machine()
    _ = machine.handle(.start)
    _ = machine.handle(.controller(.ready(features)))
    let actions = machine.handle(.refused)
    #expect(actions == [.stopController, .report(.unsupported)])
    #expect(machine.handle(.controller(.stopped)) == [.endConnections])
    #expect(machine.handle(.setSwitchedOn(true)) == [])
  }

  @Test("a shutdown waits for sent data, then for the links, and is permanent")
  func aShutdownWaitsForSentDataThenForTheLinksAndIsPermanent() {
    var machine = runningMachine()
    #expect(machine.handle(.shutDown) == [.drainLinks])
    #expect(machine.isRunning)
    #expect(machine.handle(.linksDrained) == [.endLinks])
    #expect(machine.handle(.linksEnded) == [.stopController])
    #expect(machine.handle(.setSwitchedOn(true)) == [])
    // A second one has nothing to wait for.
    #expect(machine.handle(.shutDown) == [.stopController])
  }

  @Test("a stack that is abandoned reports nothing")
  func aStackThatIsAbandonedReportsNothing() {
    var machine = runningMachine()
    #expect(machine.handle(.abandon) == [.stopController])
    #expect(machine.handle(.controller(.stopped)) == [.endEverything(isLost: false), .endConnections])
    #expect(machine.reported == .unknown && !machine.isRunning)
    #expect(machine.handle(.start) == [])
  }
}
