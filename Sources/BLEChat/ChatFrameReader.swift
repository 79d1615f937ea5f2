import BLESession
import Foundation

/// Cuts what comes in over a link into frames: each has its length in front, two octets, least significant first. A value on the air
/// holds as much of the stream as there is room for, so that frames neither begin nor end with one.
struct ChatFrameReader {
  private var pending = Data()

  /// Takes a value, and gives the frames that it completes. Holds at most one frame that is not complete.
  mutating func append(_ value: Data) throws(ChatViolation) -> [Data] {
    pending.append(value)
    var frames: [Data] = []
    var position = pending.startIndex
    while pending.endIndex - position >= 2 {
      let length = Int(pending[position]) | Int(pending[position + 1]) << 8
      guard length > 0, length <= ChatProtocol.longestFrame else {
        throw ChatViolation("a frame says that it has \(length) octets")
      }
      guard pending.endIndex - position >= 2 + length else { break }
      frames.append(Data(pending[position + 2..<position + 2 + length]))
      position += 2 + length
    }
    pending = Data(pending[position...])
    return frames
  }

  /// The frame as it goes into the stream.
  static func framed(_ octets: Data) -> Data { UInt16(octets.count).octets(order: .littleEndian) + octets }
}
