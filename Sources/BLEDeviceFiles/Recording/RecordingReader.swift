import BLESession
import BLEText
import CoreBluetooth

/// `recording`: what a log shows of a device. Mistakes are recorded with their positions, and reading continues.
struct RecordingReader {
  let mistakes: MistakeList

  static let mostEntries = 65_535
  /// A year, in seconds.
  private static let longestTime = 31_536_000.0
  /// A stream that is repeated leaves the others room to speak.
  private static let shortestPause: Int64 = 1_000

  func read(_ json: PositionedJSON) -> RecordedDevice? {
    guard var object = FileObject(json, "the recording", mistakes) else { return nil }
    var recording = RecordedDevice()
    recording.advertisements = entries(&object, "advertisements", advertisement)
    recording.maximumTransmissionUnit = object.optional("mtu") { (json) throws(PositionedError) in
      UInt16(try json.integer(23...65_535, "an MTU"))
    }
    recording.connections = entries(&object, "connections", connection)
    recording.parameterRequests = entries(&object, "parameter_requests", parameterRequest)
    recording.security = object.optional("security") { (json) in self.security(json) } ?? RecordedSecurity()
    let attributes = object.member("attributes")
    recording.attributes = attributes.map { self.attributes($0) } ?? []
    recording.answers = entries(&object, "answers", answer)
    recording.streams = entries(&object, "streams", stream)
    recording.exchanges = entries(&object, "exchanges", exchange)
    recording.notes =
      object.optional("notes") { (json) throws(PositionedError) in
        try json.list("a list of notes", 0...1_024) { (json) throws(PositionedError) in
          try json.text(longest: DeviceFileReader.longestSummary, "a note")
        }
      } ?? []
    object.finish()
    return recording
  }

  private func entries<Entry>(
    _ object: inout FileObject, _ key: String, _ read: (PositionedJSON) -> Entry?
  ) -> [Entry] {
    let found = object.optional(key) { (json) throws(PositionedError) in
      try json.list("a list of \(key)", 0...Self.mostEntries) { (json) in read(json) }
    }
    return (found ?? []).compactMap { $0 }
  }

  // MARK: The link

  private func advertisement(_ json: PositionedJSON) -> RecordedAdvertisement? {
    guard var object = FileObject(json, "an advertisement", mistakes) else { return nil }
    let data = object.required("data") { (json) throws(PositionedError) in
      try json.octets(0...1_650, "advertising data")
    }
    let isScanResponse = flag(&object, "scan_response")
    let isConnectable = flag(&object, "connectable")
    let interval = object.optional("interval", Self.time)
    object.finish()
    return data.map {
      RecordedAdvertisement(
        data: $0, isScanResponse: isScanResponse, isConnectable: isConnectable, interval: interval)
    }
  }

  private func connection(_ json: PositionedJSON) -> RecordedConnection? {
    guard var object = FileObject(json, "a connection", mistakes) else { return nil }
    let interval = number(&object, "interval", "an interval in units of 1.25 ms")
    let latency = number(&object, "latency", "a number of connection events")
    let timeout = number(&object, "timeout", "a supervision timeout in units of 10 ms")
    object.finish()
    guard let interval, let latency, let timeout else { return nil }
    return RecordedConnection(interval: interval, latency: latency, supervisionTimeout: timeout)
  }

  private func number(_ object: inout FileObject, _ key: String, _ what: String) -> UInt16? {
    object.required(key) { (json) throws(PositionedError) in UInt16(try json.integer(0...65_535, what)) }
  }

  private func parameterRequest(_ json: PositionedJSON) -> RecordedParameterRequest? {
    guard var object = FileObject(json, "a request for parameters", mistakes) else { return nil }
    let delay = object.optional("after", Self.time) ?? 0
    let least = number(&object, "least_interval", "an interval in units of 1.25 ms")
    let greatest = number(&object, "greatest_interval", "an interval in units of 1.25 ms")
    let latency = number(&object, "latency", "a number of connection events")
    let timeout = number(&object, "timeout", "a supervision timeout in units of 10 ms")
    object.finish()
    guard let least, let greatest, let latency, let timeout else { return nil }
    return RecordedParameterRequest(
      delay: delay, minimumInterval: least, maximumInterval: greatest, latency: latency, supervisionTimeout: timeout)
  }

  private func security(_ json: PositionedJSON) -> RecordedSecurity? {
    guard var object = FileObject(json, "\"security\"", mistakes) else { return nil }
    var security = RecordedSecurity()
    security.isDemanded = flag(&object, "demanded")
    security.isPaired = flag(&object, "paired")
    security.isEncrypted = flag(&object, "encrypted")
    object.finish()
    return security
  }

  func flag(_ object: inout FileObject, _ key: String) -> Bool {
    object.optional(key) { (json) throws(PositionedError) in try json.boolean() } ?? false
  }

  // MARK: What is said

  private func answer(_ json: PositionedJSON) -> RecordedAnswer? {
    guard var object = FileObject(json, "an answer", mistakes) else { return nil }
    let handle = object.required("to", Self.handle)
    let same = object.optional("same", Self.octets)
    let prefix = object.optional("prefix", Self.octets)
    let says = object.member("says")
    let turnsJSON = says == nil ? object.member("turns") : nil
    object.finish()
    if (same == nil) == (prefix == nil) {
      mistakes.note(PositionedError(json.position, "an answer needs either \"same\" or \"prefix\""))
    }
    guard says != nil || turnsJSON != nil else {
      mistakes.note(PositionedError(json.position, "an answer needs \"says\" or \"turns\""))
      return nil
    }
    let turns =
      turnsJSON.flatMap { json in
        mistakes.attempt { () throws(PositionedError) in
          try json.list("a list of turns", 1...Self.mostEntries) { (json) in self.statements(json) }
        }
      } ?? says.map { [statements($0)] }
    guard let handle, let turns, let match = same.map(RecordedAnswer.Match.same) ?? prefix.map({ .prefix($0) }) else {
      return nil
    }
    return RecordedAnswer(handle: handle, match: match, turns: turns)
  }

  private func statements(_ json: PositionedJSON) -> [RecordedStatement] {
    let found = mistakes.attempt { () throws(PositionedError) in
      try json.list("a list of what is said", 0...Self.mostEntries) { (json) in self.statement(json) }
    }
    return (found ?? []).compactMap { $0 }
  }

  private func statement(_ json: PositionedJSON) -> RecordedStatement? {
    guard var object = FileObject(json, "what is said", mistakes) else { return nil }
    let handle = object.required("from", Self.handle)
    let isIndication = flag(&object, "indicates")
    let delay = object.optional("after", Self.time) ?? 0
    let value = object.required("value") { (json) in self.value(json) }
    object.finish()
    guard let handle, let value else { return nil }
    return RecordedStatement(handle: handle, isIndication: isIndication, delay: delay, value: value)
  }

  private func stream(_ json: PositionedJSON) -> RecordedStream? {
    guard var object = FileObject(json, "a stream", mistakes) else { return nil }
    let handle = object.required("from", Self.handle)
    let isIndication = flag(&object, "indicates")
    let beginning: RecordedStream.Beginning? = object.optional("begins") { (json) throws(PositionedError) in
      try json.word("what a stream begins with")
    }
    let runs = object.required("times") { (json) throws(PositionedError) in
      try json.list("a list of runs", 1...Self.mostEntries) { (json) throws(PositionedError) in try Self.run(json) }
    }
    let value = object.required("value") { (json) in self.value(json) }
    let pause = object.optional("pause") { (json) throws(PositionedError) in
      let pause = try Self.time(json)
      guard pause >= Self.shortestPause else { throw PositionedError(json.position, "expected 0.001 s or more") }
      return pause
    }
    object.finish()
    guard let handle, let runs, let value else { return nil }
    return RecordedStream(
      handle: handle, isIndication: isIndication, beginning: beginning ?? .subscription, runs: runs, value: value,
      pause: pause)
  }

  private static func run(_ json: PositionedJSON) throws(PositionedError) -> [Int64] {
    let run = try json.list("a list of times", 0...mostEntries) { (json) throws(PositionedError) in try time(json) }
    guard zip(run, run.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw PositionedError(json.position, "expected the times in ascending order")
    }
    return run
  }

  private func exchange(_ json: PositionedJSON) -> RecordedExchange? {
    guard var object = FileObject(json, "an exchange", mistakes) else { return nil }
    let request = object.required("request") { (json) throws(PositionedError) in
      try json.octets(1...65_535, "a request")
    }
    let responses = object.required("responses") { (json) throws(PositionedError) in
      try json.list("a list of responses", 1...Self.mostEntries) { (json) throws(PositionedError) in
        try json.octets(1...65_535, "a response")
      }
    }
    object.finish()
    guard let request, let responses else { return nil }
    return RecordedExchange(request: request, responses: responses)
  }

  // MARK: Numbers

  static func handle(_ json: PositionedJSON) throws(PositionedError) -> UInt16 {
    UInt16(try json.integer(1...65_535, "a handle"))
  }

  static func octets(_ json: PositionedJSON) throws(PositionedError) -> Data {
    try json.octets(0...RecordedValue.longest, "octets")
  }

  /// Seconds in the file, microseconds in the recording.
  static func time(_ json: PositionedJSON) throws(PositionedError) -> Int64 {
    guard case .number(let value) = json.content else { throw json.expected("a number of seconds") }
    guard (0...longestTime).contains(value) else {
      throw PositionedError(json.position, "expected 0 to \(Int(longestTime)) seconds")
    }
    return Int64((value * 1e6).rounded())
  }
}
