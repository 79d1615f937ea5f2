import BLEGateway
import Testing

/// One keeper, to which a test is the broker and the clock.
@Suite("The keeper of leases")
struct LeaseKeeperTests {
  @Test("I17.3 a free device is claimed, opened when the claim has come back and stood, and then announced")
  func claim() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    #expect(scene.leases.isEmpty)
    scene.pass(.seconds(1))
    #expect(scene.leases.map(\.phase) == [.opening] && scene.opened.isEmpty)
    scene.comeBack()
    scene.pass(.milliseconds(100))
    #expect(scene.opened.isEmpty)
    scene.pass(.milliseconds(150))
    #expect(scene.opened == ["lamp"])
    scene.keeper.opened("lamp", epoch: 1, subscriptions: ["180F/2A19"], at: scene.now)
    scene.take()
    #expect(scene.leases.last?.phase == .held && scene.leases.last?.subscriptions == ["180F/2A19"])
    #expect(scene.keeper.stamp("lamp")?.sequence == 1 && scene.keeper.stamp("lamp")?.sequence == 2)
    #expect(scene.keeper.stamp("lock") == nil)
  }

  @Test("I17.3 of two claims of one epoch the greater counts, whichever comes first", arguments: [true, false])
  func collision(ownFirst: Bool) {
    let scene = KeeperScene()
    scene.claim("lamp")
    let rival = Lease(device: "lamp", holder: scene.instance("zoo"), epoch: 1, expires: .seconds(3))
    if ownFirst { scene.comeBack() }
    scene.receive(.lease(rival))
    if !ownFirst { scene.comeBack() }
    scene.pass(.seconds(2))
    #expect(scene.opened.isEmpty && scene.keeper.lease(of: "lamp") == rival)
  }

  @Test("I17.3 a lesser claim on the topic is replaced by the own one")
  func lesserClaim() {
    let scene = KeeperScene()
    scene.hold("lamp")
    scene.leases = []
    scene.receive(.lease(Lease(device: "lamp", holder: scene.instance("attic"), epoch: 1, expires: .seconds(3))))
    #expect(scene.leases.map(\.phase) == [.held] && scene.keeper.held == ["lamp"])
  }

  @Test("I17.3 nonsense on the topic is replaced once a second at most")
  func nonsense() {
    let scene = KeeperScene()
    scene.hold("lamp")
    scene.leases = []
    for _ in 0..<100 {
      scene.keeper.receive(nil, on: .lease(device: "lamp"), at: scene.now)
      scene.pass(.milliseconds(50))
    }
    #expect((5...7).contains(scene.leases.count))
  }

  @Test("I17.3 a gateway that knows a greater lease than the one on the topic puts it back if its author is gone")
  func forgottenByTheBroker() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    let known = Lease(device: "lamp", holder: scene.instance("zoo"), epoch: 9, phase: .held, expires: .seconds(30))
    scene.receive(.lease(known))
    scene.receive(.lease(Lease(device: "lamp", holder: scene.instance("attic"), epoch: 2, expires: .seconds(3))))
    scene.pass(.milliseconds(1_100))
    #expect(scene.leases == [known])
  }

  @Test("I17.3 a gateway whose network is cut without a sign claims nothing until its own pulses come back")
  func silentCut() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    let zoo = scene.instance("zoo")
    scene.receive(.lease(Lease(device: "lamp", holder: zoo, epoch: 4, phase: .held, expires: .seconds(3))))
    scene.receive(.pulse(GatewayPulse(sender: zoo, number: 1)))
    let pass = { (seconds: Int) in
      for _ in 0..<seconds {
        scene.pass(.seconds(1))
        scene.hear("lamp", -60)
      }
    }
    scene.isCut = true
    pass(10)
    // A claim would wait in the network, and take the device from its holder when it is whole.
    #expect(scene.leases.isEmpty)
    scene.isCut = false
    pass(2)
    #expect(scene.leases.isEmpty)
    scene.receive(.pulse(GatewayPulse(sender: zoo, number: 14)))
    pass(2)
    #expect(scene.leases.isEmpty)
    // Now it is the holder that is gone.
    pass(3)
    #expect(scene.leases.map(\.epoch) == [5])
  }

  @Test(
    "I17.3 the lease of another is not touched while its pulses come, and expires 3 s after the last by the own clock")
  func expiry() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    let zoo = scene.instance("zoo")
    scene.receive(
      .lease(Lease(device: "lamp", holder: zoo, epoch: 4, phase: .held, expires: .seconds(3), strength: -60)))
    for number in 1...20 {
      scene.receive(.pulse(GatewayPulse(sender: zoo, number: number)))
      scene.hear("lamp", -60)
      scene.pass(.seconds(1))
    }
    #expect(scene.leases.isEmpty)
    // A late pulse renews nothing.
    scene.receive(.pulse(GatewayPulse(sender: zoo, number: 12)))
    scene.pass(.milliseconds(1_900))
    #expect(scene.leases.isEmpty)
    scene.pass(.milliseconds(600))
    #expect(scene.leases.map(\.epoch) == [5])
  }

  @Test("I17.3 the last will of a holder frees its devices sooner, and a pulse behind it takes that back")
  func lastWill() {
    for isAlive in [true, false] {
      let scene = KeeperScene()
      scene.hear("lamp", -60)
      let zoo = scene.instance("zoo")
      scene.receive(
        .lease(Lease(device: "lamp", holder: zoo, epoch: 4, phase: .held, expires: .seconds(3), strength: -60)))
      scene.receive(.pulse(GatewayPulse(sender: zoo, number: 1)))
      scene.receive(.pulse(GatewayPulse(sender: zoo, number: 0, isEnd: true)))
      if isAlive { scene.receive(.pulse(GatewayPulse(sender: zoo, number: 2))) }
      scene.pass(.milliseconds(2_200))
      #expect(scene.leases.count == (isAlive ? 0 : 1))
    }
  }

  @Test("I17.3 a process that did not run for ten seconds does not take its own silence for that of others")
  func stall() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    let zoo = scene.instance("zoo")
    scene.receive(
      .lease(Lease(device: "lamp", holder: zoo, epoch: 4, phase: .held, expires: .seconds(3), strength: -60)))
    scene.now += .seconds(10)
    scene.hear("lamp", -60)
    scene.keeper.advance(to: scene.now)
    scene.pass(.milliseconds(1_500))
    scene.receive(.pulse(GatewayPulse(sender: zoo, number: 10)))
    scene.pass(.milliseconds(2_500))
    #expect(scene.leases.isEmpty)
  }

  @Test(
    "I17.3 without a broker devices are kept, or let go when the lease has expired, as the rules say",
    arguments: [true, false])
  func isolation(keeps: Bool) {
    var rules = LeaseRules()
    rules.isolation = keeps ? .keep : .letGo
    let scene = KeeperScene(rules)
    scene.hold("lamp")
    scene.keeper.brokerDisconnected(at: scene.now)
    scene.pass(.seconds(10))
    #expect(scene.keeper.held.isEmpty == !keeps && scene.closed.isEmpty == keeps)
    scene.leases = []
    scene.keeper.brokerConnected(at: scene.now)
    scene.pass(.milliseconds(600))
    // A broker that has forgotten everything gets it back.
    #expect(scene.leases.map(\.phase) == [keeps ? .held : .released])
  }

  @Test("I17.3 a greater lease ends the own one at once, with the holder in the reason")
  func superseded() {
    let scene = KeeperScene()
    scene.hold("lamp")
    let zoo = scene.instance("zoo")
    scene.receive(.lease(Lease(device: "lamp", holder: zoo, epoch: 2, expires: .seconds(3))))
    #expect(scene.closed == [.superseded(by: zoo)] && scene.keeper.stamp("lamp") == nil)
  }

  @Test(
    "I17.3 an offer is accepted only for the next epoch and beyond the hysteresis; then values are sent, and the device released"
  )
  func handover() {
    let scene = KeeperScene()
    scene.hold("lamp", strength: -70)
    let zoo = scene.instance("zoo")
    func offer(_ epoch: Int, _ strength: Double) {
      scene.receive(.offer(LeaseOffer(device: "lamp", candidate: zoo, epoch: epoch, strength: strength)))
    }
    offer(1, -40)
    offer(3, -40)
    offer(2, -63)
    #expect(scene.draining.isEmpty)
    offer(2, -61)
    #expect(scene.draining == ["lamp"] && scene.leases.last?.phase == .draining)
    _ = scene.keeper.stamp("lamp")
    scene.keeper.drained("lamp", epoch: 1, at: scene.now)
    scene.take()
    let last = scene.leases.last
    #expect(last?.phase == .released && last?.successor == zoo && last?.last == 1)
    // It is reserved for the successor, and free when that one does not come.
    scene.hear("lamp", -70)
    scene.pass(.milliseconds(1_900))
    #expect(scene.leases.last == last)
    scene.pass(.seconds(1))
    #expect(scene.leases.last?.epoch == 2)
  }

  @Test("I17.3 a device that flickers between two gateways stays where it is")
  func flicker() {
    let scene = KeeperScene()
    scene.hear("lamp", -60)
    let zoo = scene.instance("zoo")
    scene.receive(
      .lease(Lease(device: "lamp", holder: zoo, epoch: 4, phase: .held, expires: .seconds(3), strength: -68)))
    for second in 1...120 {
      scene.receive(.pulse(GatewayPulse(sender: zoo, number: second)))
      scene.hear("lamp", second % 8 < 4 ? -50 : -75)
      scene.pass(.seconds(1))
    }
    #expect(scene.offers.isEmpty)
    for second in 121...130 {
      scene.receive(.pulse(GatewayPulse(sender: zoo, number: second)))
      scene.hear("lamp", -50)
      scene.pass(.seconds(1))
    }
    #expect(scene.offers.count == 1)
  }

  @Test("I17.3 a device that cannot be opened is released, and claimed again later each time")
  func failures() {
    let scene = KeeperScene()
    var claims: [Duration] = []
    for _ in 0..<600 {
      scene.hear("lamp", -60)
      scene.pass(.milliseconds(500))
      if scene.leases.last?.phase == .opening, !scene.opened.isEmpty || scene.isBack == false {
        if !scene.isBack { claims.append(scene.now) }
        scene.comeBack()
        scene.pass(.milliseconds(250))
        scene.keeper.failed("lamp", epoch: scene.leases.last?.epoch ?? 0, at: scene.now)
        scene.take()
      }
    }
    let pauses = zip(claims.dropFirst(), claims).map { $0 - $1 }
    #expect(pauses.count >= 4 && pauses == pauses.sorted() && scene.leases.last?.phase == .released)
  }

  @Test("I17.3 devices, held devices and instances are bounded")
  func bounds() {
    var rules = LeaseRules()
    (rules.mostDevices, rules.mostHeld) = (100, 3)
    let scene = KeeperScene(rules)
    for number in 0..<1_000 { scene.hear("device-\(number)", -60) }
    #expect(scene.followed.count == 101 && scene.reports == [.tooManyDevices])
    scene.pass(.seconds(1))
    scene.comeBack()
    scene.pass(.milliseconds(250))
    #expect(scene.opened.count == 3)
    scene.pass(.seconds(200))
    #expect(scene.followed.count <= 4 + 3)
  }

  @Test("I17.3 a gateway that ends releases its devices, and says so")
  func end() {
    let scene = KeeperScene()
    scene.hold("lamp")
    scene.keeper.end(at: scene.now)
    scene.take()
    #expect(scene.leases.last?.phase == .released && scene.closed == [.requested])
    #expect(scene.pulses.last?.isEnd == true)
    scene.hear("lamp", -60)
    scene.pass(.seconds(10))
    #expect(scene.leases.last?.phase == .released && scene.keeper.wake == nil)
  }
}
