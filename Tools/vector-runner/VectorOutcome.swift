/// What came of one test.
struct VectorOutcome {
  let name: String
  /// A line for each expectation that did not hold; none: the test passed.
  var failures: [String] = []

  init(name: String) { self.name = name }

  /// Notes a failure where the two differ.
  mutating func expect<Value: Equatable>(_ what: String, wanted: Value, got: Value) {
    if wanted != got { failures.append("\(what): wanted \(wanted), got \(got)") }
  }

  /// Notes that the file says something that the runner does not understand.
  mutating func notUnderstood(_ what: String) {
    failures.append("\(what): not understood")
  }
}

/// The player of one file format.
struct VectorFormat: Sendable {
  /// The value of `format`.
  let name: String
  /// Plays all tests of a document.
  let play: @Sendable (JSONValue) -> [VectorOutcome]

  /// All formats that can be played.
  static let all: [VectorFormat] = [
    VectorFormat(name: "att-vectors/1", play: AttributeVectors.play),
    VectorFormat(name: "ad-vectors/1", play: AdvertisingDataVectors.play),
    VectorFormat(name: "smp-vectors/1", play: SecurityManagerVectors.play),
    VectorFormat(name: "crc-vectors/1", play: CheckVectors.play),
  ]
}
