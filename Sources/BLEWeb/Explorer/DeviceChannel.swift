import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// An L2CAP channel of an open device, or of what the explorer publishes. Its streams are used on the main queue, where Core Bluetooth calls their delegate.
///
/// What the device sends is read at a pace that browsers can follow; while nothing is read, Core Bluetooth gives the device no credits, so
/// it is the device that waits. What is sent to a device that gives no credits waits here, up to a limit.
@MainActor final class DeviceChannel: NSObject, StreamDelegate {
  /// Octets of one request.
  nonisolated static let longestSend = 16 << 10
  /// Octets that wait to be sent.
  private static let mostWaiting = 256 << 10
  /// Octets that are read within `turn`.
  private static let mostInTurn = 32 << 10
  private static let turn = Duration.milliseconds(250)
  /// Octets of one event.
  private static let longestPiece = 4_096

  let number: Int
  private let psm: CBL2CAPPSM
  /// Who is at the other end.
  private let peer: UUID
  let clock: any SessionClock
  private let publish: (_ event: String, JSONValue) -> Void
  /// `nil` when it has ended.
  private(set) var channel: CBL2CAPChannel?
  private var waiting: [UInt8] = []
  private(set) var (received, sent) = (0, 0)
  /// The measurement that is under way, or the last one, and what looks after it.
  var measurement: ChannelMeasurement?
  var measuring: (any SessionTimer)?
  private var isPaused = false
  /// Octets that may be read in this turn, which ends by the timer.
  private var room = mostInTurn
  private var nextTurn: (any SessionTimer)?
  /// Why it has ended.
  private var reason: String?
  private var pieces = PieceHistory()

  init(
    _ opened: OpenedChannel, number: Int, clock: any SessionClock,
    publish: @escaping (_ event: String, JSONValue) -> Void
  ) {
    self.number = number
    self.clock = clock
    self.publish = publish
    psm = opened.channel.psm
    peer = opened.channel.peer.identifier
    channel = opened.channel
    super.init()
    for stream in [opened.channel.inputStream as Stream?, opened.channel.outputStream] {
      stream?.delegate = self
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
  }

  var isOpen: Bool { channel != nil }

  nonisolated func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let isOver = eventCode == .endEncountered || eventCode == .errorOccurred
    let problem = aStream.streamError?.localizedDescription
    MainActor.assumeIsolated {
      if isOver { hasEnded(problem) } else { move() }
    }
  }

  /// Reads what has come and sends what waits, as far as there is room on either side.
  func move() {
    read()
    let before = waiting.count
    write()
    sent += writeMeasured()
    if waiting.count != before { publishState() }
  }

  // MARK: Receiving

  private func read() {
    if isMeasuring { return readMeasured() }
    while !isPaused, room > 0, let count = readPiece(atMost: room) { room -= count }
    guard room < Self.mostInTurn, nextTurn == nil, isOpen else { return }
    nextTurn = clock.schedule(after: Self.turn, on: .main) { [weak self] in
      MainActor.assumeIsolated { self?.beginTurn() }
    }
  }

  private func beginTurn() {
    nextTurn = nil
    room = Self.mostInTurn
    read()
  }

  /// - Returns: the octets that were read; `nil` where there are none.
  private func readPiece(atMost limit: Int) -> Int? {
    guard let piece = nextPiece(atMost: min(limit, Self.longestPiece)) else { return nil }
    keep(piece, .received)
    return piece.count
  }

  /// Octets that have come; `nil` where there are none.
  func nextPiece(atMost limit: Int = longestPiece) -> [UInt8]? {
    guard let input = channel?.inputStream, input.hasBytesAvailable else { return nil }
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = input.read(&buffer, maxLength: buffer.count)
    guard count > 0 else { return nil }
    received += count
    return Array(buffer.prefix(count))
  }

  func pause(_ isOn: Bool) {
    isPaused = isOn
    read()
    publishState()
  }

  // MARK: Sending

  /// - Throws: `unavailable` where it has ended, or where too much waits for the device's credits.
  func send(_ octets: [UInt8]) throws(APIError) {
    try requireRest()
    guard waiting.count + octets.count <= Self.mostWaiting else {
      throw APIError(
        .unavailable,
        "\(waiting.count) octets wait until the device takes them: no more than \(Self.mostWaiting) may wait")
    }
    waiting += octets
    keep(octets, .sent)
    write()
    publishState()
  }

  private func write() {
    guard let output = channel?.outputStream else { return }
    while !waiting.isEmpty, output.hasSpaceAvailable {
      let count = Self.write(waiting, to: output)
      guard count > 0 else { break }
      waiting.removeFirst(count)
      sent += count
    }
  }

  static func write(_ octets: [UInt8], to output: OutputStream) -> Int {
    octets.withUnsafeBufferPointer { rest in rest.baseAddress.map { output.write($0, maxLength: rest.count) } ?? 0 }
  }

  /// - Throws: `unavailable` where it has ended, or a measurement is under way.
  func requireRest() throws(APIError) {
    guard isOpen else { throw APIError(.unavailable, "the channel has ended: \(reason ?? "")") }
    guard !isMeasuring else {
      throw APIError(.unavailable, "a measurement of this channel is under way: cancel it, or wait for its end")
    }
  }

  var hasWaiting: Bool { !waiting.isEmpty }

  // MARK: The end

  /// - Parameter problem: `nil` where the device has closed it.
  private func hasEnded(_ problem: String?) {
    // What came before its end. Core Bluetooth keeps 64 KiB at the most.
    if isMeasuring { readMeasured() }
    while readPiece(atMost: Self.longestPiece) != nil {}
    end(problem ?? "the device has closed it")
  }

  /// Closes it; what was taken by Core Bluetooth is still sent.
  func end(_ why: String) {
    guard let channel else { return }
    endMeasurement(.failed, "the channel has ended: \(why)")
    self.channel = nil
    nextTurn?.cancel()
    channel.inputStream.close()
    channel.outputStream.close()
    reason = waiting.isEmpty ? why : "\(why); \(waiting.count) octets were not sent"
    waiting = []
    publishState()
  }

  // MARK: For people

  private func keep(_ octets: [UInt8], _ way: PieceHistory.Way) {
    let piece = pieces.keep(octets, way, at: clock.now)
    publish(
      "channel_data",
      .combined(piece, ["channel": .integer(number), "received": .integer(received), "sent": .integer(sent)]))
  }

  func publishState() { publish("channel", json) }

  var json: JSONValue {
    [
      "channel": .integer(number), "psm": .integer(Int(psm)), "open": .bool(isOpen), "reason": .string(orNull: reason),
      "received": .integer(received), "sent": .integer(sent), "waiting": .integer(waiting.count),
      "paused": .bool(isPaused), "peer": .string(peer.uuidString), "throughput": measurement?.json ?? .null,
    ]
  }

  /// The same with the last octets, oldest first.
  var whole: JSONValue { .combined(json, ["pieces": pieces.json]) }
}
