import Foundation

/// Which octets of a firmware image are sent next. It knows no Bluetooth.
///
/// The image travels in blocks, each with its offset in front (four octets, the least significant first) and the checksum of both
/// behind it, cut into fragments. The next block begins when the device has confirmed the one before, so a lost link costs one
/// block at the most.
public struct UpdateTransfer: Sendable {
  /// The octets of a block; the last one may be shorter.
  public static let blockSize = 480

  public let image: Data
  /// All octets before it are confirmed.
  public private(set) var offset = 0
  /// What is still to be handed over of the current block and its checksum.
  private var rest = Data()

  public init(image: Data) { self.image = image }

  /// Whether the whole current block was handed over.
  public var isBlockHandedOver: Bool { rest.isEmpty }
  /// Whether the current block is the last one.
  public var isLastBlock: Bool { image.count - offset <= Self.blockSize }

  /// The device expects the block at this offset. False where the image has none there.
  public mutating func begin(at offset: Int) -> Bool {
    guard offset >= 0, offset < image.count else { return false }
    self.offset = offset
    let block = Data(littleEndian: UInt32(clamping: offset)) + image.dropFirst(offset).prefix(Self.blockSize)
    rest = block + Data(littleEndian: Checksum.of(block))
    return true
  }

  /// Takes the next fragment of the current block, of at most `length` octets.
  public mutating func nextFragment(upTo length: Int) -> Data? {
    guard !rest.isEmpty, length > 0 else { return nil }
    defer { rest = Data(rest.dropFirst(length)) }
    return Data(rest.prefix(length))
  }
}
