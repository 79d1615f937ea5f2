/// An input as a row of pieces: an octet of flags, an octet of length, and as many octets.
package struct Pieces: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  package init(_ octets: [UInt8]) { rest = octets[...] }

  package mutating func next() -> (flag: UInt8, octets: ArraySlice<UInt8>)? {
    guard let flag = rest.popFirst(), let length = rest.popFirst() else { return nil }
    let piece = rest.prefix(Int(length))
    rest = rest.dropFirst(piece.count)
    return (flag, piece)
  }
}
