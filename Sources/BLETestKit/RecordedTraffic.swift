import BLECore
import BLEHCI
import BLEWire

/// The latest packets, their octets one behind another in large pieces of memory: a packet that is recorded is copied and not kept, so that
/// stack and controller use its memory for the next one, as they do without a recorder.
struct RecordedTraffic: Sendable {
  /// The maximum number of packets; when it is reached, the older half is discarded.
  static let limit = 200_000

  private struct Place {
    let instant: StackInstant
    let device: Int32
    let kind: HCIPacketKind
    let direction: HCIDirection
    /// The number of its piece of memory, of all that there have been.
    let piece: Int32
    let offset: Int32
    let count: Int32
  }

  /// The number of packets so far, with those that were discarded.
  private(set) var total = 0
  private var places: [Place] = []
  private var pieces: [[UInt8]] = []
  /// The number of pieces that were discarded.
  private var discardedPieces = 0

  /// In octets, of the first piece and of the longest; each is twice as long as the one before.
  private static let pieceLengths = (first: 4_096, longest: 65_536)

  mutating func append(_ entry: Recorder.Entry) {
    if places.count >= Self.limit { discard() }
    let count = entry.packet.octetCount
    if pieces.last.map({ $0.capacity - $0.count < count }) ?? true { addPiece(for: count) }
    let last = pieces.count - 1
    places.append(
      Place(
        instant: entry.instant, device: Int32(truncatingIfNeeded: entry.device), kind: entry.packet.kind,
        direction: entry.direction, piece: Int32(truncatingIfNeeded: discardedPieces + last),
        offset: Int32(truncatingIfNeeded: pieces[last].count), count: Int32(truncatingIfNeeded: count)))
    entry.packet.append(to: &pieces[last])
    total += 1
  }

  private mutating func addPiece(for count: Int) {
    let length = pieces.last.map { Swift.min(2 * $0.capacity, Self.pieceLengths.longest) } ?? Self.pieceLengths.first
    var piece: [UInt8] = []
    piece.reserveCapacity(Swift.max(length, count))
    pieces.append(piece)
  }

  private mutating func discard() {
    places.removeFirst(Self.limit / 2)
    let unused = Int(places.first?.piece ?? 0) - discardedPieces
    pieces.removeFirst(unused)
    discardedPieces += unused
  }
}

extension RecordedTraffic {
  /// The packets of one kind in one direction. Of the others no memory is made.
  func packets(_ kind: HCIPacketKind, _ direction: HCIDirection) -> some Sequence<Recorder.Entry> {
    places.indices.lazy.filter { places[$0].kind == kind && places[$0].direction == direction }.map { self[$0] }
  }
}

extension RecordedTraffic: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { places.count }

  subscript(index: Int) -> Recorder.Entry {
    let place = places[index]
    let octets = pieces[Int(place.piece) - discardedPieces][Int(place.offset)..<Int(place.offset + place.count)]
    return Recorder.Entry(
      device: Int(place.device), packet: HCIPacket(kind: place.kind, octets: Array(octets)), direction: place.direction,
      instant: place.instant)
  }
}
