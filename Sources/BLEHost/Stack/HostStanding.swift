import BLEAdapter
import BLECore

/// How a stack stands, for those who have to say it in words. A copy.
public struct HostStanding: Sendable {
  /// One central role of the process.
  public struct Central: Sendable {
    /// What it scans for, empty for everything; `nil` where it does not scan.
    public let sought: [BLEUUID]?
    /// Peers that it wants a connection to and has none.
    public let awaited: [DeviceAddress]
  }

  /// One peripheral role of the process.
  public struct Peripheral: Sendable {
    /// Whether the controller sends its advertisement, as far as is known.
    public let isAdvertising: Bool
    /// How many services it has published.
    public let services: Int
  }

  /// One link, with whichever peer.
  public struct Link: Sendable {
    /// Known by what names it for good, as soon as that is known.
    public let peer: DeviceAddress
    /// Whether this side is the central.
    public let isCentral: Bool
    /// False while it comes up or ends.
    public let isReady: Bool
    /// Whether what travels on it is encrypted now.
    public let isEncrypted: Bool
    /// Whether a pairing is under way.
    public let isPairing: Bool
    /// Reads, writes, discoveries and the like that have begun or wait for their turn.
    public let operations: Int
  }

  /// What programs were told last.
  public let state: AdapterState
  /// Whether the simulated system has put the program into the background.
  public let isInBackground: Bool
  /// In the order in which they began.
  public let centrals: [Central]
  /// In the order in which they began.
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
        .init(isAdvertising: advertiser.isAdvertising(for: ObjectIdentifier(role)), services: role.serviceCount)
      },
      links: connections.all.map { link in
        .init(
          peer: link.peer.address, isCentral: link.role == .central, isReady: link.phase == .ready,
          isEncrypted: link.security.security != nil, isPairing: link.security.isPairing,
          operations: link.database.operationCount)
      })
  }
}
