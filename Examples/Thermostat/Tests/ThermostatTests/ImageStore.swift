import Foundation
import Thermostat

/// The thermostat's memory for firmware: takes blocks in their order, and uses an image only when all of it was checked.
struct ImageStore {
  /// The image in use.
  private(set) var firmware = Data()
  /// What was confirmed of the next one.
  private(set) var stored = Data()
  private var size = 0
  private var checksum: UInt16 = 0
  /// Fragments of the current block.
  private var block = Data()

  mutating func begin(_ command: UpdateCommand) -> UpdateAnswer {
    guard case .begin(let size, let checksum) = command else { return .expects(offset: 0) }
    block = Data()
    if firmware.count == size, Checksum.of(firmware) == checksum { return .complete }
    if (self.size, self.checksum) != (Int(size), checksum) {
      (self.size, self.checksum) = (Int(size), checksum)
      stored = Data()
    }
    return expected
  }

  /// The answer, where a block is complete.
  mutating func add(_ fragment: Data) -> UpdateAnswer? {
    block += fragment
    let length = 4 + min(UpdateTransfer.blockSize, size - stored.count) + 2
    guard block.count >= length else { return nil }
    defer { block = Data() }
    let (octets, sum) = (Data(block.prefix(length - 2)), Data(block.dropFirst(length - 2)))
    guard sum == Data([UInt8(Checksum.of(octets) & 0xFF), UInt8(Checksum.of(octets) >> 8)]),
      octets.prefix(4).reversed().reduce(0, { $0 << 8 | Int($1) }) == stored.count
    else { return expected }
    stored += octets.dropFirst(4)
    guard stored.count == size else { return expected }
    defer { stored = Data() }
    guard Checksum.of(stored) == checksum else { return .expects(offset: 0) }
    firmware = stored
    return .complete
  }

  private var expected: UpdateAnswer { .expects(offset: UInt32(stored.count)) }
}
