/// What an event of a time line is. The raw value is the number in the page's data.
enum TimelineKind: Int, CaseIterable, Sendable {
  case call = 0
  case callback = 1
  /// Something that the test did, or that happened to it.
  case mark = 2
  case fault = 3
  case failure = 4
  case command = 5
  case event = 6
  /// Advertisements that a controller reports.
  case report = 7
  /// Number of Completed Packets.
  case bookkeeping = 8
  case attribute = 9
  case signaling = 10
  case security = 11
  /// A frame of an L2CAP channel.
  case channel = 12
  /// A part of a frame.
  case piece = 13
  case air = 14
  case other = 15

  /// The lane in which it stands.
  var lane: Lane {
    switch self {
    case .call, .callback: .app
    case .mark, .fault, .failure: .everywhere
    case .command, .event, .bookkeeping, .other: .host
    case .report, .attribute, .signaling, .security, .channel, .piece, .air: .peer
    }
  }

  /// The lanes of each device.
  enum Lane: Int, Sendable {
    /// Across all lanes.
    case everywhere = 0
    /// Between a program and Core Bluetooth.
    case app = 1
    /// Between the host and its controller.
    case host = 2
    /// Between the device and others.
    case peer = 3
  }
}
