internal import BLEAdapter
internal import Synchronization

/// A central's request to read or write the value of a local characteristic.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBATTRequest: NSObject {
  private let sender: CBCentral
  private let target: CBCharacteristic
  private let start: Int
  private let content: Mutex<Data?>
  /// Whether it asks for the value.
  let isRead: Bool
  let transaction: TransactionIdentifier

  init(
    _ transaction: TransactionIdentifier, from central: CBCentral, to characteristic: CBCharacteristic, offset: Int,
    value: Data?
  ) {
    self.transaction = transaction
    sender = central
    target = characteristic
    start = offset
    content = Mutex(value)
    isRead = value == nil
    super.init()
  }

  @available(*, unavailable)
  public override init() { raise("A request is only vended by a peripheral manager") }

  /// The central that sent the request.
  open var central: CBCentral { sender }
  /// The characteristic to read or write.
  open var characteristic: CBCharacteristic { target }
  /// The offset in the value, in octets.
  open var offset: Int { start }
  /// The value to write; for a read, the value from `offset`, to be set before the response.
  open var value: Data? {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  /// What an observer receives of it.
  var subject: ProgramSubject {
    ProgramSubject(
      peer: central.peerIdentifier, attribute: characteristic, octets: value?.count, transaction: transaction,
      arguments: [ProgramArgument("offset", "\(offset)")])
  }

  open override var description: String {
    "<\(nameAndAddress), central = \(central.identifier.uuidString), characteristic = \(characteristic.uuid), offset = \(offset)>"
  }
}
