import BLESession
import Foundation

/// Parsing and encoding of frames, for the fuzzers.
package enum ChatLanguage {
  /// The frames that these values complete, each without its length.
  package static func frames(in values: [Data]) throws -> [Data] {
    var reader = ChatFrameReader()
    return try values.flatMap { try reader.append($0) }
  }

  /// Parses a frame and encodes it again.
  package static func roundTrip(_ octets: Data) throws -> Data { try ChatFrame(octets: octets).octets }
}
