public import BLECore

/// A whole L2CAP frame of a captured link.
public struct CapturedFrame: Equatable, Sendable {
  public let link: CapturedFrames.Link
  public let direction: CaptureDirection
  public let channel: ChannelIdentifier
  /// What follows the frame's header.
  public let payload: ArraySlice<UInt8>

  public init(
    link: CapturedFrames.Link, direction: CaptureDirection, channel: ChannelIdentifier, payload: ArraySlice<UInt8>
  ) {
    self.link = link
    self.direction = direction
    self.channel = channel
    self.payload = payload
  }
}
