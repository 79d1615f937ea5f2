import BLESession
import CoreBluetooth

/// `ble l2cap`: an L2CAP channel as a pipe between two machines.
enum L2CAPCommand {
  static let count = Parameter.option("count", "octets", "End when so many octets have come in.", \Count.value)
  static let rate = Parameter.option("rate", "octets", "Read no more than so many octets a second.", \Count.value)

  static let group = CommandNode(
    group: "l2cap", abstract: "Pipe octets through an L2CAP channel.",
    discussion: """
      What comes from the standard input of one side goes to the standard output of the other, in both directions at once \
      and at the pace of the slower one: a side that is not read from stops the other.

        ble l2cap listen > copy &
        ble l2cap connect ble < file
      """,
    subcommands: [L2CAPListenCommand.node, L2CAPConnectCommand.node])

  /// The service with the characteristic that holds the channel's PSM.
  static let service = CBUUID(string: "B7E1A0C4-5D3F-4E86-9A27-1C0F8E6D4B52")
  static let characteristic = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
}

/// `ble l2cap listen`: waits for a channel.
struct L2CAPListenCommand: ToolCommand {
  static let name = Parameter.option("name", "name", standard: "ble", "The name to advertise.", \String.self)
  static let encrypted = Parameter.flag("encrypted", "Only over an encrypted link.")

  static let node = CommandNode(
    "listen", abstract: "Publish a channel and wait until it is opened.",
    discussion: """
      Advertises, and provides the PSM by the usual characteristic (ABDD3056-28FA-441D-A470-55A75A52553A). Takes one channel, \
      and ends when that ends or --count octets have come.
      """,
    name, encrypted, L2CAPCommand.count, L2CAPCommand.rate, make: Self.init)

  let name: String
  let needsEncryption: Bool
  let count: Int?
  let rate: Int?

  func run(in session: Session) async throws(ToolError) {
    let listener = ChannelListener(name: name, needsEncryption: needsEncryption, in: session)
    let channel = try await listener.accept()
    let relay = ChannelRelay(channel, limit: count, rate: rate, endsWithInput: false, in: session)
    defer { listener.close() }
    try await relay.run { () throws(ToolError) in }
  }
}

/// `ble l2cap connect`: opens a channel to the other side.
struct L2CAPConnectCommand: ToolCommand {
  static let multiplexer = Parameter.option(
    "psm", "number", "The PSM, if the device has no PSM characteristic.", \MultiplexerNumber.value)

  static let node = CommandNode(
    "connect", abstract: "Open a device's channel.",
    discussion: """
      Ends with its standard input, when all of it has been sent, when the other side closes the channel, or when --count \
      octets have come.
      """,
    ExploreCommand.target, multiplexer, L2CAPCommand.count, L2CAPCommand.rate, make: Self.init)

  let target: Target
  let multiplexer: CBL2CAPPSM?
  let count: Int?
  let rate: Int?

  func run(in session: Session) async throws(ToolError) {
    let configuration = multiplexer == nil ? KeptDevice.once : KeptDevice.onceWithoutServices
    try await KeptDevice.use(target, configuration, in: session) { (device) async throws(ToolError) in
      try await pipe(to: device, session)
    }
  }

  @MainActor private func pipe(to device: KeptDevice, _ session: Session) async throws(ToolError) {
    let psm: CBL2CAPPSM
    if let multiplexer { psm = multiplexer } else { psm = try await read(from: device) }
    let channel = try await device.openChannel(psm)
    session.output.note("A channel to \(device.title), PSM \(psm).")
    let relay = ChannelRelay(channel, limit: count, rate: rate, endsWithInput: true, in: session)
    try await relay.run { () throws(ToolError) in try device.requireLink() }
  }

  @MainActor private func read(from device: KeptDevice) async throws(ToolError) -> CBL2CAPPSM {
    let paths = await device.device.services().flatMap(\.characteristics).map(\.path)
    try device.requireLink()
    if let path = paths.first(where: { $0.characteristic == L2CAPCommand.characteristic }) {
      let value = try await device.read(path)
      if value.count == 2 { return CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8 }
    }
    throw ToolError(.notFound, "\(device.title) does not provide the PSM of a channel; give it with --psm.")
  }
}

/// A PSM of an LE device.
struct MultiplexerNumber: ArgumentValue, Equatable, Sendable {
  let value: CBL2CAPPSM

  init(argument: String) throws(ArgumentValueError) {
    let isHexadecimal = argument.lowercased().hasPrefix("0x")
    let number = isHexadecimal ? UInt16(argument.dropFirst(2), radix: 16) : UInt16(argument)
    guard let number, (0x01...0xFF).contains(number) else {
      throw ArgumentValueError("expected a number of 1 to 255 or of 0x01 to 0xFF")
    }
    value = number
  }
}
