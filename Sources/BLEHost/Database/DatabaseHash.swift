import BLECore
import BLEWire

/// The number by which a client sees whether the structure of a database has changed (Core, Vol 3 Part G 7.3).
public enum DatabaseHash {
  /// What is hashed: handle and type of each attribute of the structure, with the value where that is part of it, in handle
  /// order.
  public static func input(of database: AttributeDatabase) -> [UInt8] {
    var writer = ByteWriter(capacity: 16 * database.count)
    for attribute in database.all {
      switch attribute.type {
      case GATTType.primaryService, GATTType.secondaryService, GATTType.include, GATTType.characteristic,
        GATTType.characteristicExtendedProperties:
        writer.append(attribute.handle)
        writer.append(attribute.type)
        writer.append(contentsOf: attribute.storedValue ?? [])
      case GATTType.characteristicUserDescription, GATTType.clientCharacteristicConfiguration,
        GATTType.serverCharacteristicConfiguration, GATTType.characteristicPresentationFormat,
        GATTType.characteristicAggregateFormat:
        writer.append(attribute.handle)
        writer.append(attribute.type)
      default: break
      }
    }
    return writer.octets
  }

  /// The hash in the order in which it travels, least significant octet first.
  public static func of(_ database: AttributeDatabase) -> [UInt8] {
    input(of: database)
  }
}
