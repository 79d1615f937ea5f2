import BLESession
import CoreBluetooth

/// Remembers devices across restarts, in the same file as their recorded data.
///
/// A device is remembered when `remember` has returned. Where another program has locked the file the central waits, for at most
/// `StoreConfiguration.patience`.
public struct StoreMemory: PeripheralMemory {
  /// The store that holds the devices.
  public let store: SessionStore

  /// A memory in an open store.
  public init(store: SessionStore) { self.store = store }

  /// The remembered devices, the most recent first.
  public func devices() throws -> [RememberedDevice] {
    try store.writer.performNow { (database) throws(StoreError) in
      let cursor = try StoreCursor(
        database, "SELECT identifier, name, address FROM device WHERE remembered IS NOT NULL ORDER BY remembered DESC",
        []
      ) { row in
        row.identifier(0).map { RememberedDevice(identifier: $0, name: row.text(1), address: row.text(2)) }
      }
      return try cursor.all()
    }
  }

  /// Makes the device the most recent one. The 64 most recent are kept.
  public func remember(_ device: RememberedDevice) throws {
    try store.writer.performNow { (database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        let (now, next) = (Date(), try database.number("SELECT coalesce(max(remembered), 0) + 1 FROM device"))
        let (name, address) = (device.name.map(Bounds.text), device.address.map(Bounds.text))
        try database.run(
          """
          INSERT INTO device(identifier, name, address, first_seen, last_seen, remembered) VALUES(?1, ?2, ?3, ?4, ?4, ?5)
          ON CONFLICT(identifier) DO UPDATE SET name = ?2, address = ?3, last_seen = max(last_seen, ?4), remembered = ?5
          """, .identifier(device.identifier), .text(orNull: name), .text(orNull: address), .time(now), .integer(next))
        try database.run(
          """
          UPDATE device SET remembered = NULL WHERE remembered IS NOT NULL AND id NOT IN (
            SELECT id FROM device WHERE remembered IS NOT NULL ORDER BY remembered DESC LIMIT 64)
          """)
      }
    }
  }

  /// Stops remembering the device. Its recorded data stays.
  public func forget(_ identifier: UUID) throws {
    try store.writer.performNow { (database) throws(StoreError) in
      try database.run("UPDATE device SET remembered = NULL WHERE identifier = ?", .identifier(identifier))
    }
  }
}
