internal import BLEAdapter
internal import BLECore

/// Where a write without response goes.
struct CommandDestination: Sendable {
  let connection: PeerConnection
  let handle: AttributeHandle
}

/// Shared by a central manager and its peripherals: the loop, and the table of the peripherals that it has vended.
final class CentralContext: Sendable {
  let adapter: any Adapter
  let origin: JobOrigin
  let peripherals = PeerTable<CBPeripheral>()
  let session: LoopBound<CentralSession>
  private let commands = ValueBatches<CommandDestination>()
  /// `nil` if nothing observes the manager.
  let watch: ProgramWatch?

  init(adapter: any Adapter, origin: JobOrigin, mailbox: Mailbox, watch: ProgramWatch?) {
    self.watch = watch
    self.adapter = adapter
    self.origin = origin
    session = LoopBound(CentralSession(adapter: adapter, mailbox: mailbox))
  }

  func submit(_ job: @escaping @Sendable () -> Void) {
    commands.endBatch()
    adapter.loop.submit(from: origin, job)
  }

  /// Writes the first `length` octets of a value without response. The caller has taken a place of the connection's window for it.
  func writeCommand(_ value: Data, length: Int, to handle: AttributeHandle, on connection: PeerConnection) {
    commands.add(value, length: length, for: CommandDestination(connection: connection, handle: handle)) {
      adapter.loop.submit(from: origin) { [commands] in
        commands.passOn { value, destination in destination.connection.writeCommand(value, destination.handle) }
      }
    }
  }

  /// The object for this peer.
  func peripheral(_ identifier: PeerIdentifier, name: @autoclosure () -> String?) -> CBPeripheral {
    peripherals.peer(identifier) { CBPeripheral(identifier, name: name(), of: self) }
  }
}
