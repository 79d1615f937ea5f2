import BLEAdapter
import BLECore
import BLEHCI

/// A snapshot of a stack's state, for diagnostic messages.
public struct HostStanding: Sendable {
  /// One central role of the process.
  public struct Central: Sendable {
    /// The services that it scans for, empty for all devices; `nil` if it does not scan.
    public let sought: [BLEUUID]?
    /// The peers of its pending connections.
    public let awaited: [DeviceAddress]
  }

  /// One peripheral role of the process.
  public struct Peripheral: Sendable {
    /// Whether the controller is believed to send its advertisement.
    public let isAdvertising: Bool
    /// The number of published services.
    public let services: Int
  }

  /// One link.
  public struct Link: Sendable {
    /// The peer's identity address if it is known.
    public let peer: DeviceAddress
    /// Whether this side is the central.
    public let isCentral: Bool
    /// False while it is being established or ended.
    public let isReady: Bool
    /// Whether the link is encrypted.
    public let isEncrypted: Bool
    /// Whether a pairing is in progress.
    public let isPairing: Bool
    /// The number of GATT operations running or queued.
    public let operations: Int
  }

  /// The state last reported to roles.
  public let state: AdapterState
  /// Whether the simulated system has moved the application to the background.
  public let isInBackground: Bool
  /// In the order of their creation.
  public let centrals: [Central]
  /// In the order of their creation.
  public let peripherals: [Peripheral]
  /// In the order of their handles.
  public let links: [Link]
}

extension HostStack {
  /// On the loop.
  public var standing: HostStanding {
    HostStanding(
      state: power.reported, isInBackground: isInBackground,
      centrals: centrals.map { role in
        .init(sought: scanner.sought(by: ObjectIdentifier(role)), awaited: role.awaited)
      },
      peripherals: peripherals.map { role in
        .init(isAdvertising: advertising.isAdvertising(for: ObjectIdentifier(role)), services: role.serviceCount)
      },
      links: connections.all.map { link in
        .init(
          peer: link.peer.address, isCentral: link.role == .central, isReady: link.phase == .ready,
          isEncrypted: link.security.security != nil, isPairing: link.security.isPairing,
          operations: link.database.operationCount)
      })
  }
}

extension HostStack {
  /// The counters of this controller since its first use. On the loop.
  public var counters: AdapterCounters {
    var counters = linkCounters
    counters.resets = controller.counters.losses
    counters.restartedScans = scanCare.restartCount
    counters.sentOctets = controller.counters.sentOctets
    counters.receivedOctets = controller.counters.receivedOctets
    return counters
  }

  /// The number of links, including those being established or ended. On the loop.
  public var linkCount: Int { connections.count }

  /// The number of stored advertisers, by default at most 16,384. On the loop.
  public var scannedDeviceCount: Int { scanner.deviceCount }
}
