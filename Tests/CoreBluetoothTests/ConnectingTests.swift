import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("Connecting")
struct ConnectingTests {
  @Test("is connecting immediately and connected when the delegate is called")
  func connect() async throws {
    let central = await CentralFixture()
    let peripheral = try await central.found()
    central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 2])
    #expect(peripheral.state == .connecting)
    await central.adapter.settle()
    #expect(peripheral.state == .connecting)
    #expect(central.adapter.central.connects.map(\.options.startDelay) == [.seconds(2)])
    let link = ScriptedLink(.first, central.adapter)
    await central.adapter.central.tell { $0.central(didConnect: .of(.first, name: "Read"), link: link) }
    #expect(central.recorder.told == ["connected"])
    #expect(central.recorder.states == [.connected])
    #expect(peripheral.name == "Read")
  }

  @Test("once more on a connected peripheral is reported once more, without asking the stack")
  func again() async throws {
    let central = await CentralFixture()
    let link = ScriptedLink(.first, central.adapter)
    let peripheral = try await central.connected(link)
    central.manager.connect(peripheral)
    await central.adapter.settle()
    #expect(central.recorder.told == ["connected"])
    #expect(central.adapter.central.connects.count == 1)
  }

  @Test("that crosses a power-off is dropped, and does not obstruct the next one")
  func crossing() async throws {
    let central = await CentralFixture()
    let peripheral = try await central.found()
    // The state changes on the loop first, and the program is notified only after it has made its call.
    central.adapter.loop.submit(from: .common) { [adapter = central.adapter] in
      adapter.central.events?.central(didUpdateState: .poweredOff)
    }
    central.manager.connect(peripheral)
    await central.adapter.settle()
    #expect(central.adapter.central.connects.isEmpty)
    #expect(peripheral.state == .disconnected)
    await central.adapter.setState(.poweredOn)
    await central.adapter.settle()
    central.manager.connect(peripheral)
    await central.adapter.settle()
    #expect(central.adapter.central.connects.count == 1)
  }

  @Test("that fails reports why, and leaves the peripheral disconnected")
  func failure() async throws {
    let central = await CentralFixture()
    let peripheral = try await central.found()
    let reasons: [(EndReason, CBError.Code)] = [
      (.failedToEstablish, .connectionFailed), (.refused(code: 0x3B), .connectionFailed),
      (.limitReached, .connectionLimitReached), (.bondLost, .peerRemovedPairingInformation),
      (.timedOut, .connectionTimeout),
    ]
    for (reason, code) in reasons {
      central.recorder.clear()
      central.manager.connect(peripheral)
      await central.adapter.settle()
      await central.adapter.central.tell { $0.central(didFailToConnect: .first, reason: reason) }
      #expect(central.recorder.told == ["failed"])
      #expect((central.recorder.errors.first as? CBError)?.code == code)
      #expect(peripheral.state == .disconnected)
    }
  }

  @Test(
    "that ends reports why",
    arguments: [
      (EndReason.lost, CBError.Code.connectionTimeout, "The connection has timed out unexpectedly."),
      (.closedByPeer, .peripheralDisconnected, "The specified device has disconnected from us."),
      (.failedToEstablish, .connectionFailed, "The connection has failed unexpectedly."),
    ])
  func loss(_ reason: EndReason, _ code: CBError.Code, _ text: String) async throws {
    let fixture = try await ConnectedFixture()
    await fixture.adapter.central.tell { $0.central(didDisconnect: .first, reason: reason) }
    #expect(fixture.recorder.told == ["disconnected"])
    let error = try #require(fixture.recorder.errors.first)
    #expect((error as? CBError)?.code == code)
    #expect((error as NSError).domain == CBErrorDomain)
    #expect(error.localizedDescription == text)
    #expect(fixture.recorder.states.last == .disconnected)
  }

  @Test("invalidates discovered objects when it ends, and new objects work after a new connection")
  func invalidation() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.characteristic.isNotifying)
    await fixture.adapter.central.tell { $0.central(didDisconnect: .first, reason: .lost) }
    #expect(!fixture.characteristic.isNotifying)
    #expect(fixture.peripheral.services == nil)
    fixture.recorder.clear()
    fixture.central.manager.connect(fixture.peripheral)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["connected"])
    fixture.peripheral.readValue(for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.codes == [CBATTError.invalidHandle.rawValue])
    fixture.peripheral.discoverServices(nil)
    await fixture.adapter.settle()
    #expect(fixture.peripheral.services?.count == 2)
  }

  @Test("that is cancelled ends without an error, whether it was pending or made", arguments: [false, true])
  func cancel(_ isThere: Bool) async throws {
    let central = await CentralFixture()
    if isThere { _ = ScriptedLink(.first, central.adapter) }
    let peripheral = try await central.found()
    central.manager.connect(peripheral)
    await central.adapter.settle()
    central.recorder.clear()
    central.manager.cancelPeripheralConnection(peripheral)
    #expect(peripheral.state == .disconnecting)
    await central.adapter.settle()
    #expect(central.recorder.told == ["disconnected"])
    #expect(central.recorder.errors.isEmpty)
    #expect(peripheral.state == .disconnected)
    central.manager.cancelPeripheralConnection(peripheral)
    await central.adapter.settle()
    #expect(central.recorder.told == ["disconnected"])
  }

  @Test("right after cancelling starts again when that has finished")
  func cancelAndConnect() async throws {
    let fixture = try await ConnectedFixture()
    fixture.central.manager.cancelPeripheralConnection(fixture.peripheral)
    fixture.central.manager.connect(fixture.peripheral)
    #expect(fixture.peripheral.state == .connecting)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["disconnected", "connected"])
    #expect(fixture.peripheral.state == .connected)
  }

  @Test("leaves no answers to pending operations when it ends")
  func pendingOperations() async throws {
    let fixture = try await ConnectedFixture()
    fixture.link.isHolding = true
    fixture.peripheral.readValue(for: fixture.characteristic)
    fixture.peripheral.readRSSI()
    await fixture.adapter.settle()
    await fixture.adapter.central.tell { $0.central(didDisconnect: .first, reason: .lost) }
    await fixture.link.releaseAnswers()
    #expect(fixture.recorder.told == ["disconnected"])
  }

  @Test("is cancelled with Apple's line in the log when the program does not retain the peripheral")
  func unused() async throws {
    let central = await CentralFixture()
    do {
      let peripheral = try await central.found()
      central.recorder.found = []
      central.manager.connect(peripheral)
    }
    await central.adapter.settle()
    #expect(central.adapter.central.cancelled == [.first])
    #expect(central.adapter.lines.contains("API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: 0x"))
    #expect(central.adapter.lines.contains("state = connecting>, Did you forget to keep a reference to it?"))
    #expect(central.recorder.told.isEmpty)
  }

  @Test("ends silently when Bluetooth is switched off; after that the same object works again")
  func powerOff() async throws {
    let fixture = try await ConnectedFixture()
    await fixture.adapter.setState(.poweredOff)
    #expect(fixture.recorder.told == ["state 4"])
    #expect(fixture.peripheral.state == .disconnected)
    await fixture.adapter.setState(.poweredOn)
    fixture.central.manager.connect(fixture.peripheral)
    await fixture.adapter.settle()
    #expect(fixture.peripheral.state == .connected)
  }

  @Test("always fails for objects from before a reset")
  func reset() async throws {
    let fixture = try await ConnectedFixture()
    await fixture.adapter.setState(.resetting)
    await fixture.adapter.setState(.poweredOn)
    fixture.central.manager.connect(fixture.peripheral)
    await fixture.adapter.settle()
    #expect(fixture.peripheral.state == .disconnected)
    #expect(fixture.adapter.lines.contains("is not valid any more"))
    let again = try await fixture.central.found()
    #expect(again !== fixture.peripheral)
    #expect(again.identifier == fixture.peripheral.identifier)
  }

  @Test("with a start delay and automatic reconnection together is refused")
  func contradiction() async throws {
    let central = await CentralFixture()
    let peripheral = try await central.found()
    central.manager.connect(
      peripheral,
      options: [CBConnectPeripheralOptionStartDelayKey: 1, CBConnectPeripheralOptionEnableAutoReconnect: true])
    await central.adapter.settle()
    #expect(central.recorder.told == ["failed"])
    #expect((central.recorder.errors.first as? CBError)?.code == .invalidParameters)
    #expect(peripheral.state == .disconnected)
  }
}
