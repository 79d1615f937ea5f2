internal import BLEAdapter

/// What a central wants of a local characteristic: to read its value or to write it.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBATTRequest: NSObject {
  private let sender: CBCentral
  private let target: CBCharacteristic
  private let start: Int
  private let content: Locked<Data?>
  let transaction: TransactionIdentifier

  init(
    _ transaction: TransactionIdentifier, from central: CBCentral, to characteristic: CBCharacteristic, offset: Int,
    value: Data?
  ) {
    self.transaction = transaction
    sender = central
    target = characteristic
    start = offset
    content = Locked(value)
    super.init()
  }

  @available(*, unavailable)
  public override init() { raise("A request is only vended by a peripheral manager") }

  /// Who asks.
  open var central: CBCentral { sender }
  /// Whose value it is about.
  open var characteristic: CBCharacteristic { target }
  /// Where in the value the request begins, in octets.
  open var offset: Int { start }
  /// What is to be written; or, to be set before the answer, what is read from `offset` on.
  open var value: Data? {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  open override var description: String {
    "<\(nameAndAddress), central = \(central.identifier.uuidString), characteristic = \(characteristic.uuid), offset = \(offset)>"
  }
}
