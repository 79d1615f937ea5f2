import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// How many events peers can make a stack store for a program whose queue is blocked: all of each test happens before the queue runs.
@Suite("Events that wait for a program")
struct BacklogTests {
  /// At most this many events wait for a program, except those caused by its own calls.
  private static let limit = 65_536
  private static let requestLimit = limit + 1_024

  private static func central(_ number: UInt64) -> RemoteCentral {
    RemoteCentral(
      identifier: PeerIdentifier(high: 0x3333_3333_3333_4333, low: 0x8000_0000_0000_0000 | number),
      maximumUpdateValueLength: 20)
  }

  @Test("I11.13 a subscription that is switched on and off takes bounded room, and ends as the client left it")
  func oneSubscription() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    for isOn in [true, false] {
      let countBefore = characteristic.subscribedCentrals?.count ?? 0
      fixture.recorder.clear()
      await fixture.adapter.peripheral.tell { events in
        for _ in 0..<100_000 {
          if isOn {
            events.peripheral(didSubscribe: .first, to: identifier)
            events.peripheral(didUnsubscribe: .first, from: identifier)
          } else {
            events.peripheral(didUnsubscribe: .first, from: identifier)
            events.peripheral(didSubscribe: .first, to: identifier)
          }
        }
        if isOn {
          events.peripheral(didSubscribe: .first, to: identifier)
        } else {
          events.peripheral(didUnsubscribe: .first, from: identifier)
        }
      }
      #expect(countBefore == (isOn ? 0 : 1))
      #expect(fixture.recorder.told.count == Self.limit + 1)
      #expect(characteristic.subscribedCentrals?.count == (isOn ? 1 : 0))
    }
    // Afterwards everything works as before.
    fixture.recorder.clear()
    await fixture.adapter.peripheral.subscribe(.second)
    #expect(fixture.recorder.told == ["subscribed 1"])
  }

  @Test("I11.13 endless clients that subscribe and leave take bounded room, and the one that stays is reported")
  func manyClients() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    await fixture.adapter.peripheral.tell { events in
      for number in UInt64(0)..<100_000 {
        let central = Self.central(number)
        events.peripheral(didSubscribe: central, to: identifier)
        if number != 90_000 { events.peripheral(didUnsubscribe: central, from: identifier) }
        // A larger MTU is not worth more room.
        events.peripheral(didUpdate: central)
      }
    }
    #expect(fixture.recorder.told.count <= Self.limit + 1)
    #expect(fixture.recorder.told.last == "subscribed 1")
    #expect(characteristic.subscribedCentrals?.map(\.identifier) == [Self.central(90_000).identifier.uuid])
  }

  @Test("I11.13 changes made while there was no room are dropped when Bluetooth is switched off")
  func switchedOff() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    await fixture.adapter.peripheral.tell { events in
      for _ in 0..<40_000 {
        events.peripheral(didSubscribe: .first, to: identifier)
        events.peripheral(didUnsubscribe: .first, from: identifier)
      }
      events.peripheral(didSubscribe: .second, to: identifier)
      events.peripheral(didUpdateState: .poweredOff)
    }
    #expect(fixture.recorder.told.count == Self.limit + 1)
    #expect(fixture.recorder.told.last == "state 4")
  }

  @Test(
    "I11.13 requests for which there is no room are refused with Insufficient Resources, and later ones are answered")
  func requests() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    await fixture.adapter.peripheral.tell { events in
      for number in UInt64(0)..<70_000 {
        let transaction = TransactionIdentifier(rawValue: number)
        if number % 2 == 0 {
          events.peripheral(didReceiveRead: transaction, of: identifier, offset: 0, from: .first)
        } else {
          let write = LocalWrite(characteristic: identifier, offset: 0, value: [1])
          events.peripheral(didReceiveWrites: transaction, [write], needsResponse: true, from: .first)
        }
      }
    }
    #expect(fixture.recorder.told.count == Self.requestLimit)
    let refused = fixture.adapter.peripheral.responses
    #expect(refused.count == 70_000 - Self.requestLimit)
    #expect(refused.allSatisfy { $0.result == 0x11 && $0.transaction.rawValue >= UInt64(Self.requestLimit) })
    fixture.recorder.clear()
    await fixture.read(offset: 7)
    #expect(fixture.recorder.told == ["read 7"])
  }

  @Test("I11.13 channels that are opened endlessly are not accepted beyond a bounded number")
  func channels() async throws {
    final class Channel: PeerChannel {
      let multiplexer = ProtocolServiceMultiplexer(0x80)
      weak var events: (any PeerChannelEvents)?
      func send(_ octets: [UInt8], sent: @escaping () -> Void) {}
      func consume(_ count: Int) {}
      func close() {}
    }
    let fixture = await PeripheralFixture()
    var (taken, refused) = (0, 0)
    let count = LoopBound({ (isTaken: Bool) in if isTaken { taken += 1 } else { refused += 1 } })
    await fixture.adapter.peripheral.tell { events in
      for _ in 0..<10_000 {
        let channel = Channel()
        events.peripheral(didOpen: channel, from: .first)
        count.value(channel.events != nil)
      }
    }
    #expect(taken == 4_096 && refused == 10_000 - 4_096)
  }

  @Test("I11.13 peers that connect and leave endlessly take bounded room of every program that scans or connects")
  func links() async {
    let central = await CentralFixture()
    central.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
    let battery = BLEUUID(UInt16(0x180F))
    await central.adapter.settle()
    await central.adapter.central.tell { events in
      for number in UInt64(0)..<100_000 {
        let peer = KnownPeer(
          identifier: Self.central(number).identifier, address: DeviceAddress(number, kind: .public), name: nil)
        events.central(linkDidChange: peer, isConnected: true, services: [battery])
        if number != 90_000 { events.central(linkDidChange: peer, isConnected: false, services: [battery]) }
      }
    }
    #expect(central.recorder.told.count == Self.limit + 1)
    #expect(central.recorder.told.last == "event 1")
  }
}
