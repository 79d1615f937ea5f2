internal import BLEAdapter
internal import BLECore

/// Shared by a central manager and its peripherals: the loop, and the table of the peripherals that it has vended.
final class CentralContext: Sendable {
  let adapter: any Adapter
  let origin: JobOrigin
  let peripherals = PeerTable<CBPeripheral>()
  let session: LoopBound<CentralSession>
  /// `nil` if nothing observes the manager.
  let watch: ProgramWatch?

  init(adapter: any Adapter, origin: JobOrigin, mailbox: Mailbox, watch: ProgramWatch?) {
    self.watch = watch
    self.adapter = adapter
    self.origin = origin
    session = LoopBound(CentralSession(adapter: adapter, mailbox: mailbox))
  }

  func submit(_ job: @escaping @Sendable () -> Void) { adapter.loop.submit(from: origin, job) }

  /// The object for this peer.
  func peripheral(_ identifier: PeerIdentifier, name: @autoclosure () -> String?) -> CBPeripheral {
    peripherals.peer(identifier) { CBPeripheral(identifier, name: name(), of: self) }
  }
}
