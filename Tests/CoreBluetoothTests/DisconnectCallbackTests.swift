import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// Delegates with the newer of the two disconnect callbacks, with both, and with neither.
private class NewDelegate: Recorder, CBCentralManagerDelegate, @unchecked Sendable {
  var peripheral: CBPeripheral?
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connected") }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    let isRecent = abs(CFAbsoluteTimeGetCurrent() - timestamp) < 60
    note("new \(isReconnecting) \(peripheral.state == .connecting) \(isRecent)", error)
  }
}

private final class BothDelegate: Recorder, CBCentralManagerDelegate, @unchecked Sendable {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connected") }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note("old", error) }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { note("new", error) }
}

private final class NeitherDelegate: Recorder, CBCentralManagerDelegate, @unchecked Sendable {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connected") }
}

@Suite("The two disconnect callbacks")
struct DisconnectCallbackTests {
  /// The calls of `delegate` when a connection is lost, with automatic reconnection; and whether the peripheral is connected
  /// again then.
  private func lose(
    _ delegate: any Recorder & CBCentralManagerDelegate, reconnects: Bool = true
  ) async throws -> (adapter: ScriptedAdapter, manager: CBCentralManager, peripheral: CBPeripheral) {
    let adapter = ScriptedAdapter()
    _ = ScriptedLink(.first, adapter)
    adapter.known = [.of(.first)]
    let manager = CBCentralManager(delegate: delegate, queue: delegate.queue, options: adapter.options)
    await adapter.settle()
    let peripheral = try #require(
      manager.retrievePeripherals(withIdentifiers: [PeerIdentifier.first.uuid]).first)
    manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: reconnects])
    await adapter.settle()
    delegate.clear()
    await adapter.central.tell { $0.central(didDisconnect: .first, reason: .lost) }
    return (adapter, manager, peripheral)
  }

  @Test("the newer one is called where the older is missing, and the connection is restored automatically")
  func newer() async throws {
    let delegate = NewDelegate()
    let (adapter, manager, peripheral) = try await lose(delegate)
    #expect(delegate.told == ["new true true true", "connected"])
    #expect(delegate.codes == [CBError.connectionTimeout.rawValue])
    #expect(peripheral.state == .connected)
    manager.cancelPeripheralConnection(peripheral)
    await adapter.settle()
    #expect(delegate.told.last == "new false false true")
    #expect(peripheral.state == .disconnected)
  }

  @Test("without the option the newer one reports that there is no reconnection")
  func withoutOption() async throws {
    let delegate = NewDelegate()
    let (_, _, peripheral) = try await lose(delegate, reconnects: false)
    #expect(delegate.told == ["new false false true"])
    #expect(peripheral.state == .disconnected)
  }

  @Test("the older one alone is called where both are implemented, without reconnection")
  func both() async throws {
    let delegate = BothDelegate()
    let (_, _, peripheral) = try await lose(delegate)
    #expect(delegate.told == ["old"])
    #expect(peripheral.state == .disconnected)
  }

  @Test("where neither is implemented there is no reconnection")
  func neither() async throws {
    let delegate = NeitherDelegate()
    let (_, _, peripheral) = try await lose(delegate)
    #expect(delegate.told.isEmpty)
    #expect(peripheral.state == .disconnected)
  }
}
