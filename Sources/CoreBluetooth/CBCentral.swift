internal import BLEAdapter
internal import Synchronization

/// A central that is connected to a local peripheral.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBCentral: CBPeer {
  private let maximumLength: Atomic<Int>
  private let table: PeerTable<CBCentral>

  init(_ central: RemoteCentral, in table: PeerTable<CBCentral>) {
    maximumLength = Atomic(central.maximumUpdateValueLength)
    self.table = table
    super.init(central.identifier)
  }

  deinit { table.forget(self) }

  /// Whether the manager with that table vended it.
  func isVended(by table: PeerTable<CBCentral>) -> Bool { self.table === table }

  /// The longest value that one notification to this central carries, in octets; longer values are truncated.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  open var maximumUpdateValueLength: Int { maximumLength.load(ordering: .relaxed) }

  func update(_ central: RemoteCentral) { maximumLength.store(central.maximumUpdateValueLength, ordering: .relaxed) }

  open override var description: String {
    "<\(nameAndAddress) identifier = \(identifier.uuidString), MTU = \(maximumUpdateValueLength)>"
  }
}
