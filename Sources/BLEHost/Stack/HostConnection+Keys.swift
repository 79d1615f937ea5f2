import BLECore
import BLECrypto
import BLEWire

/// What is stored for a bonded peer: its subscriptions, the layout of its database, and the counters of signed commands.
extension HostConnection {
  func keepClientState(_ state: GATTClientState) {
    guard let identity = bondIdentity, security.isProven else { return }
    stack.security.update(identity) { $0.clientState = state }
  }

  /// Stores the layout of the peer's database for the next connection, if the peer has proved its identity.
  func keepLayout() {
    guard let identity = bondIdentity, security.isProven, database.isLayoutVerified,
      let record = database.layout.record, let bond = stack.security.bond(of: identity), bond.layout?.record != record
    else { return }
    stack.security.update(identity) { $0.layout = database.layout }
  }

  // MARK: Signatures

  func verify(_ command: ATTSignedWriteCommand, _ verified: @escaping (Bool) -> Void) {
    guard let identity = bondIdentity, let verifying = protection.verifying else { return verified(false) }
    var pdu = ByteWriter(capacity: 3 + command.attributeValue.count + ATTLimits.signatureLength)
    command.encodePDU(into: &pdu)
    guard let counter = verifying.verify(pdu.octets[...]) else { return verified(false) }
    stack.security.accept(counter, of: identity) { [weak self] in verified($0 && self?.isUp == true) }
  }

  /// Writes to a characteristic that accepts only signed commands, on a link without encryption.
  func writeSigned(_ value: ArraySlice<UInt8>, to handle: AttributeHandle, sent: @escaping () -> Void) {
    database.writeCommand(value, to: handle, sent: sent) { [self] sign in
      guard protection.signsCommands, let identity = bondIdentity else { return sign(nil) }
      stack.security.takeSignCounter(for: identity) { [self] counter in
        guard isUp, protection.signsCommands, let signing = protection.signing, let counter else { return sign(nil) }
        sign((signing, counter))
      }
    }
  }
}
