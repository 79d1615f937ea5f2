public import BLECapture
import BLECore
import BLEWire

/// Writes a time line as one HTML file that needs nothing else: lanes for program, host and peers of each device, calls and callbacks
/// joined to the packets that they caused, quiet folded away, and for each packet its text and its octets.
///
/// Give it everything in the order in which it happened. It writes as it goes: memory is bounded, whatever the number of packets.
public final class TimelineWriter {
  /// The maximum number of events of a page. What comes after them is counted, and the page says so.
  public static let eventLimit = 500_000
  /// The maximum number of devices with lanes of their own; the others share the last.
  static let deviceLimit = 64
  /// The maximum length of a text, and of a packet's octets that are shown.
  private static let textLimit = 4_000
  private static let octetLimit = 4_096

  /// Why the page could not be written; `nil` while it can.
  public private(set) var failure: CaptureError?
  /// The number of events so far.
  public private(set) var eventCount = 0

  private let output: any CaptureOutput
  private var joins = TimelineJoins()
  private var chunk = TimelineChunk()
  private var deviceNames: [String] = []
  private var notes: [String] = []
  private var leftOut = 0
  private var latest = CaptureTimestamp(nanoseconds: 0)
  private var stepsBack = 0

  /// Begins the page.
  /// - Parameter title: what it shows, for people.
  public init(title: String, to output: any CaptureOutput) {
    self.output = output
    write(Array(TimelinePage.head(title: title).utf8))
  }

  /// Adds a device, and returns its number for the events.
  public func addDevice(_ name: String) -> Int {
    if deviceNames.count >= Self.deviceLimit {
      deviceNames[Self.deviceLimit - 1] = "others"
      return Self.deviceLimit - 1
    }
    deviceNames.append(cut(name))
    return deviceNames.count - 1
  }

  /// Adds a remark that stands at the top of the page.
  public func addNote(_ text: String) { notes.append(cut(text)) }

  /// Adds a packet that was sent or received by a device.
  public func add(_ dissected: DissectedPacket, device: Int) {
    let facts = PacketFacts(dissected)
    let octets =
      switch dissected.packet.content {
      case .hci(let hci, _): hci.octets
      case .air(let air): air.pdu
      case .other(_, let octets): octets
      }
    append(
      TimelineRow(
        kind: facts.kind, device: device + 1, isSent: facts.isSent, isError: facts.isError, text: cut(dissected.text),
        peer: cut(
          dissected.deviceName ?? (dissected.devices.count == 1 ? dissected.devices.first?.description : nil) ?? ""),
        octets: Array(octets.prefix(Self.octetLimit)),
        causes: joins.causes(of: facts, row: eventCount, device: device)),
      at: dissected.packet.timestamp)
  }

  /// Adds a call of a program on a device, or a callback to it.
  public func add(_ step: ProgramStep, device: Int, at time: CaptureTimestamp) {
    let text = step.arguments.isEmpty ? step.name : "\(step.name) \(step.arguments)"
    append(
      TimelineRow(
        kind: step.direction == .call ? .call : .callback, device: device + 1, isSent: step.direction == .call,
        isError: step.hasError, text: cut(text), peer: step.peer?.description ?? "",
        causes: joins.causes(of: step, row: eventCount, device: device)),
      at: time)
  }

  /// Adds a mark: of one device, or of all without a number.
  public func add(_ mark: TimelineMark, device: Int? = nil, at time: CaptureTimestamp) {
    append(
      TimelineRow(
        kind: mark.kind, device: device.map { $0 + 1 } ?? 0, isError: mark.kind == .failure, text: cut(mark.text)),
      at: time)
  }

  /// Ends the page.
  public func finish() {
    write(chunk.elements)
    var about = notes
    if leftOut > 0 { about.append("\(leftOut) later events are left out: a page has \(Self.eventLimit) at the most.") }
    if stepsBack > 0 {
      about.append("The clock was set back \(stepsBack) times: events stand in the order in which they were recorded.")
    }
    var data = PageData()
    data.append(raw: "<script type=\"application/json\" id=\"about\">{\"devices\":")
    data.append(deviceNames)
    data.append(raw: ",\"notes\":")
    data.append(about)
    data.append(raw: ",\"chunk\":")
    data.append(TimelineChunk.rowCount)
    data.append(raw: "}</script>\n")
    write(data.octets)
    write(Array(TimelinePage.foot.utf8))
    do throws(CaptureError) { try output.flush() } catch { failure = failure ?? error }
  }

  private func append(_ row: TimelineRow, at time: CaptureTimestamp) {
    guard eventCount < Self.eventLimit else {
      leftOut += 1
      return
    }
    if eventCount == 0 { latest = time }
    if time < latest { stepsBack += 1 }
    let now = max(time, latest)
    let (delta, overflow) = now.nanoseconds.subtractingReportingOverflow(latest.nanoseconds)
    // Beyond a year nothing is to scale.
    chunk.append(row, number: eventCount, after: overflow ? Self.longest : min(Int(delta), Self.longest))
    latest = now
    eventCount += 1
    guard chunk.isFull else { return }
    write(chunk.elements)
    chunk = TimelineChunk()
  }

  /// A year in nanoseconds; the sum for all events stays below 2^53 only without many of them, which a page tolerates.
  private static let longest = 31_536_000_000_000_000

  private func cut(_ text: String) -> String {
    text.utf8.count <= Self.textLimit ? text : "\(text.prefix(Self.textLimit / 4))…"
  }

  private func write(_ octets: [UInt8]) {
    guard failure == nil else { return }
    do throws(CaptureError) { try output.append(octets) } catch { failure = error }
  }
}
