import CoreBluetooth

/// The tool as a central: finds a device, connects and disconnects.
@MainActor final class ToolCentral: NSObject {
  private let session: Session
  private var waiting: Waiting { session.waiting }
  private var manager: CBCentralManager?

  /// Called with each discovery while scanning.
  var onSighting: ((Sighting, CBPeripheral) -> Void)?
  /// Called when an established link is lost, with the reason if it is known.
  var onLinkEnd: ((ToolError?) -> Void)?
  /// The peripheral that is connected or connecting.
  private(set) var connected: ConnectedPeripheral?
  private var connection = Connection.none

  private enum Connection {
    case none, pending, up
    case failed(ToolError)
    case ended(ToolError?)
  }

  init(in session: Session) {
    self.session = session
  }

  /// Creates the manager and waits until Bluetooth is powered on.
  func start() async throws(ToolError) {
    let manager = CBCentralManager(delegate: self, queue: .main)
    self.manager = manager
    try await waiting.until(within: session.timeout, else: .lateAdapter(session)) { () throws(ToolError) in
      if let failure = ToolError(manager.state) { throw failure }
      return manager.state == .poweredOn
    }
  }

  func scan(for services: [CBUUID]?, duplicates: Bool) {
    manager?.scanForPeripherals(
      withServices: services, options: [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates])
  }

  func stopScan() { manager?.stopScan() }

  /// Searches for a device until it is found or the time limit expires.
  func find(_ target: Target) async throws(ToolError) -> FoundDevice {
    if case .identifier(let identifier) = target,
      let known = manager?.retrievePeripherals(withIdentifiers: [identifier]).first
    {
      return FoundDevice(peripheral: known, name: known.name)
    }
    let search = Search(for: target)
    var found: FoundDevice?
    onSighting = { [waiting] sighting, peripheral in
      guard search.look(at: sighting.identifier, sighting.name) else { return }
      found = FoundDevice(peripheral: peripheral, name: sighting.name)
      waiting.changed()
    }
    scan(for: nil, duplicates: false)
    defer {
      stopScan()
      onSighting = nil
    }
    try await search.finish(in: session) { () throws(ToolError) in try self.requirePower() }
    guard let found else { throw ToolError(.notFound, "\(target) was not found.") }
    return found
  }

  /// Connects and returns the connected peripheral.
  func connect(to device: FoundDevice) async throws(ToolError) -> ConnectedPeripheral {
    let conversation = ConnectedPeripheral(device, in: session) { [weak self] in self?.linkFailure }
    connected = conversation
    connection = .pending
    manager?.connect(device.peripheral, options: nil)
    let late = ToolError(
      .timedOut, "No connection to \(conversation.title) within \(session.timeout.plain) s.")
    do {
      try await waiting.until(within: session.timeout, else: late) { () throws(ToolError) in
        try self.requirePower()
        switch self.connection {
        case .failed(let error): throw error
        case .ended(let error): throw error ?? ToolError(.failed, "The connection was closed.")
        case .up: return true
        case .none, .pending: return false
        }
      }
    } catch {
      await disconnect()
      throw error
    }
    return conversation
  }

  /// Disconnects, and waits until the link is down.
  func disconnect() async {
    guard let connected else { return }
    switch connection {
    case .up, .pending:
      manager?.cancelPeripheralConnection(connected.peripheral)
      try? await waiting.until(within: 2, isCleanUp: true) {
        if case .ended = self.connection { return true }
        return self.manager?.state != .poweredOn
      }
    case .none, .failed, .ended: break
    }
    self.connected = nil
    connection = .none
  }

  /// Finds a device, connects, runs `work`, and disconnects in any case.
  func talk<Result: Sendable>(
    to target: Target, _ work: @MainActor (ConnectedPeripheral) async throws(ToolError) -> Result
  ) async throws(ToolError) -> Result {
    try await start()
    let conversation = try await connect(to: find(target))
    do {
      let result = try await work(conversation)
      await disconnect()
      return result
    } catch {
      await disconnect()
      throw error
    }
  }

  /// Throws if Bluetooth has become unavailable during an operation.
  func requirePower() throws(ToolError) {
    guard let manager else { throw ToolError(.unavailable, "Bluetooth was not started.") }
    if let failure = ToolError(manager.state) { throw failure }
    if manager.state == .resetting { throw ToolError(.unavailable, "The Bluetooth adapter was lost.") }
  }

  /// Why the device cannot be used; `nil` while the link is up.
  private var linkFailure: ToolError? {
    do {
      try requirePower()
    } catch {
      return error
    }
    switch connection {
    case .up: return nil
    case .ended(let error?), .failed(let error): return error
    case .none, .pending, .ended: return ToolError(.failed, "There is no connection.")
    }
  }

  private func settle(_ peripheral: CBPeripheral, _ connection: (ConnectedPeripheral) -> Connection) {
    guard let connected, peripheral.identifier == connected.peripheral.identifier else { return }
    var wasUp = false
    if case .up = self.connection { wasUp = true }
    self.connection = connection(connected)
    if wasUp, case .ended(let error) = self.connection { onLinkEnd?(error) }
    waiting.changed()
  }
}

extension ToolCentral: @MainActor CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { waiting.changed() }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let address = PeerAddresses.address(of: peripheral.identifier)
    let sighting = Sighting(peripheral, advertisementData: advertisementData, rssi: RSSI, address: address)
    onSighting?(sighting, peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    settle(peripheral) { _ in .up }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    let reason = error.map { $0.localizedDescription.inert + ForgottenBond.remedy($0, peripheral) } ?? "no reason given"
    settle(peripheral) { .failed(ToolError(.failed, "No connection to \($0.title): \(reason)")) }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    settle(peripheral) { device in
      .ended(
        error.map {
          let remedy = ForgottenBond.remedy($0, peripheral)
          let reason = $0.localizedDescription.inert + remedy
          return ToolError(.failed, "The connection to \(device.title) ended: \(reason)")
        })
    }
  }
}
