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
    public let isAdvertising: Bool
    public let services: Int
  }

  public struct Link: Sendable {
    public let peer: DeviceAddress
    public let isCentral: Bool
    /// False while it comes up or ends.
    public let isReady: Bool
    public let isEncrypted: Bool
    public let isPairing: Bool
    /// Reads, writes, discoveries and the like that have begun or wait for their turn.
    public let operations: Int
  }

  public let state: AdapterState
  public let isInBackground: Bool
  public let centrals: [Central]
  public let peripherals: [Peripheral]
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
