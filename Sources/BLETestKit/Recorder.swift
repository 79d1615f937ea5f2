import BLECore
import BLEHCI
import BLEWire

/// Remembers the latest traffic between the stacks of a world and their controllers. On the loop.
final class Recorder {
  struct Entry {
    let device: Int
    let packet: HCIPacket
    let direction: HCIDirection
    let instant: StackInstant
  }

  /// Older packets are forgotten, half of them at a time.
  private static let limit = 200_000

  private let isOn: Bool
  private(set) var deviceNames: [String] = []
  private(set) var entries: [Entry] = []
  private var taps: [DeviceTap] = []

  init(isOn: Bool) { self.isOn = isOn }

  /// What listens to one device; kept by the recorder.
  func tap(of name: String) -> (any HCITap)? {
    guard isOn else { return nil }
    let tap = DeviceTap(recorder: self, device: deviceNames.count)
    deviceNames.append(name)
    taps.append(tap)
    return tap
  }

  fileprivate func add(_ entry: Entry) {
    if entries.count >= Self.limit { entries.removeFirst(Self.limit / 2) }
    entries.append(entry)
  }
}

private final class DeviceTap: HCITap {
  private unowned let recorder: Recorder
  private let device: Int

  init(recorder: Recorder, device: Int) {
    self.recorder = recorder
    self.device = device
  }

  func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    recorder.add(Recorder.Entry(device: device, packet: packet, direction: direction, instant: instant))
  }
}
