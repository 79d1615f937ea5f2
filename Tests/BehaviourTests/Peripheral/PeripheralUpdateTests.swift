import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Subscriptions and updates", .keepsCapture)
struct PeripheralUpdateTests {
  private struct Subscribed {
    let pair: Pair
    let line: CBMutableCharacteristic
    var manager: CBPeripheralManager { pair.publisher.manager }

    static func start(
      _ properties: CBCharacteristicProperties = .notify, mtu: Int = 517
    ) async throws -> Subscribed {
      let line = CBMutableCharacteristic("FF22", properties)
      let pair = try await Pair.start([CBMutableService("FF11", [line])], mtu: mtu)
      try await pair.subscribe("FF22")
      return Subscribed(pair: pair, line: line)
    }
  }

  @Test(
    "B7.16 the list of subscribers is up to date when the delegate is called, and a disconnection ends subscriptions")
  func subscriptions() async throws {
    let line = CBMutableCharacteristic("FF22", .notify)
    let other = CBMutableCharacteristic("FF23", .indicate)
    let pair = try await Pair.start([CBMutableService("FF11", [line, other])])
    var lists: [[UUID]] = []
    pair.publisher.onSubscription = { _, characteristic in
      let subscribed = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals ?? []
      lists.append(subscribed.map(\.identifier))
    }
    #expect(line.subscribedCentrals?.isEmpty == true)
    let (tablet, remote) = try await pair.join("tablet")
    try await pair.subscribe("FF22")
    await remote.notify(true, try remote.characteristic("FF22"), in: pair.world)
    await remote.notify(true, try remote.characteristic("FF23"), in: pair.world)
    let (first, second) = (pair.publisher.subscribers[0], pair.publisher.subscribers[1])
    #expect(first !== second && pair.publisher.subscribers[2] === second)
    #expect(lists == [[first.identifier], [first.identifier, second.identifier], [second.identifier]])
    #expect(pair.publisher.told == ["subscribed FF22", "subscribed FF22", "subscribed FF23"])
    pair.publisher.told = []
    try await pair.unsubscribe("FF22")
    #expect(pair.publisher.told == ["unsubscribed FF22"])
    #expect(line.subscribedCentrals == [second])
    tablet.manager.cancelPeripheralConnection(remote)
    await pair.world.advance(by: .seconds(1))
    #expect(pair.publisher.told == ["unsubscribed FF22", "unsubscribed FF22", "unsubscribed FF23"])
    #expect(line.subscribedCentrals?.isEmpty == true && other.subscribedCentrals?.isEmpty == true)
    #expect(lists.suffix(2) == [[], []])
  }

  @Test("B7.16 a central that has vanished is unsubscribed when its link times out")
  func silence() async throws {
    let subscribed = try await Subscribed.start()
    subscribed.pair.phone.cutPower()
    await subscribed.pair.world.advance(by: .seconds(20))
    #expect(subscribed.pair.publisher.told == ["subscribed FF22", "unsubscribed FF22"])
  }

  @Test("I12.5 a central that reconnects before its former link has ended stays subscribed when that ends")
  func formerLink() async throws {
    let subscribed = try await Subscribed.start()
    let (pair, line) = (subscribed.pair, subscribed.line)
    let (world, central) = (pair.world, pair.central)
    // Its controller has lost all links, and the peripheral is not notified.
    pair.phone.resetController()
    try await world.wait(within: .seconds(4)) {
      central.told.contains("state 1") && central.manager.state == .poweredOn
    }
    central.sightings = []
    let start = world.now
    let again = try await central.meet(in: world)
    #expect(world.now - start < .seconds(3))
    again.setNotifyValue(true, for: try again.characteristic("FF22"))
    // The former link ends by its supervision time-out.
    await world.advance(by: .seconds(20))
    central.forget()
    #expect(line.subscribedCentrals?.count == 1)
    #expect(subscribed.manager.updateValue(Data([7]), for: line, onSubscribedCentrals: nil))
    await world.advance(by: .seconds(1))
    #expect(central.values == [Data([7])])
    central.manager.cancelPeripheralConnection(again)
    await world.advance(by: .seconds(1))
    #expect(pair.publisher.told.last == "unsubscribed FF22")
    #expect(line.subscribedCentrals?.isEmpty == true)
  }

  @Test(
    "B7.17 updateValue returns false when the queue is full; then one call comes when there is space, and nothing is lost"
  )
  func fullQueue() async throws {
    let subscribed = try await Subscribed.start()
    let (pair, line) = (subscribed.pair, subscribed.line)
    var next = 0
    // The test and the callbacks alternate.
    func fill(_ manager: CBPeripheralManager) {
      while next < 300, manager.updateValue(Data("value \(next)".utf8), for: line, onSubscribedCentrals: nil) {
        next += 1
      }
    }
    fill(subscribed.manager)
    #expect(next > 0 && next < 300)
    let refused = next
    // Within one run of the loop it stays full.
    #expect(!subscribed.manager.updateValue(Data(), for: line, onSubscribedCentrals: nil))
    await pair.world.settle()
    #expect(pair.publisher.told == ["subscribed FF22", "ready"])
    #expect(pair.central.values == (0..<refused).map { Data("value \($0)".utf8) })
    pair.publisher.reactions["ready"] = { [unowned manager = subscribed.manager] in fill(manager) }
    fill(subscribed.manager)
    await pair.world.settle()
    #expect(next == 300)
    #expect(pair.central.values == (0..<300).map { Data("value \($0)".utf8) })
    // Nothing was refused since: no call is due.
    let count = pair.publisher.told.count
    #expect(subscribed.manager.updateValue(Data([1]), for: line, onSubscribedCentrals: nil))
    await pair.world.settle()
    #expect(pair.publisher.told.count == count)
  }

  @Test("B7.17 a queue that was filled for a central that has left has space again")
  func fullAndGone() async throws {
    let subscribed = try await Subscribed.start()
    let (pair, line) = (subscribed.pair, subscribed.line)
    while subscribed.manager.updateValue(Data(count: 20), for: line, onSubscribedCentrals: nil) {}
    pair.phone.cutPower()
    await pair.world.advance(by: .seconds(20))
    #expect(
      pair.publisher.told == ["subscribed FF22", "ready", "unsubscribed FF22"]
        || pair.publisher.told == ["subscribed FF22", "unsubscribed FF22", "ready"])
    // No subscriber is left: there is nothing to send, and no reason to wait.
    #expect(subscribed.manager.updateValue(Data([1]), for: line, onSubscribedCentrals: nil))
  }

  @Test("B7.18 an update goes to all subscribers or to the chosen ones; others are ignored")
  func chosen() async throws {
    let subscribed = try await Subscribed.start()
    let (pair, line) = (subscribed.pair, subscribed.line)
    let (tablet, remote) = try await pair.join("tablet")
    await remote.notify(true, try remote.characteristic("FF22"), in: pair.world)
    let stranger = try await pair.join("watch")
    await stranger.peripheral.notify(true, try stranger.peripheral.characteristic("FF22"), in: pair.world)
    await stranger.peripheral.notify(false, try stranger.peripheral.characteristic("FF22"), in: pair.world)
    let centrals = pair.publisher.subscribers
    #expect(centrals.count == 3)
    func send(_ number: UInt8, _ chosen: [CBCentral]?) async {
      #expect(subscribed.manager.updateValue(Data([number]), for: line, onSubscribedCentrals: chosen))
      await pair.world.settle()
    }
    await send(1, nil)
    await send(2, [centrals[0]])
    await send(3, [centrals[1]])
    await send(4, [centrals[0], centrals[1], centrals[1]])
    await send(5, [centrals[2]])
    await send(6, [centrals[2], centrals[1]])
    #expect(pair.central.values == [Data([1]), Data([2]), Data([4])])
    #expect(tablet.values == [Data([1]), Data([3]), Data([4]), Data([6])])
    #expect(stranger.central.values.isEmpty)
  }

  @Test(
    "B7.18 values longer than maximumUpdateValueLength are truncated, for each central to its own",
    arguments: [23, 185])
  func cut(_ mtu: Int) async throws {
    let subscribed = try await Subscribed.start(mtu: mtu)
    let (pair, line) = (subscribed.pair, subscribed.line)
    pair.device.setMaximumTransmissionUnit(100)
    let (tablet, remote) = try await pair.join("tablet")
    await remote.notify(true, try remote.characteristic("FF22"), in: pair.world)
    #expect(pair.publisher.subscribers.map(\.maximumUpdateValueLength) == [mtu - 3, 97])
    let value = Data((0..<200).map { UInt8($0) })
    #expect(subscribed.manager.updateValue(value, for: line, onSubscribedCentrals: nil))
    await pair.world.settle()
    #expect(pair.central.values == [value.prefix(mtu - 3)])
    #expect(tablet.values == [value.prefix(97)])
  }

  @Test("B7.18 an indication is an update as well, one after the other")
  func indications() async throws {
    let subscribed = try await Subscribed.start(.indicate)
    for number in UInt8(1)...10 {
      #expect(subscribed.manager.updateValue(Data([number]), for: subscribed.line, onSubscribedCentrals: nil))
    }
    await subscribed.pair.world.settle()
    #expect(subscribed.pair.central.values == (UInt8(1)...10).map { Data([$0]) })
  }
}
