import BLEChat
import Foundation

extension Fuzzer {
  /// What the other side of a chat writes, value by value. A frame that was understood is written as it is read.
  static let chat = Fuzzer(name: "chat") { octets in
    guard let frames = try? ChatLanguage.frames(in: Pieces(octets).map { Data($0.octets) }) else { return }
    require(frames.reduce(0) { $0 + $1.count + 2 } <= octets.count, "more frames than octets")
    for frame in frames {
      guard let written = try? ChatLanguage.roundTrip(frame) else { continue }
      // A name that is no UTF-8 is mended when it is read, and may be too long then.
      if let again = try? ChatLanguage.roundTrip(written) { require(again == written, "a frame is not stable") }
    }
  } seeds: {
    let bodies: [[UInt8]] = [
      [0x01, 1, 0] + [UInt8](repeating: 7, count: 16) + Array("name".utf8),
      [0x01, 2, 0] + [UInt8](repeating: 7, count: 16),
      [0x02] + [UInt8](repeating: 1, count: 32), [0x03] + [UInt8](repeating: 2, count: 32),
      [0x04] + [UInt8](repeating: 0, count: 12), [0x04] + [UInt8](repeating: 0, count: 16),
      [0x05] + [UInt8](repeating: 0, count: 12) + Array("text".utf8), [0x06] + [UInt8](repeating: 0, count: 8),
      [0x07, 1],
      [0x08, 1, 2, 3], [0x80],
    ]
    let values = bodies.map { [UInt8($0.count), 0] + $0 }
    let pieces = values.map { [0, UInt8($0.count)] + $0 }
    // All of them, and one in two values.
    return pieces + [
      pieces.flatMap { $0 }, [0, 3] + values[0].prefix(3) + [0, UInt8(values[0].count - 3)] + values[0].dropFirst(3),
    ]
  }
}
