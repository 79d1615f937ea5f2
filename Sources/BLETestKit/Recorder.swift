import BLECore
import BLEHCI
import BLEWire
import Synchronization

/// Remembers the latest traffic between the stacks of a world and their controllers. It grows on the loop, and may be looked at
/// from any thread: one case of a test that fails has the captures of all kept, also of those that still run.
final class Recorder {
  struct Entry: Sendable {
    let device: Int
    let packet: HCIPacket
    let direction: HCIDirection
    let instant: StackInstant
  }

  /// Older packets are forgotten, half of them at a time.
  private static let limit = 200_000

  private let isOn: Bool
  private let state = Mutex(State())

  private struct State {
    var deviceNames: [String] = []
    var entries: [Entry] = []
  }

  private var taps: [DeviceTap] = []

  init(isOn: Bool) { self.isOn = isOn }

  var deviceNames: [String] { state.withLock { $0.deviceNames } }
  /// With the names of the devices that they are of.
  var traffic: (deviceNames: [String], entries: [Entry]) { state.withLock { ($0.deviceNames, $0.entries) } }
  var entries: [Entry] { traffic.entries }

  /// What listens to one device; kept by the recorder.
  func tap(of name: String) -> (any HCITap)? {
    guard isOn else { return nil }
    let number = state.withLock { state in
      state.deviceNames.append(name)
      return state.deviceNames.count - 1
    }
    let tap = DeviceTap(recorder: self, device: number)
    taps.append(tap)
    return tap
  }

  fileprivate func add(_ entry: Entry) {
    state.withLock { state in
      if state.entries.count >= Self.limit { state.entries.removeFirst(Self.limit / 2) }
      state.entries.append(entry)
    }
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
