import BLECore

/// One entry of a list in a response. All entries of one list have the same length.
public protocol ATTListEntry: Equatable, Sendable {
  /// The octets of exactly one entry, at least `minimumLength` of them.
  init(entry octets: ArraySlice<UInt8>)
  /// The attribute of the entry.
  var attributeHandle: AttributeHandle { get }
  /// The last attribute that the entry covers: the same one, or the end of its group.
  var lastHandle: AttributeHandle { get }
  /// Octets before anything of variable length.
  static var minimumLength: Int { get }
}

extension ATTListEntry {
  public var lastHandle: AttributeHandle { attributeHandle }
}

/// The entries of a response, validated before the first one is returned and read in place: nothing is copied, and no index exceeds the
/// list.
///
/// Inlinable, because other targets read the entries: code that was not made for the type at hand took a ninth of a discovery's
/// instructions.
public struct ATTList<Entry: ATTListEntry>: RandomAccessCollection, Sendable {
  @usableFromInline let octets: ArraySlice<UInt8>
  /// Octets of each entry.
  public let entryLength: Int

  @inlinable public var startIndex: Int { 0 }
  public let endIndex: Int

  @inlinable public func index(after index: Int) -> Int { index + 1 }
  @inlinable public func index(before index: Int) -> Int { index - 1 }

  /// - Throws: if the list is empty, or the entry length is too small or does not divide the list.
  init(_ octets: ArraySlice<UInt8>, entryLength: Int, name: String, field: String) throws(DecodeError) {
    func refuse(_ reason: String) -> DecodeError {
      DecodeError(layer: "ATT", field: "\(name) \(field)", offset: 0, reason: .invalid(reason), octets: octets)
    }
    if entryLength < Entry.minimumLength {
      throw refuse("entries of \(entryLength) octets, at least \(Entry.minimumLength) needed")
    }
    if octets.isEmpty { throw refuse("no entry") }
    if octets.count % entryLength != 0 {
      throw refuse("\(octets.count) octets are not a multiple of the entry length \(entryLength)")
    }
    self.octets = octets
    self.entryLength = entryLength
    endIndex = octets.count / entryLength
  }

  @inlinable public subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < endIndex, "Index out of range")
    let start = octets.startIndex + index * entryLength
    return Entry(entry: octets[start..<start + entryLength])
  }

  /// The same list, if its handles are in the requested range.
  ///
  /// - Throws: if a handle is outside `first ... last`, a group ends before it begins, or handles do not ascend. So a procedure that
  ///   continues after the last handle of an accepted list always makes progress.
  @inlinable
  public func ascending(from first: AttributeHandle, through last: AttributeHandle) throws(DecodeError) -> Self {
    var lowest: AttributeHandle? = first
    for entry in self {
      guard let low = lowest, entry.attributeHandle >= low, entry.lastHandle >= entry.attributeHandle,
        entry.attributeHandle <= last
      else { throw disorder(entry, first, last) }
      lowest = entry.lastHandle.next
    }
    return self
  }

  @usableFromInline
  func disorder(_ entry: Entry, _ first: AttributeHandle, _ last: AttributeHandle) -> DecodeError {
    DecodeError(
      layer: "ATT", field: "Attribute Handle", offset: 0,
      reason: .invalid(
        "\(entry.attributeHandle) to \(entry.lastHandle) is out of order or not in \(first) to \(last)"),
      octets: octets)
  }
}

extension ArraySlice<UInt8> {
  /// The 16-bit number at `offset` from the start; the caller has checked the length.
  func uint16(at offset: Int) -> UInt16 {
    UInt16(self[startIndex + offset]) | UInt16(self[startIndex + offset + 1]) << 8
  }
}
