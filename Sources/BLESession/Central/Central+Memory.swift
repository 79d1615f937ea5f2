import CoreBluetooth

extension Central {
  /// Returns the remembered devices, the most recent first; empty if this central has no memory.
  /// - Throws: `storageFailed`.
  public func rememberedDevices() async throws(SessionError) -> [RememberedDevice] {
    try await core.reply { core, reply in
      reply.give(CentralCore.remembering { try core.memory?.devices() ?? [] })
    }
  }

  /// Removes a device from the memory: it is not reconnected after the next start. A pairing with it stays in the system.
  /// - Throws: `storageFailed`.
  public func forget(_ identifier: UUID) async throws(SessionError) {
    try await core.reply { core, reply in reply.give(CentralCore.remembering { try core.memory?.forget(identifier) }) }
      as Void
  }

  /// Returns a session with the most recently used device, for `keepConnected()` at the start of a program; `nil` if no device is
  /// remembered and the user has to choose one, for example from a `list`.
  /// - Parameters:
  ///   - identity: what identifies the device: its name if names are unique, otherwise its identifier.
  ///   - configuration: what the session needs to know about the device.
  /// - Throws: `storageFailed`.
  public func lastSession(
    by identity: DeviceTarget.Identity = .identifier, configuration: SessionConfiguration = SessionConfiguration()
  ) async throws(SessionError) -> DeviceSession? {
    guard let last = try await rememberedDevices().first else { return nil }
    return session(with: .remembered(last, by: identity), configuration: configuration)
  }

  /// Devices that an earlier process of this program was connected or connecting to, if this central has a restore identifier: the
  /// system keeps those connections. A session with such a device takes its connection over.
  public var restoredDevices: [UUID] {
    get async { await core.value { $0.restored } }
  }

  /// Returns the devices with one of these services that are connected to this host, by any program. They do not advertise, so no scan
  /// finds them. Empty unless Bluetooth is powered on.
  public func connectedDevices(withServices services: [CBUUID]) async -> [Discovery] {
    await core.value { $0.connected(withServices: services) }
  }
}

extension CentralCore {
  fileprivate static func remembering<Value>(_ body: () throws -> Value) -> Result<Value, SessionError> {
    do {
      return .success(try body())
    } catch {
      return .failure(SessionError(.storageFailed, "the storage of remembered devices failed", underlying: error))
    }
  }
}
