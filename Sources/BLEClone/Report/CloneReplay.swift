import BLECapture
import BLECore
import BLEDeviceFiles
import BLEWire

/// Plays the requests, commands and confirmations of a log against a clone, at their times, and compares what it sends with the log.
public struct CloneReplay {
  private struct Said {
    let number: Int
    let time: CaptureTimestamp
    let octets: [UInt8]
  }

  /// How far behind the place of a missing or additional notification the same one is looked for.
  private static let window = 16
  /// A clone that speaks far more than its log is stopped: the log has times in which it would speak without end.
  private static let mostSurplus = 65_536

  private let device: LoggedDevice
  private var server: ClonedServer
  private var report = CloneReport()
  private var sent = 0

  public init(_ device: LoggedDevice, _ recording: RecordedDevice) {
    self.device = device
    server = ClonedServer(recording)
  }

  /// The comparison.
  public consuming func run() -> CloneReport {
    var pdus: [Int: [(number: Int, pdu: LoggedDevice.PDU)]] = [:]
    for (index, pdu) in device.pdus.enumerated() { pdus[pdu.link, default: []].append((index + 1, pdu)) }
    var now = Duration.zero
    for link in device.links { play(link, pdus[link.number] ?? [], &now) }
    return report
  }

  private mutating func play(
    _ link: LoggedDevice.Link, _ pdus: [(number: Int, pdu: LoggedDevice.PDU)], _ now: inout Duration
  ) {
    let origin = device.links.first?.began.nanoseconds ?? 0
    func time(_ stamp: CaptureTimestamp, after earlier: Duration) -> Duration {
      let (difference, overflow) = stamp.nanoseconds.subtractingReportingOverflow(origin)
      return overflow ? earlier : max(earlier, .microseconds(difference / 1_000))
    }
    now = time(link.began, after: now)
    server.connected(at: now)
    let encrypted = link.encryptedAt.map { time($0, after: now) }
    var isEncrypted = false
    var expected: [Said] = []
    var found: [[UInt8]] = []
    /// The request that waits for the log's response, and what the clone has answered.
    var open: (request: [UInt8], response: [UInt8]?)?
    for (number, pdu) in pdus {
      now = time(pdu.time, after: now)
      if !isEncrypted, let encrypted, encrypted <= now {
        server.encrypted()
        isEncrypted = true
      }
      let said = advance(to: now)
      found += said
      let role = pdu.octets.first.flatMap { ATTOpcode($0).role }
      guard pdu.isFromDevice else {
        let answers = server.receive(pdu.octets, at: now)
        if role == .request {
          open = (pdu.octets, answers.first)
        } else {
          found += answers
        }
        // What is due at once follows the response.
        found += advance(to: now)
        continue
      }
      let entry = Said(number: number, time: pdu.time, octets: pdu.octets)
      guard role == .response else {
        expected.append(entry)
        continue
      }
      guard let asked = open else { continue }
      open = nil
      compare(entry, asked)
    }
    if let ended = link.ended { now = time(ended, after: now) }
    found += advance(to: now)
    server.disconnected()
    compare(expected, found)
  }

  private mutating func advance(to now: Duration) -> [[UInt8]] {
    guard sent <= device.pdus.count + Self.mostSurplus else { return [] }
    let said = server.advance(to: now)
    sent += said.count
    return said
  }

  private mutating func compare(_ said: Said, _ asked: (request: [UInt8], response: [UInt8]?)) {
    report.total += 1
    report.responses += 1
    if asked.response == said.octets {
      report.reproduced += 1
      report.reproducedResponses += 1
    } else {
      report.wrongRequests.insert(asked.request)
      report.differ(said.number, said.time, said.octets, asked.response)
    }
  }

  /// What is unsolicited has its order only: an additional or a missing one does not make all others different.
  private mutating func compare(_ expected: [Said], _ found: [[UInt8]]) {
    report.total += expected.count
    var (left, right) = (0, 0)
    while left < expected.count, right < found.count {
      if expected[left].octets == found[right] {
        report.reproduced += 1
        left += 1
        right += 1
        continue
      }
      let (missing, surplus) = Self.step(expected[left...].prefix(Self.window), found[right...].prefix(Self.window))
      for entry in expected[left..<(left + missing)] {
        report.differ(entry.number, entry.time, entry.octets, surplus > 0 ? found[right] : nil)
      }
      report.surplus += surplus
      left += missing
      right += surplus
    }
    for entry in expected[left...] { report.differ(entry.number, entry.time, entry.octets, nil) }
    report.surplus += found.count - right
  }

  /// How many of each side to skip until both are the same again.
  private static func step(_ expected: ArraySlice<Said>, _ found: ArraySlice<[UInt8]>) -> (Int, Int) {
    for sum in 1..<(expected.count + found.count - 1) {
      for missing in max(0, sum - found.count + 1)...min(sum, expected.count - 1) {
        let surplus = sum - missing
        if expected[expected.startIndex + missing].octets == found[found.startIndex + surplus] {
          return (missing, surplus)
        }
      }
    }
    return (expected.count, found.count)
  }
}
