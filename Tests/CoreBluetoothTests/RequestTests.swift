import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// Answers no request by itself, as it does not implement the methods.
private final class SilentDelegate: Recorder, CBPeripheralManagerDelegate, @unchecked Sendable {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

@Suite("Requests of centrals")
struct RequestTests {
  private let transaction = TransactionIdentifier(rawValue: 7)

  @Test("a read is answered with the value from the offset")
  func read() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    fixture.recorder.onRead = { manager, request in
      #expect(request.characteristic === characteristic)
      #expect(request.central.maximumUpdateValueLength == 182)
      #expect(request.value == nil)
      let value = Data([1, 2, 3, 4, 5])
      if request.offset > value.count {
        manager.respond(to: request, withResult: .invalidOffset)
      } else {
        request.value = value.subdata(in: request.offset..<value.count)
        manager.respond(to: request, withResult: .success)
      }
    }
    for offset in [0, 3, 5, 6] { await fixture.read(offset: offset) }
    let responses = fixture.adapter.peripheral.responses
    #expect(responses.map(\.result) == [0, 0, 0, 7])
    #expect(responses.map(\.value) == [[1, 2, 3, 4, 5], [4, 5], [], []])
  }

  @Test(
    "pending writes without response take bounded room; a write that wants an answer arrives"
  )
  func flood() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    await fixture.adapter.peripheral.tell { events in
      for number in 0..<66_000 {
        let write = LocalWrite(characteristic: identifier, offset: 0, value: [1])
        events.peripheral(
          didReceiveWrites: TransactionIdentifier(rawValue: UInt64(number)), [write], needsResponse: false, from: .first
        )
      }
      let last = LocalWrite(characteristic: identifier, offset: 0, value: [2])
      events.peripheral(
        didReceiveWrites: TransactionIdentifier(rawValue: 70_000), [last], needsResponse: true, from: .second)
    }
    #expect(fixture.recorder.told.count == 65_537)
    #expect(fixture.recorder.told.last == "writes 0:[2]")
    #expect(fixture.adapter.lines.contains("Values of peers dropped: 256."))
  }

  @Test("a batch of writes comes as one, with one central, and its first request answers it")
  func writes() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    fixture.recorder.onWrite = { manager, requests in
      #expect(requests.count == 2)
      #expect(requests[0].central === requests[1].central)
      manager.respond(to: requests[0], withResult: .success)
    }
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    let writes = [
      LocalWrite(characteristic: identifier, offset: 0, value: [1, 2]),
      LocalWrite(characteristic: identifier, offset: 2, value: [3]),
    ]
    await fixture.adapter.peripheral.tell {
      $0.peripheral(didReceiveWrites: transaction, writes, needsResponse: true, from: .first)
    }
    #expect(fixture.recorder.told == ["writes 0:[1, 2] 2:[3]"])
    #expect(fixture.adapter.peripheral.responses.map(\.transaction) == [transaction])
    #expect(fixture.adapter.peripheral.responses.map(\.result) == [0])
  }

  @Test("an application's own error code is sent unchanged")
  func applicationError() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    fixture.recorder.onRead = { manager, request in
      manager.respond(to: request, withResult: CBATTError.Code(rawValue: 0x80)!)
    }
    await fixture.read(offset: 0)
    #expect(fixture.adapter.peripheral.responses.map(\.result) == [0x80])
  }

  @Test(
    "where the delegate has no such method, or there is none, the request is not supported", arguments: [true, false])
  func noMethod(_ hasDelegate: Bool) async throws {
    let adapter = ScriptedAdapter()
    let delegate = SilentDelegate()
    let manager = CBPeripheralManager(
      delegate: hasDelegate ? delegate : nil, queue: delegate.queue, options: adapter.options)
    await adapter.settle()
    manager.add(PeripheralFixture.service(PeripheralFixture.dynamic()))
    await adapter.settle()
    let identifier = adapter.peripheral.characteristic.identifier
    await adapter.peripheral.tell {
      $0.peripheral(didReceiveRead: transaction, of: identifier, offset: 0, from: .first)
      $0.peripheral(
        didReceiveWrites: TransactionIdentifier(rawValue: 8),
        [LocalWrite(characteristic: identifier, offset: 0, value: [])], needsResponse: true, from: .first)
    }
    #expect(adapter.peripheral.responses.map(\.result) == [6, 6])
  }

  @Test("one central is one object")
  func centralIdentity() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    await fixture.adapter.peripheral.subscribe(.first)
    fixture.recorder.onRead = { manager, request in
      #expect(request.central === fixture.recorder.centrals.first)
      manager.respond(to: request, withResult: .success)
    }
    await fixture.read(offset: 0)
    #expect(fixture.recorder.centrals.first?.identifier == PeerIdentifier.first.uuid)
  }
}

@Suite("Subscriptions")
struct SubscriptionTests {
  @Test("the list is up to date when the delegate is called")
  func lists() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    #expect(characteristic.subscribedCentrals?.isEmpty == true)
    await fixture.adapter.peripheral.subscribe(.first)
    await fixture.adapter.peripheral.subscribe(.second)
    let identifier = fixture.adapter.peripheral.characteristic.identifier
    await fixture.adapter.peripheral.tell { $0.peripheral(didUnsubscribe: .first, from: identifier) }
    #expect(fixture.recorder.told == ["subscribed 1", "subscribed 2", "unsubscribed 1"])
    #expect(characteristic.subscribedCentrals?.map(\.identifier) == [PeerIdentifier.second.uuid])
  }

  @Test("the longest value of a central grows with the MTU")
  func length() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    await fixture.adapter.peripheral.subscribe(.second)
    let central = try #require(characteristic.subscribedCentrals?.first)
    #expect(central.maximumUpdateValueLength == 20)
    await fixture.adapter.peripheral.tell {
      $0.peripheral(didUpdate: RemoteCentral(identifier: .second, maximumUpdateValueLength: 514))
    }
    #expect(central.maximumUpdateValueLength == 514)
  }

  @Test("updates go to all or to some, until the queue is full; then once there is space again")
  func updates() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    #expect(fixture.manager.updateValue(Data([0]), for: characteristic, onSubscribedCentrals: nil))
    await fixture.adapter.settle()
    #expect(fixture.adapter.peripheral.updates.isEmpty)
    await fixture.adapter.peripheral.subscribe(.first)
    fixture.recorder.clear()
    var sent: [UInt8] = []
    while fixture.manager.updateValue(
      Data([UInt8(sent.count)]), for: characteristic,
      onSubscribedCentrals: sent.isEmpty ? nil : fixture.recorder.centrals)
    {
      sent.append(UInt8(sent.count))
    }
    #expect(sent.count == 32)
    #expect(!fixture.manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil))
    await fixture.adapter.settle()
    let updates = fixture.adapter.peripheral.updates
    #expect(updates.map(\.value) == sent.map { [$0] })
    #expect(updates[0].centrals == nil)
    #expect(updates[1].centrals == [.first])
    #expect(fixture.recorder.told.isEmpty)
    await fixture.adapter.peripheral.send(32)
    #expect(fixture.recorder.told == ["ready"])
    #expect(fixture.manager.updateValue(Data([99]), for: characteristic, onSubscribedCentrals: nil))
    await fixture.adapter.settle()
    await fixture.adapter.peripheral.send(1)
    #expect(fixture.recorder.told == ["ready"])
  }

  @Test("updates keep their places among the other calls of a program, in batches of any length")
  func places() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = try await fixture.publish()
    await fixture.adapter.peripheral.subscribe(.first)
    let central = try #require(characteristic.subscribedCentrals?.first)
    for round in 0..<3 {
      let first = UInt8(3 * round)
      for value in [[first], [first + 1, 0xFF], []] {
        #expect(fixture.manager.updateValue(Data(value), for: characteristic, onSubscribedCentrals: nil))
      }
      fixture.manager.setDesiredConnectionLatency(.low, for: central)
      fixture.manager.setDesiredConnectionLatency(.high, for: central)
      #expect(fixture.manager.updateValue(Data([first + 2]), for: characteristic, onSubscribedCentrals: [central]))
    }
    await fixture.adapter.settle()
    let peripheral = fixture.adapter.peripheral
    let expected: [[UInt8]] = (0..<3).flatMap { round in
      let first = UInt8(3 * round)
      return [[first], [first + 1, 0xFF], [], [first + 2]]
    }
    #expect(peripheral.updates.map(\.value) == expected)
    #expect(peripheral.updates.map { $0.centrals != nil } == expected.indices.map { $0 % 4 == 3 })
    #expect(peripheral.updatesBeforeLatencies == [3, 3, 7, 7, 11, 11])
  }

  @Test("an unpublished characteristic accepts no update")
  func unpublished() async throws {
    let fixture = await PeripheralFixture()
    #expect(!fixture.manager.updateValue(Data(), for: PeripheralFixture.dynamic(), onSubscribedCentrals: nil))
    #expect(fixture.adapter.lines.contains("is not published by"))
  }
}
