import BLECapture
import BLEClone
import BLECore
import Foundation

/// A log that is read piece by piece, as often as needed, with the progress on a terminal.
@MainActor struct CloneSource {
  private let path: String
  private let session: Session
  private let length: Int
  /// Whether the user may end the command while it reads; a recording that was ended by Ctrl-C is still read.
  private let mayEnd: Bool

  init(path: String, in session: Session, mayEnd: Bool = true) {
    self.path = path
    self.session = session
    self.mayEnd = mayEnd
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    length = attributes?[.size] as? Int ?? 0
  }

  /// What the log says of the device that is meant; of the only one if none is named.
  func device(named wanted: String?) async throws(ToolError) -> LoggedDevice {
    var survey = LogSurvey()
    let follower = try await read("Looking for devices") { survey.add($0) }
    let address = try choose(survey, follower, wanted)
    var device = LoggedDevice(address: address)
    _ = try await read("Reading") { event in
      if survey.identity(of: event.device) == address { device.add(event) }
    }
    if follower.framesOfUnknownLinks > 0 {
      session.output.note(
        "Note: \(follower.framesOfUnknownLinks) frames belong to links that began before the log: whose is not known.")
    }
    return device
  }

  /// Passes everything to `tell`. A log that ends in the middle, or is damaged, is used up to there.
  private func read(_ what: String, _ tell: (LogEvent) -> Void) async throws(ToolError) -> LogFollower {
    let reader = try CaptureFile.open(path)
    var follower = LogFollower()
    let progress = CloneProgress(what, length: length, session.output)
    var count = 0
    defer { progress.end() }
    while true {
      let packet: CapturedPacket?
      do throws(CaptureError) {
        packet = try reader.next()
      } catch {
        guard count > 0 else { throw ToolError(.badData, "\(path.inert): \(error.description.inert)") }
        progress.end()
        session.output.note("Note: \(path.inert) is used up to packet \(count): \(error.description.inert).")
        break
      }
      guard let packet else { break }
      count += 1
      for event in follower.follow(packet) { tell(event) }
      guard count.isMultiple(of: 4_096) else { continue }
      progress.show(packets: count)
      await Task.yield()
      if mayEnd, let interruption = session.waiting.interruption { throw interruption }
    }
    return follower
  }

  // MARK: The device

  private func choose(
    _ survey: LogSurvey, _ follower: LogFollower, _ wanted: String?
  ) throws(ToolError) -> DeviceAddress {
    do throws(LogChoiceError) {
      return try survey.choice(wanted, follower)
    } catch {
      let name = (wanted ?? "").inert
      switch error {
      case .severalTalked(let talked):
        throw ToolError(
          .usage, "The log has conversations with \(talked.count) devices: choose one with --device.\n" + list(talked))
      case .unknown(let talked):
        throw ToolError(
          .notFound,
          "The log has no device '\(name)'." + (talked.isEmpty ? "" : " It has these:\n" + list(talked)))
      case .ambiguous(let found):
        throw ToolError(.usage, "'\(name)' can be \(found.count) devices of the log:\n" + list(found))
      case .nothing(let reasons):
        let why = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
        throw ToolError(.badData, "\(path.inert) has no conversation with a device" + why + ".")
      }
    }
  }

  private func list(_ devices: [LogSurvey.Device]) -> String {
    let lines = devices.prefix(20).map { device in
      "  \(device.address)  \(device.name?.inert ?? "(no name)")  \(device.pduCount) PDUs, \(device.linkCount) links"
    }
    return (lines + (devices.count > 20 ? ["  and \(devices.count - 20) more"] : [])).joined(separator: "\n")
  }
}

/// How far a log has been read.
@MainActor struct CloneProgress {
  private let what: String
  private let size: String
  private let line: ProgressLine?

  init(_ what: String, length: Int, _ output: Output) {
    self.what = what
    size = length > 0 ? " \(length >> 20) MiB" : ""
    line = !output.isQuiet && !output.isJSON && ProgressLine.isTerminal ? ProgressLine() : nil
  }

  func show(packets: Int) { line?.show("\(what)\(size): \(packets) packets") }
  func end() { line?.clear() }
}
