import BLECore

/// One advertising data structure: a type and its data (Core, Vol 3 Part C 11).
public struct AdvertisingStructure: Equatable, Sendable {
  public var type: AdvertisingDataType
  /// At most 254 octets.
  public var data: ArraySlice<UInt8>

  public init(type: AdvertisingDataType, data: ArraySlice<UInt8>) {
    self.type = type
    self.data = data
  }
}

/// Advertising data, scan response data or Extended Inquiry Response data, split into structures during iteration.
///
/// Making one costs nothing: structures are parsed on demand. Parsing ends at a structure that exceeds the data, and at a length of zero.
public struct AdvertisingData: Sequence, Equatable, Sendable {
  public let octets: ArraySlice<UInt8>

  public init(_ octets: ArraySlice<UInt8>) { self.octets = octets }
  public init(_ octets: [UInt8]) { self.octets = octets[...] }

  /// Where the significant part of the data ends.
  public enum Ending: Equatable, Sendable {
    /// With the last octet.
    case complete
    /// With a length of zero at `offset`: the rest is padding.
    case terminated(offset: Int)
    /// With a structure at `offset` whose length exceeds the rest.
    case malformed(offset: Int)
  }

  public struct Iterator: IteratorProtocol {
    private let octets: ArraySlice<UInt8>
    private var cursor: Int

    fileprivate init(_ octets: ArraySlice<UInt8>) {
      self.octets = octets
      cursor = octets.startIndex
    }

    public mutating func next() -> AdvertisingStructure? {
      guard ending == nil else { return nil }
      let end = cursor + 1 + Int(octets[cursor])
      defer { cursor = end }
      return AdvertisingStructure(type: AdvertisingDataType(octets[cursor + 1]), data: octets[(cursor + 2)..<end])
    }

    /// Why the iteration has ended; `nil` before that.
    fileprivate var ending: Ending? {
      guard cursor < octets.endIndex else { return .complete }
      let length = Int(octets[cursor])
      if length == 0 { return .terminated(offset: cursor - octets.startIndex) }
      if length >= octets.endIndex - cursor { return .malformed(offset: cursor - octets.startIndex) }
      return nil
    }
  }

  public func makeIterator() -> Iterator { Iterator(octets) }

  public var ending: Ending {
    var iterator = makeIterator()
    while iterator.next() != nil {}
    return iterator.ending ?? .complete
  }

  /// The first structure of a type.
  public func first(_ type: AdvertisingDataType) -> AdvertisingStructure? {
    first { $0.type == type }
  }
}
