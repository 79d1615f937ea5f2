import BLESession
import Foundation

/// The frames of a chat, as far as a fuzzer speaks of them.
package enum ChatLanguage {
  /// The frames that these values complete, each without its length.
  package static func frames(in values: [Data]) throws -> [Data] {
    var reader = ChatFrameReader()
    return try values.flatMap { try reader.append($0) }
  }

  /// A frame's octets, read and written.
  package static func roundTrip(_ octets: Data) throws -> Data { try ChatFrame(octets: octets).octets }
}
