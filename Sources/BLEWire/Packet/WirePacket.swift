import BLECore

/// One kind of packet, declared once: how it is read and how it is written stand side by side.
///
/// A packet type holds what came. Whether a value is allowed is judged by the layer that uses it; decoding fails only where
/// the octets cannot be told apart into fields.
public protocol WirePacket: Equatable, Sendable {
  /// The name in the specification, for instance `ATT_READ_REQ`.
  static var name: String { get }

  /// Reads the packet's parameters: what follows the opcode, code or header that chose this type.
  /// A packet of fixed size reads no further than its fields; the caller then calls `finish()`, which refuses octets left over.
  init(from reader: inout ByteReader) throws(DecodeError)

  /// Writes the parameters, so that `init(from:)` gives back an equal packet.
  func encode(into writer: inout ByteWriter)

  /// Packets that show every shape this type can take. The generic tests feed on them.
  static var examples: [Self] { get }
}

extension WirePacket {
  /// The parameters' octets.
  public var octets: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.octets
  }
}

/// The code of a packet and what writes its parameters: all that is needed where its type does not matter.
typealias PacketParts<Code> = (code: Code, write: (inout ByteWriter) -> Void)

/// The layers whose packets `BLEWire` declares.
public enum WireLayer: String, Sendable, CaseIterable {
  case hciCommand = "HCI command"
  case hciReturnParameters = "HCI return parameters"
  case hciEvent = "HCI event"
  case hciData = "HCI data"
  case l2capSignaling = "L2CAP signaling"
  case l2capFrame = "L2CAP frame"
  case attribute = "ATT"
  case securityManager = "SMP"
  case advertisingData = "advertising data"
  case linkLayerControl = "LL control"
  case linkLayer = "link layer"
}

/// One entry of the registry: a packet type without its type, for tests, fuzzers and dissectors.
public struct PacketDescription: Sendable {
  public let name: String
  public let layer: WireLayer
  /// Opcode, event code or subevent that chooses this type among those of its layer; `nil` where the layer has only one.
  public let code: UInt32?
  /// The parameters' octets of each example.
  public let examples: @Sendable () -> [[UInt8]]
  /// Decodes parameters to the end and encodes what was understood: for well-formed octets the same octets.
  public let roundTrip: @Sendable ([UInt8]) throws -> [UInt8]
  /// Decodes parameters and says in words what they hold; nothing where there are none.
  public let describe: @Sendable ([UInt8]) throws -> String

  public init<Packet: WirePacket>(
    _ type: Packet.Type, layer: WireLayer, name: String = Packet.name, code: UInt32? = nil
  ) {
    self.name = name
    self.layer = layer
    self.code = code
    examples = { Packet.examples.map(\.octets) }
    let decode: @Sendable ([UInt8]) throws -> Packet = { octets in
      var reader = ByteReader(octets, layer: layer.rawValue)
      let packet = try Packet(from: &reader)
      try reader.finish()
      return packet
    }
    roundTrip = { try decode($0).octets }
    describe = { PacketText.of(try decode($0)) }
  }
}
