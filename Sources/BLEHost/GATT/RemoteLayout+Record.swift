import BLEAdapter
import BLECore

/// The encoding of a layout in a bond. It is read from a file that may have been changed, so everything is validated.
extension RemoteLayout {
  /// The longest record that is stored, in octets. A larger database is discovered again on each connection.
  static let recordLimit = 48 << 10
  private static let version: UInt8 = 1

  private static var searches: [WritableKeyPath<RemoteLayout, HandleSet>] {
    [\.searchedServices, \.searchedIncludes, \.searchedCharacteristics, \.searchedConfigurations, \.knownHandles]
  }

  /// `nil` without a hash, by which the layout could be validated later, or if the record is too long.
  public var record: [UInt8]? {
    guard let hash, hash.count == 16 else { return nil }
    var writer = ByteWriter(capacity: 1_024)
    writer.append(Self.version)
    writer.append(contentsOf: hash)
    writer.append(UInt16(clamping: services.items.count))
    for service in services.items {
      writer.append(service.handles.lowerBound)
      writer.append(service.handles.upperBound)
      writer.append(service.isPrimary ? 1 : 0 as UInt8)
      writer.append(lengthAnd: service.uuid)
    }
    writer.append(UInt16(clamping: includes.items.count))
    for include in includes.items {
      writer.append(include.handle)
      writer.append(include.start)
      writer.append(include.end)
      if let uuid = include.uuid { writer.append(lengthAnd: uuid) } else { writer.append(0 as UInt8) }
    }
    writer.append(UInt16(clamping: characteristics.items.count))
    for characteristic in characteristics.items {
      writer.append(characteristic.handle)
      writer.append(characteristic.properties)
      writer.append(characteristic.valueHandle)
      writer.append(lengthAnd: characteristic.uuid)
    }
    writer.append(UInt16(clamping: descriptors.items.count))
    for descriptor in descriptors.items {
      writer.append(descriptor.handle)
      writer.append(lengthAnd: descriptor.uuid)
    }
    for search in Self.searches {
      let ranges = self[keyPath: search].ranges
      writer.append(UInt16(clamping: ranges.count))
      for range in ranges {
        writer.append(range.lowerBound)
        writer.append(range.upperBound)
      }
    }
    return writer.count <= Self.recordLimit ? writer.octets : nil
  }

  /// Returns `nil` if these octets are not a valid layout.
  public init?(record: [UInt8]) {
    guard record.count <= Self.recordLimit else { return nil }
    var layout = RemoteLayout()
    do throws(DecodeError) {
      var reader = ByteReader(record[...], layer: "stored layout")
      guard try reader.uint8("Version") == Self.version else { return nil }
      layout.hash = Array(try reader.octets(16, "Hash"))
      try layout.read(&reader)
      try reader.finish()
    } catch {
      return nil
    }
    self = layout
  }

  private mutating func read(_ reader: inout ByteReader) throws(DecodeError) {
    var order = HandleOrder()
    for _ in 0..<(try reader.uint16("Services")) {
      let handles = try reader.handleRange()
      try order.check(handles.lowerBound, reader)
      let isPrimary = try reader.uint8("Primary") == 1
      services.insert(RemoteService(uuid: try reader.countedUUID(), handles: handles, isPrimary: isPrimary))
    }
    order = HandleOrder()
    for _ in 0..<(try reader.uint16("Includes")) {
      let handle = try reader.attributeHandle("Handle")
      try order.check(handle, reader)
      let range = try reader.handleRange()
      includes.insert(
        IncludeDeclaration(
          handle: handle, start: range.lowerBound, end: range.upperBound, uuid: try reader.countedUUIDIfAny()))
    }
    order = HandleOrder()
    for _ in 0..<(try reader.uint16("Characteristics")) {
      let handle = try reader.attributeHandle("Handle")
      try order.check(handle, reader)
      let properties = try reader.uint8("Properties")
      let value = try reader.attributeHandle("Value Handle")
      guard value > handle else {
        throw reader.failure("Value Handle", .invalid("the value does not follow its declaration"))
      }
      characteristics.insert(
        DeclaredCharacteristic(
          handle: handle, properties: properties, valueHandle: value, uuid: try reader.countedUUID()))
    }
    order = HandleOrder()
    for _ in 0..<(try reader.uint16("Descriptors")) {
      let handle = try reader.attributeHandle("Handle")
      try order.check(handle, reader)
      descriptors.insert(RemoteDescriptor(uuid: try reader.countedUUID(), handle: handle))
    }
    for search in Self.searches {
      order = HandleOrder()
      for _ in 0..<(try reader.uint16("Ranges")) {
        let range = try reader.handleRange()
        try order.check(range.lowerBound, reader)
        self[keyPath: search].insert(range)
      }
    }
  }
}

/// Checks that the handles of a record ascend, so that inserting them needs no search even for a hostile file.
private struct HandleOrder {
  private var last = AttributeHandle(0)

  mutating func check(_ handle: AttributeHandle, _ reader: ByteReader) throws(DecodeError) {
    guard handle > last else { throw reader.failure("Handle", .invalid("handles do not ascend")) }
    last = handle
  }
}

extension ByteWriter {
  fileprivate mutating func append(lengthAnd uuid: BLEUUID) {
    append(UInt8(uuid.width.rawValue))
    append(uuid)
  }
}

extension ByteReader {
  fileprivate mutating func countedUUIDIfAny() throws(DecodeError) -> BLEUUID? {
    let count = Int(try uint8("UUID Length"))
    return count == 0 ? nil : try uuid(octets: count, "UUID")
  }

  fileprivate mutating func countedUUID() throws(DecodeError) -> BLEUUID {
    guard let uuid = try countedUUIDIfAny() else { throw failure("UUID", .invalid("it is missing")) }
    return uuid
  }

  fileprivate mutating func handleRange() throws(DecodeError) -> ClosedRange<AttributeHandle> {
    let first = try attributeHandle("First Handle")
    let last = try attributeHandle("Last Handle")
    guard first >= .first, first <= last else { throw failure("Last Handle", .invalid("the range is invalid")) }
    return first...last
  }
}
