import CoreBluetooth

extension Central {
  /// Devices from before, the last one first; none where this central has no memory.
  /// - Throws: `memory`.
  public func rememberedDevices() async throws(SessionError) -> [RememberedDevice] {
    try await core.reply { core, reply in
      reply.give(CentralCore.remembering { try core.memory?.devices() ?? [] })
    }
  }

  /// Forgets a device: it is not won back after the next start. A pairing is another matter, and the system's.
  /// - Throws: `memory`.
  public func forget(_ identifier: UUID) async throws(SessionError) {
    try await core.reply { core, reply in reply.give(CentralCore.remembering { try core.memory?.forget(identifier) }) }
      as Void
  }

  /// A session with the device that was used last, for `keep()` at the start of a program; `nil` where nothing is remembered: then
  /// the user has to choose, from a `list` perhaps.
  /// - Parameters:
  ///   - identity: what is the same about it: its name where names are unique, else its identifier.
  ///   - configuration: what the session needs to know of the device.
  /// - Throws: `memory`.
  public func lastSession(
    by identity: DeviceTarget.Identity = .identifier, configuration: SessionConfiguration = SessionConfiguration()
  ) async throws(SessionError) -> DeviceSession? {
    guard let last = try await rememberedDevices().first else { return nil }
    return session(with: .remembered(last, by: identity), configuration: configuration)
  }

  /// Devices that an earlier process of this program was connected to, or wanted to be, where this central has a restore identifier:
  /// the system goes on with them. A session with one takes its connection over.
  public var restoredDevices: [UUID] {
    get async { await core.value { $0.restored } }
  }

  /// Devices with one of these services that are connected to this host, by whatever program. They do not advertise: no scan finds
  /// them. None where Bluetooth is not on.
  public func connectedDevices(withServices services: [CBUUID]) async -> [Discovery] {
    await core.value { $0.connected(withServices: services) }
  }
}

extension CentralCore {
  fileprivate static func remembering<Value>(_ body: () throws -> Value) -> Result<Value, SessionError> {
    do {
      return .success(try body())
    } catch {
      return .failure(SessionError(.storageFailed, "what was remembered of devices cannot be used", underlying: error))
    }
  }
}
