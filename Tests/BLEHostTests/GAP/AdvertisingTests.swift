import BLEAdapter
import BLECore
import BLEWire
import Testing

@testable import BLEHost

@Suite struct AdvertisingTests {
  private typealias Action = Advertising.Action

  private final class Role {}
  private let first = Role()
  private let second = Role()
  private let settings = Advertising.Settings(interval: .milliseconds(100))
  private let slow = Advertising.Settings(interval: .milliseconds(500))
  private let content = LocalAdvertisement(localName: "My dear")

  private func set(_ handle: UInt8, _ number: Int) -> Advertising.Set {
    Advertising.Set(handle: LEAdvertisingHandle(rawValue: handle), number: number)
  }

  /// The actions without the data that is set.
  private func withoutData(_ actions: [Action]) -> [Action] {
    actions.filter { if case .setData = $0 { false } else { true } }
  }

  private func start(_ request: Int, by role: AnyObject) -> Advertising.Input {
    .start(content, by: ObjectIdentifier(role), request: request)
  }

  /// One that advertises for the first role.
  private func runningAdvertising() -> Advertising {
    var advertising = Advertising()
    _ = advertising.handle(start(1, by: first), settings)
    _ = advertising.handle(.enabled(set(0, 1), .success), settings)
    return advertising
  }

  @Test("a start is answered when the controller has enabled the set")
  func aStartIsAnsweredWhenTheControllerHasEnabledTheSet() {
    var advertising = Advertising()
    let actions = advertising.handle(start(1, by: first), settings)
    #expect(withoutData(actions) == [.setParameters(set(0, 1), interval: .milliseconds(100)), .enable(set(0, 1))])
    #expect(actions.count == 3)
    #expect(advertising.handle(.enabled(set(0, 1), .success), settings) == [.finish(request: 1, nil)])
    #expect(advertising.isAdvertising(for: ObjectIdentifier(first)))
    #expect(advertising.handle(start(2, by: first), settings) == [.finish(request: 2, .alreadyAdvertising)])
  }

  @Test("there are as many advertisements as the controller has sets")
  func thereAreAsManyAsTheControllerHasSets() {
    var advertising = runningAdvertising()
    #expect(advertising.handle(start(2, by: second), settings) == [.finish(request: 2, .outOfSpace)])
    advertising.limit = 2
    #expect(advertising.handle(start(3, by: second), settings).last == .enable(set(1, 2)))
    // A handle is used again; answers of its earlier use are not taken for those of the next.
    #expect(
      advertising.handle(.stop(by: ObjectIdentifier(first)), settings) == [.disable(set(0, 1)), .remove(set(0, 1))])
    #expect(advertising.handle(start(4, by: first), settings).last == .enable(set(0, 3)))
    #expect(advertising.handle(.enabled(set(0, 1), .success), settings) == [])
    #expect(advertising.handle(.refused(set(0, 1), .memoryCapacityExceeded), settings) == [])
    #expect(advertising.handle(.enabled(set(0, 3), .success), settings) == [.finish(request: 4, nil)])
  }

  @Test("a start that is stopped before its answer is answered at once")
  func aStartThatIsStoppedBeforeItsAnswerIsAnsweredAtOnce() {
    var advertising = Advertising()
    _ = advertising.handle(start(1, by: first), settings)
    _ = advertising.handle(start(2, by: first), settings)
    #expect(
      advertising.handle(.stop(by: ObjectIdentifier(first)), settings) == [
        .disable(set(0, 1)), .remove(set(0, 1)), .finish(request: 1, nil),
        .finish(request: 2, .alreadyAdvertising),
      ])
    #expect(advertising.handle(.enabled(set(0, 1), .success), settings) == [])
    #expect(advertising.handle(.stop(by: ObjectIdentifier(first)), settings) == [])
  }

  @Test("a second start waits for the first and is performed if that fails")
  func aSecondStartWaitsForTheFirstAndIsPerformedIfThatFails() {
    var advertising = Advertising()
    _ = advertising.handle(start(1, by: first), settings)
    #expect(advertising.handle(start(2, by: first), settings) == [])
    #expect(advertising.handle(start(3, by: first), settings) == [])
    let actions = advertising.handle(.refused(set(0, 1), .invalidParameters), settings)
    #expect(
      withoutData(actions) == [
        .disable(set(0, 1)), .remove(set(0, 1)),
        .finish(request: 1, .refused(code: HCIErrorCode.invalidParameters.rawValue)),
        .setParameters(set(0, 2), interval: .milliseconds(100)), .enable(set(0, 2)),
      ])
    #expect(
      advertising.handle(.enabled(set(0, 2), .success), settings) == [
        .finish(request: 2, nil), .finish(request: 3, .alreadyAdvertising),
      ])
  }

  @Test(
    "a controller without room refuses a start and pauses what runs",
    arguments: [HCIErrorCode.memoryCapacityExceeded, .limitReached, .connectionLimitExceeded])
  func aControllerWithoutRoomRefusesAStartAndPausesWhatRuns(_ status: HCIErrorCode) {
    var advertising = Advertising()
    _ = advertising.handle(start(1, by: first), settings)
    #expect(advertising.handle(.enabled(set(0, 1), status), settings).last == .finish(request: 1, .outOfSpace))
    advertising = runningAdvertising()
    #expect(advertising.handle(.stoppedByController(nil), settings) == [.enable(set(0, 1))])
    #expect(advertising.handle(.enabled(set(0, 1), status), settings) == [.reportPause(status)])
    #expect(!advertising.isAdvertising(for: ObjectIdentifier(first)))
    // When a link has ended there may be room.
    #expect(advertising.handle(.update, settings) == [.enable(set(0, 1))])
    #expect(advertising.handle(.update, settings) == [])
  }

  @Test("advertising that a central stopped is started again at the present interval")
  func whatACentralStoppedIsStartedAgainAtThePresentInterval() {
    var advertising = runningAdvertising()
    advertising.limit = 2
    _ = advertising.handle(start(2, by: second), settings)
    _ = advertising.handle(.enabled(set(1, 2), .success), settings)
    #expect(
      advertising.handle(.stoppedByController(LEAdvertisingHandle(rawValue: 0)), slow) == [
        .setParameters(set(0, 1), interval: .milliseconds(500)), .enable(set(0, 1)), .disable(set(1, 2)),
        .setParameters(set(1, 2), interval: .milliseconds(500)), .enable(set(1, 2)),
      ])
  }

  @Test("settings that change during a start are applied after it")
  func settingsThatChangeDuringAStartAreAppliedAfterIt() {
    var advertising = Advertising()
    _ = advertising.handle(start(1, by: first), settings)
    #expect(advertising.handle(.update, slow) == [])
    #expect(
      advertising.handle(.enabled(set(0, 1), .success), slow) == [
        .finish(request: 1, nil), .disable(set(0, 1)), .setParameters(set(0, 1), interval: .milliseconds(500)),
        .enable(set(0, 1)),
      ])
  }

  @Test("in the background the name is not sent")
  func inTheBackgroundTheNameIsNotSent() {
    var advertising = runningAdvertising()
    let background = Advertising.Settings(interval: .milliseconds(100), isInBackground: true)
    let actions = advertising.handle(.update, background)
    #expect(withoutData(actions) == [.disable(set(0, 1)), .enable(set(0, 1))])
    let data = ConnectableAdvertisement(inBackground: [])
    #expect(
      actions[1]
        == .setData(set(0, 1), advertisingData: data.advertisingData, scanResponseData: data.scanResponseData))
  }

  @Test("a change of the address pauses what runs only")
  func aChangeOfTheAddressPausesWhatRunsOnly() {
    var advertising = runningAdvertising()
    #expect(advertising.handle(.pause, settings) == [.disable(set(0, 1))])
    #expect(advertising.handle(.resume, settings) == [.setAddress(set(0, 1)), .enable(set(0, 1))])
    _ = advertising.handle(.enabled(set(0, 1), .limitReached), settings)
    #expect(advertising.handle(.pause, settings) == [])
    #expect(advertising.handle(.resume, settings) == [.setAddress(set(0, 1))])
  }

  @Test("manufacturer data is added where there is room and outlives a reset")
  func manufacturerDataIsAddedWhereThereIsRoomAndOutlivesAReset() throws {
    var advertising = runningAdvertising()
    let data = try #require(ManufacturerData(octets: [0x4C, 0x00, 1, 2, 3][...]))
    let plain = ConnectableAdvertisement(localName: "My dear", serviceUUIDs: [])
    let added: [UInt8] = [6, 0xFF, 0x4C, 0x00, 1, 2, 3]
    let expected = Action.setData(
      set(0, 1), advertisingData: plain.advertisingData + added, scanResponseData: plain.scanResponseData)
    #expect(advertising.handle(.setManufacturerData(data), settings) == [expected])
    advertising.reset()
    #expect(!advertising.isAdvertising(for: ObjectIdentifier(first)))
    guard case .setData(_, let sent, _) = advertising.handle(start(2, by: first), settings)[1] else {
      Issue.record("no data is set")
      return
    }
    #expect(sent.suffix(added.count) == added[...])
  }
}
