import BLEAdapter
import BLECapture
import BLECore
import BLETimeline

/// The page of a world: its packets, the calls and callbacks of its programs, and what happened to its devices.
extension WorldCapture {
  /// The maximum number of packets of a page; the latest are taken.
  private static let packetLimit = 100_000

  /// Something besides packets.
  private struct Beside {
    let packets: Int
    let instant: StackInstant
    /// Twice the number of marks before it, and one more for a mark. While a test marks something, no program runs: what of one instant
    /// came before the mark, and what behind it, is the same in each run.
    let rank: Int
    let write: (TimelineWriter) -> Void
  }

  /// Writes the page.
  /// - Parameter test: the name of the test.
  /// - Throws: `CaptureError`, if it cannot be written.
  func writePage(ofTest test: String, to output: any CaptureOutput) throws(CaptureError) {
    let traffic = recorder.traffic
    let skipped = max(0, traffic.entries.count - Self.packetLimit)
    let first = recorder.count - traffic.entries.count
    let writer = TimelineWriter(title: "\(test), seed \(seed)", to: output)
    for name in traffic.deviceNames { _ = writer.addDevice(name) }
    let dissection = CaptureDissection(takesSecretsOut: true)
    var selection = CaptureSelection(includesSetup: false)
    var besides = self.besides[...]
    for (index, entry) in traffic.entries.enumerated() {
      while let beside = besides.first, beside.packets <= first + index {
        if index >= skipped { beside.write(writer) }
        besides.removeFirst()
      }
      let dissected = dissection.dissect(entry.captured)
      if selection.contains(dissected), index >= skipped { writer.add(dissected, device: entry.device) }
    }
    for beside in besides { beside.write(writer) }
    note(in: writer, skipped: first + skipped, setup: selection.setupCount)
    writer.finish()
    if let failure = writer.failure { throw failure }
  }

  /// Marks why the test failed.
  /// - Parameter instant: when; `nil` if the world has been released since, which is at the end of what it recorded.
  func markFailure(_ words: String, at instant: StackInstant?) {
    let last = max(recorder.entries.last?.instant ?? .zero, programs.entries.last?.event.time ?? .zero)
    marks.add(.failure, device: nil, at: instant ?? last) { words }
  }

  private func note(in writer: TimelineWriter, skipped: Int, setup: Int) {
    for entry in marks.all where entry.kind == .failure { writer.addNote(entry.text) }
    writer.addNote("To run the test again: BLE_SEED=\(seed).")
    if skipped > 0 { writer.addNote("\(skipped) earlier packets are left out.") }
    if setup > 0 { writer.addNote("\(setup) packets of the controllers' set-up are left out; the capture has them.") }
    writer.addNote("Keys are replaced by zeros.")
  }

  /// In the order in which they happened.
  private var besides: [Beside] {
    let steps = programs.entries.compactMap { entry in
      ProgramStep(entry.event).map { step in
        Beside(packets: entry.packets, instant: entry.event.time, rank: 2 * entry.marks) {
          $0.add(step, device: entry.device, at: Self.time(entry.event.time))
        }
      }
    }
    let kept = marks.all
    let discarded = marks.count - kept.count
    let marked = kept.enumerated().map { index, entry in
      let mark: TimelineMark =
        switch entry.kind {
        case .happening: .happening(entry.text)
        case .fault: .fault(entry.text)
        case .failure: .failure(entry.text)
        }
      return Beside(packets: entry.packets, instant: entry.instant, rank: 2 * (discarded + index) + 1) {
        $0.add(mark, device: entry.device, at: Self.time(entry.instant))
      }
    }
    let all = steps + marked
    return all.indices.sorted { left, right in
      let (one, other) = (all[left], all[right])
      if one.packets != other.packets { return one.packets < other.packets }
      if one.instant != other.instant { return one.instant < other.instant }
      return one.rank != other.rank ? one.rank < other.rank : left < right
    }.map { all[$0] }
  }

  private static func time(_ instant: StackInstant) -> CaptureTimestamp {
    CaptureTimestamp(instant, origin: .virtualOrigin)
  }
}

extension ProgramStep {
  /// The longest argument that is shown.
  private static let argumentLength = 200

  /// `nil` for what a page does not show: that a method has returned.
  init?(_ event: ProgramEvent) {
    var (direction, name, hasError) = (Direction.callback, event.name, event.error != nil)
    switch event.kind {
    case .call: direction = .call
    case .callback: break
    case .undelivered: (name, hasError) = ("no delegate for \(event.name)", true)
    case .unhandled: name = "default implementation of \(event.name)"
    case .misuse(let misuse):
      (direction, name, hasError) = (.call, "API MISUSE \(misuse.rawValue) in \(event.name)", true)
    case .result, .returned: return nil
    }
    var parts = event.arguments.map { "\($0.label): \($0.text.prefix(Self.argumentLength))" }
    if let attribute = event.attribute { parts.insert("\(attribute.uuid)", at: 0) }
    if let octets = event.octets { parts.append("\(octets) octets") }
    if let error = event.error { parts.append("error: \(error)") }
    self.init(
      direction, name, arguments: parts.joined(separator: ", "), hasError: hasError, peer: event.address,
      attributeType: event.attribute?.uuid, attribute: event.attribute?.handle)
  }
}
