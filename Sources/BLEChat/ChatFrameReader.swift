import BLESession
import Foundation

/// Splits the stream of a link into frames. Each has its length in front, two octets, least significant first. A value on the air holds as
/// much of the stream as fits, so that frames and values have independent boundaries.
struct ChatFrameReader {
  private var pending = Data()

  /// Appends a value, and returns the frames that it completes. Keeps at most one incomplete frame.
  mutating func append(_ value: Data) throws(ChatViolation) -> [Data] {
    pending.append(value)
    var frames: [Data] = []
    var position = pending.startIndex
    while pending.endIndex - position >= 2 {
      let length = Int(pending[position]) | Int(pending[position + 1]) << 8
      guard length > 0, length <= ChatProtocol.longestFrame else {
        throw ChatViolation("a frame claims to have \(length) octets")
      }
      guard pending.endIndex - position >= 2 + length else { break }
      frames.append(Data(pending[position + 2..<position + 2 + length]))
      position += 2 + length
    }
    pending = Data(pending[position...])
    return frames
  }

  /// The frame with its length, as part of the stream.
  static func framed(_ octets: Data) -> Data { UInt16(octets.count).octets(order: .littleEndian) + octets }
}
