import BLEReports

/// The last octets of a channel, as they came and went.
struct PieceHistory: Sendable {
  enum Way: String, Sendable { case received, sent }

  private static let most = 256
  private static let mostOctets = 64 << 10

  private var pieces = Queue<(json: JSONValue, octets: Int)>()
  private var octets = 0
  /// Of all that have been.
  private var count = 0

  /// - Returns: the piece in words; they are numbered from 1.
  mutating func keep(_ piece: [UInt8], _ way: Way, at time: Duration) -> JSONValue {
    count += 1
    let json: JSONValue = [
      "number": .integer(count), "time_ms": .integer(time.milliseconds), "way": .string(way.rawValue),
      "value": ValueText(piece).json,
    ]
    pieces.append((json, piece.count))
    octets += piece.count
    while pieces.count > 1, let oldest = pieces.first, pieces.count > Self.most || octets > Self.mostOctets {
      octets -= oldest.octets
      pieces.removeFirst()
    }
    return json
  }

  var json: JSONValue { .array(pieces.dropFirst(0).map(\.json)) }
}
