import BLECore
import BLEWire

/// A data channel PDU on its way out: it stays the same until the peer has acknowledged it.
struct OutgoingPDU: Equatable {
  var kind: DataChannelPDU.Kind
  var payload: ArraySlice<UInt8>
  /// With this PDU a whole packet of the host has been sent.
  var endsHostPacket: Bool
  /// LL_TERMINATE_IND.
  var endsConnection = false

  static let empty = OutgoingPDU(kind: .continuation, payload: [], endsHostPacket: false)

  /// Nothing but numbers.
  var isEmpty: Bool { payload.isEmpty }
  /// Empty, and nobody waits for its acknowledgement.
  var isFiller: Bool { payload.isEmpty && !endsHostPacket }
}

/// A data channel PDU that has come in and waits for the moment at which it is handed on.
struct IncomingPDU {
  var kind: DataChannelPDU.Kind
  var payload: ArraySlice<UInt8>
  /// It came with an integrity check that fitted.
  var wasEncrypted: Bool
}

/// A packet of the host that waits to be cut into PDUs.
struct WaitingPacket {
  /// What is left of it.
  var payload: ArraySlice<UInt8>
  var kind: DataChannelPDU.Kind
}
