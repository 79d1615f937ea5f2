import BLECapture
import BLECore
import BLEWire

/// What a log of the traffic between a host and its controller says of one other device at one moment.
public struct LogEvent: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// An advertisement or a scan response was heard.
    case heard(HeardAdvertisement)
    /// A link came up.
    case connected(LinkParameters)
    /// The link has other parameters.
    case updated(LinkParameters)
    /// The device asks its central for other parameters (Core, Vol 3 Part A 4.20).
    case parametersAsked(L2CAPConnectionParameterUpdateRequest)
    /// The link ended, with HCI's reason (Core, Vol 1 Part F).
    case disconnected(reason: UInt8)
    /// The link was encrypted.
    case encrypted
    /// A PDU of the Attribute Protocol to the device's server: a request, a command or a confirmation.
    case toServer([UInt8])
    /// A PDU of the Attribute Protocol from the device's server: a response, a notification or an indication.
    case fromServer([UInt8])
    /// A PDU that the device's own client and the log's server exchanged.
    case otherDatabase(isFromDevice: Bool)
    /// A frame of the Security Manager: its code only, because others contain keys.
    case security(code: UInt8, isFromDevice: Bool)
    /// The device has told its identity, of which the address of this link is a private one.
    case identity(DeviceAddress)
    /// A frame of another channel: signaling, or a channel of L2CAP.
    case otherChannel(UInt16, isFromDevice: Bool)
    /// A piece of a frame whose rest the log does not contain.
    case damaged
  }

  public let time: CaptureTimestamp
  /// The device's address: that of its link, or of its advertisement.
  public let device: DeviceAddress
  /// The number of the link in the log, from 1; `nil` for what was heard without one.
  public let link: Int?
  public let content: Content

  public init(time: CaptureTimestamp, device: DeviceAddress, link: Int?, content: Content) {
    self.time = time
    self.device = device
    self.link = link
    self.content = content
  }
}

/// One report of a scanner.
public struct HeardAdvertisement: Hashable, Sendable {
  /// Advertising data structures, as on the air.
  public var data: [UInt8]
  public var isScanResponse: Bool
  public var isConnectable: Bool
  /// In dBm; `nil` if the controller did not know it.
  public var rssi: Int8?
}

/// The parameters of a link (Core, Vol 6 Part B 4.5.1).
public struct LinkParameters: Hashable, Sendable {
  /// The time between connection events, in units of 1.25 ms.
  public var interval: UInt16
  /// The number of connection events that the peripheral may skip.
  public var latency: UInt16
  /// In units of 10 ms.
  public var supervisionTimeout: UInt16

  public init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }
}
