import BLECore
import Synchronization

/// Keeps what happened to the devices of a world, for the page of a failing test. From any thread.
///
/// `@unchecked Sendable`: of the recorder only what its mutex guards, or what never changes, is used; the rest is behind a mutex.
final class WorldMarks: @unchecked Sendable {
  enum Kind: Sendable {
    /// What the test did, or what happened to a device.
    case happening
    case fault
    /// Why the test failed.
    case failure
  }

  struct Entry: Sendable {
    /// The device's place among those of the world; `nil` for what concerns all.
    let device: Int?
    let instant: StackInstant
    let kind: Kind
    let text: String
    /// The number of packets of the world before it.
    let packets: Int
  }

  /// The maximum number of marks; when it is reached, the older half is discarded.
  private static let limit = 10_000

  fileprivate let recorder: Recorder
  private let state = Mutex(State())

  private struct State {
    var entries: [Entry] = []
    var discarded = 0
  }

  /// - Parameter recorder: keeps the packets of the same world; without packets there are no marks either.
  init(beside recorder: Recorder) { self.recorder = recorder }

  var all: [Entry] { state.withLock { $0.entries } }
  /// The number of marks so far: the place of the next among all.
  var count: Int { state.withLock { $0.discarded + $0.entries.count } }

  func add(_ kind: Kind, device: Int?, at instant: StackInstant, _ text: () -> String) {
    guard recorder.isOn else { return }
    let entry = Entry(device: device, instant: instant, kind: kind, text: text(), packets: recorder.count)
    state.withLock { state in
      if state.entries.count >= Self.limit {
        state.entries.removeFirst(Self.limit / 2)
        state.discarded += Self.limit / 2
      }
      state.entries.append(entry)
    }
  }
}

extension WorldMarks {
  /// - Parameter device: the name of the device that it happens to; `nil` for what concerns several. A scripted device has no lanes.
  func add(_ kind: Kind, deviceNamed device: String?, at instant: StackInstant, _ text: () -> String) {
    add(kind, device: device.flatMap { recorder.deviceNames.firstIndex(of: $0) }, at: instant, text)
  }
}

extension World {
  /// Marks on the page of a failing test what happens.
  /// - Parameters:
  ///   - text: a sentence.
  ///   - device: the name of the device that it happens to; `nil` for what concerns several.
  func mark(_ kind: WorldMarks.Kind, _ text: @autoclosure () -> String, device: String? = nil) {
    marks.add(kind, deviceNamed: device, at: loop.now, text)
  }
}
