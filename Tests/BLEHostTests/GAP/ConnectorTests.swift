import BLECore
import Testing

@testable import BLEHost

@Suite struct ConnectorTests {
  /// A controller whose answers the test gives.
  private final class Script: ConnectorDelegate {
    private(set) var initiations: [[DeviceAddress]] = []
    private(set) var cancellations = 0
    private(set) var failures: [(DeviceAddress, EndReason)] = []
    var links: Set<DeviceAddress> = []

    func connector(_ connector: Connector, initiatesTo targets: [DeviceAddress]) { initiations.append(targets) }
    func connectorCancelsInitiation(_ connector: Connector) { cancellations += 1 }
    func connector(_ connector: Connector, didFail address: DeviceAddress, reason: EndReason) {
      failures.append((address, reason))
    }
    func connector(_ connector: Connector, hasLinkTo address: DeviceAddress) -> Bool { links.contains(address) }
  }

  private let script = Script()
  private let loop = VirtualLoop()
  private let devices = (1...5).map { DeviceAddress(UInt64($0), kind: .public) }

  private func connector(capacity: Int) -> Connector {
    let connector = Connector(loop: loop, delegate: script)
    connector.capacity = capacity
    return connector
  }

  @Test("connections requested later are attempted together with the others")
  func whatIsWantedLaterIsLookedForTogetherWithTheRest() {
    let connector = connector(capacity: 8)
    connector.want(devices[0])
    connector.want(devices[1])
    connector.want(devices[2])
    #expect(script.initiations == [[devices[0]]])
    #expect(script.cancellations == 1)
    connector.initiationEnded(nil)
    #expect(script.initiations.last == Array(devices[0...2]))
    connector.initiationEnded(devices[1])
    #expect(script.initiations.last == [devices[0], devices[2]])
    #expect(!connector.isWanted(devices[1]))
  }

  @Test("nothing is attempted while it is paused")
  func whileItIsPausedItLooksForNothing() {
    let connector = connector(capacity: 8)
    connector.want(devices[0])
    connector.setPaused(true)
    #expect(script.cancellations == 1)
    connector.initiationEnded(nil)
    connector.want(devices[1])
    #expect(script.initiations == [[devices[0]]] && !connector.isInitiating && connector.isSearching)
    connector.setPaused(false)
    #expect(script.initiations.last == [devices[0], devices[1]])
  }

  @Test("a postponed connection is not a failed one")
  func whatIsPostponedIsNotFailed() {
    let connector = connector(capacity: 8)
    connector.want(devices[0])
    connector.initiationPostponed()
    #expect(script.failures.isEmpty && connector.isWanted(devices[0]) && script.initiations.count == 1)
    connector.setPaused(false)
    #expect(script.initiations == [[devices[0]], [devices[0]]])
  }

  @Test("devices take turns where the controller's list cannot hold all")
  func theyTakeTurnsWhereTheControllerHoldsNotAll() async {
    let connector = connector(capacity: 2)
    for device in devices { connector.want(device) }
    connector.initiationEnded(nil)
    var seen: Set<DeviceAddress> = []
    for _ in 0..<3 {
      seen.formUnion(script.initiations.last ?? [])
      await loop.run(until: .instant(loop.now + Connector.turn))
      connector.initiationEnded(nil)
    }
    #expect(seen == Set(devices))
  }

  @Test("a link that is made while it is being cancelled counts")
  func aLinkThatComesUpWhileItIsCancelledCounts() {
    let connector = connector(capacity: 1)
    connector.want(devices[0])
    connector.abandon(devices[0])
    #expect(script.cancellations == 1)
    connector.want(devices[1])
    connector.initiationEnded(devices[0])
    #expect(script.initiations == [[devices[0]], [devices[1]]])
    #expect(script.failures.isEmpty)
  }

  @Test("a device with a link is attempted once the link has ended")
  func aDeviceWithALinkIsLookedForOnceTheLinkHasEnded() {
    let connector = connector(capacity: 4)
    script.links = [devices[0]]
    connector.want(devices[0])
    #expect(script.initiations.isEmpty)
    script.links = []
    connector.linksChanged()
    #expect(script.initiations == [[devices[0]]])
  }

  @Test("a refusal fails the attempted connections and no others")
  func aRefusalFailsWhatWasLookedForAndNothingElse() {
    let connector = connector(capacity: 1)
    connector.want(devices[0])
    connector.want(devices[1])
    connector.initiationRefused(.limitReached)
    #expect(script.failures.map(\.0) == [devices[0]])
    #expect(script.initiations.last == [devices[1]])
    connector.initiationEnded(devices[1], error: .refused(code: 0x1F))
    #expect(script.failures.map(\.0) == [devices[0], devices[1]])
    #expect(connector.isIdle)
  }
}
