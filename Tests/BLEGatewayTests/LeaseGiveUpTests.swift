import BLEGateway
import Testing

/// A device that its gateway does not want any more, as a reload of the configuration has it.
@Suite("The keeper of leases gives devices up")
struct LeaseGiveUpTests {
  private let scene = KeeperScene()

  private func giveUp() {
    scene.keeper.giveUp("lamp", at: scene.now)
    scene.take()
  }

  private var isFollowed: Bool { scene.followed.contains(.lease(device: "lamp")) }

  @Test("I17.3 a device that is given up is released with the number of its last value, and then forgotten")
  func held() {
    scene.hold("lamp")
    for _ in 0..<3 { _ = scene.keeper.stamp("lamp") }
    giveUp()
    #expect(scene.leases.last?.phase == .released && scene.leases.last?.last == 3)
    #expect(scene.closed == [.requested] && scene.keeper.stamp("lamp") == nil && isFollowed)
    scene.comeBack()
    scene.pass(.seconds(2))
    #expect(!isFollowed && scene.keeper.lease(of: "lamp") == nil)
    let count = scene.leases.count
    scene.pass(.seconds(300))
    #expect(scene.leases.count == count)
  }

  @Test("I17.3 a release that does not come back is published again, until it has")
  func lost() {
    scene.hold("lamp")
    giveUp()
    let count = scene.leases.count
    scene.pass(.seconds(7))
    #expect((2...4).contains(scene.leases.count - count) && scene.leases.last?.phase == .released && isFollowed)
    scene.comeBack()
    scene.pass(.seconds(2))
    #expect(!isFollowed)
  }

  @Test("I17.3 a device that is given up without a broker is released when there is one, whatever time has passed")
  func isolated() {
    scene.hold("lamp")
    _ = scene.keeper.stamp("lamp")
    scene.keeper.brokerDisconnected(at: scene.now)
    giveUp()
    #expect(scene.leases.last?.phase == .held && scene.keeper.held.isEmpty)
    scene.pass(.seconds(1_000))
    scene.keeper.brokerConnected(at: scene.now)
    scene.take()
    scene.pass(.seconds(1))
    #expect(scene.leases.last?.phase == .released && scene.leases.last?.last == 1)
    scene.comeBack()
    scene.pass(.seconds(2))
    #expect(!isFollowed)
  }

  @Test("I17.3 a device that is lost without a broker, and not heard any more, is released when there is one")
  func lostWithoutBroker() {
    scene.hold("lamp")
    scene.keeper.brokerDisconnected(at: scene.now)
    scene.keeper.lost("lamp", epoch: 1, at: scene.now)
    scene.take()
    scene.pass(.seconds(1_000))
    scene.keeper.brokerConnected(at: scene.now)
    scene.take()
    scene.pass(.seconds(1))
    #expect(scene.leases.last?.phase == .released)
    scene.comeBack()
    scene.pass(.seconds(200))
    #expect(!isFollowed)
  }

  @Test("I17.3 a claim that is on its way when the device is given up is released, before and behind it")
  func claiming() {
    scene.claim("lamp")
    giveUp()
    #expect(scene.leases.map(\.phase) == [.opening, .released] && scene.leases.last?.last == 0)
    scene.comeBack()
    scene.pass(.seconds(2))
    #expect(scene.opened.isEmpty && !isFollowed)
  }

  @Test("I17.3 a claim that comes back late is released also when the device was given up in between")
  func lateClaim() {
    scene.claim("lamp")
    let claim = scene.leases
    scene.isCut = true
    // The claim is not waited for any longer.
    scene.pass(.seconds(4))
    giveUp()
    scene.pass(.seconds(1))
    scene.isCut = false
    for lease in claim { scene.receive(.lease(lease)) }
    scene.pass(.seconds(2))
    #expect(scene.leases.last?.phase == .released && scene.opened.isEmpty)
    scene.comeBack()
    scene.pass(.seconds(3))
    #expect(!isFollowed)
  }

  @Test("I17.3 the count of an earlier epoch is not that of a claim that is given up")
  func countOfEarlierEpoch() {
    scene.hold("lamp")
    for _ in 0..<5 { _ = scene.keeper.stamp("lamp") }
    scene.keeper.lost("lamp", epoch: 1, at: scene.now)
    scene.take()
    scene.comeBack()
    scene.pass(.seconds(6))
    scene.claim("lamp")
    #expect(scene.leases.last?.epoch == 2 && scene.leases.last?.phase == .opening)
    giveUp()
    #expect(scene.leases.last?.phase == .released && scene.leases.last?.last == 0)
  }

  @Test("I17.3 a device that is heard again is claimed again, also before its release has come back, in a later epoch")
  func again() {
    scene.hold("lamp")
    _ = scene.keeper.stamp("lamp")
    giveUp()
    scene.claim("lamp")
    scene.comeBack()
    scene.pass(.milliseconds(250))
    #expect(scene.opened == ["lamp", "lamp"])
    scene.keeper.opened("lamp", epoch: 2, subscriptions: [], at: scene.now)
    scene.take()
    #expect(scene.keeper.stamp("lamp").map { [$0.epoch, $0.sequence] } == [2, 1])
  }

  @Test("I17.3 an epoch is not used again when a device was forgotten here and by the broker")
  func forgotten() {
    scene.hold("lamp")
    giveUp()
    scene.comeBack()
    scene.pass(.seconds(2))
    #expect(!isFollowed)
    scene.claim("lamp")
    #expect(scene.leases.last?.epoch == 2)
  }

  @Test("I17.3 the lease of another gateway is left alone when the device is given up")
  func another() {
    scene.hear("lamp", -60)
    let known = Lease(
      device: "lamp", holder: scene.instance("zoo"), epoch: 9, phase: .held, expires: .seconds(30), strength: -60)
    scene.receive(.lease(known))
    giveUp()
    scene.pass(.seconds(3))
    #expect(scene.leases.isEmpty && !isFollowed)
  }
}
