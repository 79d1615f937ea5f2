import BLECapture
import BLECore
import BLEHCI
import BLEWire
import Synchronization

/// Keeps the latest traffic between the stacks of a world and their controllers. Appended to on the loop and read from any
/// thread: when one case of a test fails, the captures of all cases are written, including those that still run.
final class Recorder {
  struct Entry: Sendable {
    let device: Int
    let packet: HCIPacket
    let direction: HCIDirection
    let instant: StackInstant

    /// As captures have it; each device has an interface.
    var captured: CapturedPacket {
      CapturedPacket(
        timestamp: CaptureTimestamp(instant, origin: .virtualOrigin), interface: device,
        content: .hci(packet, direction == .toHost ? .received : .sent))
    }
  }

  let isOn: Bool
  private let state = Mutex(State())

  private struct State {
    var deviceNames: [String] = []
    var entries = RecordedTraffic()
    var hasEnded = false
  }

  private var taps: [DeviceTap] = []

  /// Gets each packet as it comes, and keeps it if the process ends. Used on the loop, and before its first run.
  private let immediate: PcapNGWriter?

  init(isOn: Bool, _ immediate: PcapNGWriter? = nil) {
    self.isOn = isOn
    self.immediate = immediate
  }

  var deviceNames: [String] { state.withLock { $0.deviceNames } }
  /// The number of packets so far: the place of the next among all of the world.
  var count: Int { state.withLock { $0.entries.total } }
  /// The traffic, with the names of the devices.
  var traffic: (deviceNames: [String], entries: RecordedTraffic) { state.withLock { ($0.deviceNames, $0.entries) } }
  var entries: RecordedTraffic { traffic.entries }

  /// The tap of one device; the recorder owns it.
  func tap(of name: String) -> (any HCITap)? {
    guard isOn else { return nil }
    let number = state.withLock { state in
      state.deviceNames.append(name)
      return state.deviceNames.count - 1
    }
    immediate?.addInterface(.hci, name: name)
    let tap = DeviceTap(recorder: self, device: number)
    taps.append(tap)
    return tap
  }

  /// The world has ended: what its stacks do when they are closed is not kept.
  func end() { state.withLock { $0.hasEnded = true } }

  fileprivate func add(_ entry: Entry) {
    guard !state.withLock({ $0.hasEnded }) else { return }
    if let immediate {
      immediate.write(entry.captured)
      immediate.flush()
    }
    state.withLock { $0.entries.append(entry) }
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
