import BLECore
import BLEWire

/// A data channel PDU to be sent: it is unchanged until the peer has acknowledged it.
struct OutgoingPDU: Equatable {
  var kind: DataChannelPDU.Kind
  var payload: ArraySlice<UInt8>
  /// With this PDU a packet of the host is sent completely.
  var endsHostPacket: Bool
  /// LL_TERMINATE_IND.
  var endsConnection = false

  static var empty: Self { OutgoingPDU(kind: .continuation, payload: [], endsHostPacket: false) }

  /// Only sequence numbers.
  var isEmpty: Bool { payload.isEmpty }
  /// Empty, and its acknowledgement completes nothing.
  var isFiller: Bool { payload.isEmpty && !endsHostPacket }
}

/// A received data channel PDU that waits for its delivery.
struct IncomingPDU {
  var kind: DataChannelPDU.Kind
  var payload: ArraySlice<UInt8>
  /// Whether it had a valid message integrity check.
  var wasEncrypted: Bool
}

/// A packet of the host that waits to be fragmented into PDUs.
struct WaitingPacket {
  /// The remaining octets.
  var payload: ArraySlice<UInt8>
  var kind: DataChannelPDU.Kind
}
