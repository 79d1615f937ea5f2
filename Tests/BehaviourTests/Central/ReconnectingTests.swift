import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// The calls of a delegate, and the objects that must be retained: managers and peripherals are released without a reference.
///
/// `@unchecked Sendable`: callbacks come on one serial queue, and the tests look only while the world is not running.
private class Listener: NSObject, @unchecked Sendable {
  var told: [String] = []
  var kept: [AnyObject] = []
}

/// A delegate with the newer of the two disconnect callbacks.
private final class NewerDelegate: Listener, CBCentralManagerDelegate, @unchecked Sendable {
  var timestamps: [CFAbsoluteTime] = []
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { told.append("connected") }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    timestamps.append(timestamp)
    told.append("newer \(isReconnecting) \((error as? CBError)?.errorCode ?? 0) \(peripheral.state.rawValue)")
  }
}

/// A delegate with both.
private final class BothDelegate: Listener, CBCentralManagerDelegate, @unchecked Sendable {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { told.append("connected") }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { told.append("older \((error as? CBError)?.errorCode ?? 0)") }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { told.append("newer") }
}

@Suite("Behaviour 3: the two disconnect callbacks", .keepsCapture)
struct CentralReconnectingTests {
  /// The tag of a meeting, connected by a manager with this delegate, with automatic reconnection.
  private func connect(
    _ delegate: any Listener & CBCentralManagerDelegate,
    _ options: [String: Any] = [CBConnectPeripheralOptionEnableAutoReconnect: true]
  ) async throws -> (Meeting, CBCentralManager, CBPeripheral) {
    let meeting = try await Meeting.withTag()
    let manager = CBCentralManager(
      delegate: delegate, queue: DispatchQueue(label: "reconnecting"), options: meeting.phone.options)
    await meeting.world.settle()
    let found = try #require(manager.retrievePeripherals(withIdentifiers: [meeting.found.identifier]).first)
    delegate.kept = [manager, found]
    manager.connect(found, options: options)
    try await meeting.world.wait(within: .seconds(5)) { found.state == .connected }
    await meeting.world.settle()
    return (meeting, manager, found)
  }

  @Test(
    "B3.14 the older callback is called where it is implemented, the newer where it is missing",
    arguments: [true, false])
  func choice(hasOlder: Bool) async throws {
    let (newer, both) = (NewerDelegate(), BothDelegate())
    let (meeting, _, _) = try await connect(hasOlder ? both : newer, [:])
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(5))
    #expect(both.told == (hasOlder ? ["connected", "older 7"] : []))
    #expect(newer.told == (hasOlder ? [] : ["connected", "newer false 7 0"]))
  }

  @Test("B3.15 with the option a lost connection is restored automatically, until it is cancelled")
  func comesBack() async throws {
    let delegate = NewerDelegate()
    let (meeting, manager, found) = try await connect(delegate)
    meeting.tag?.cutPower()
    await meeting.world.advance(by: .seconds(600))
    #expect(delegate.told == ["connected", "newer true 6 1"] && found.state == .connecting)
    meeting.tag?.restorePower()
    meeting.tag?.advertise(Advertisement.named("tag"))
    await meeting.world.advance(by: .seconds(20))
    #expect(delegate.told.last == "connected" && found.state == .connected)
    // A second time: the option stays.
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(20))
    #expect(delegate.told.suffix(2) == ["newer true 7 1", "connected"])
    manager.cancelPeripheralConnection(found)
    await meeting.world.advance(by: .seconds(20))
    #expect(delegate.told.last == "newer false 0 0" && found.state == .disconnected)
  }

  @Test("B3.15 while it is reconnecting it can be cancelled")
  func cancelReconnection() async throws {
    let delegate = NewerDelegate()
    let (meeting, manager, found) = try await connect(delegate)
    meeting.tag?.cutPower()
    await meeting.world.advance(by: .seconds(30))
    manager.cancelPeripheralConnection(found)
    await meeting.world.advance(by: .seconds(5))
    meeting.tag?.restorePower()
    await meeting.world.advance(by: .seconds(30))
    #expect(delegate.told == ["connected", "newer true 6 1", "newer false 0 0"] && found.state == .disconnected)
  }

  @Test("B3.15 with the older callback there is no automatic reconnection")
  func olderStays() async throws {
    let delegate = BothDelegate()
    let (meeting, _, found) = try await connect(delegate)
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(60))
    #expect(delegate.told == ["connected", "older 7"] && found.state == .disconnected)
  }

  @Test("B3.16 the time of a disconnection is in seconds since 2001")
  func timestamp() async throws {
    let before = Date().timeIntervalSinceReferenceDate
    let delegate = NewerDelegate()
    let (meeting, _, _) = try await connect(delegate, [:])
    meeting.tag?.disconnect()
    await meeting.world.advance(by: .seconds(5))
    let timestamp = try #require(delegate.timestamps.first)
    #expect(timestamp >= before - 10 && timestamp <= Date().timeIntervalSinceReferenceDate)
  }
}
