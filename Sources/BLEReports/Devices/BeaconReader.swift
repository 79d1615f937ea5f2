import BLECore

/// Takes a frame apart, field by field, most significant octet first. A frame that ends early leaves its fields so far.
struct BeaconReader {
  typealias Octets = ArraySlice<UInt8>

  private var rest: Octets
  private var fields: [BeaconField] = []
  private var problem: String?
  private var isCut = false

  init(_ octets: some Sequence<UInt8>) { rest = Array(octets)[...] }

  var left: Int { rest.count }
  /// The octet that is read next.
  var next: UInt8? { rest.first }
  /// The one behind it.
  var second: UInt8? { rest.dropFirst().first }

  /// The next octets, at most so many.
  func rest(_ count: Int) -> Octets { rest.prefix(count) }

  /// The first problem is kept: what follows may be its consequence.
  mutating func complain(_ text: String) { problem = problem ?? text }

  mutating func field(
    _ name: String, _ count: Int, unit: String? = nil, isFraming: Bool = false, measurement: MeasurementKind? = nil,
    _ value: (Octets) -> BeaconField.Value
  ) {
    guard !isCut else { return }
    guard rest.count >= count else {
      isCut = true
      complain("the frame ends within \(name): \(Self.octets(count)) expected, \(rest.count) found")
      if !rest.isEmpty { append(name, rest.count, nil, isFraming) { _ in .none } }
      return
    }
    append(name, count, unit, isFraming, measurement, value)
  }

  private mutating func append(
    _ name: String, _ count: Int, _ unit: String?, _ isFraming: Bool, _ measurement: MeasurementKind? = nil,
    _ value: (Octets) -> BeaconField.Value
  ) {
    let own = rest.prefix(count)
    rest = rest.dropFirst(count)
    fields.append(
      BeaconField(
        name: name, octets: Array(own), value: value(own), unit: unit, isFraming: isFraming, measurement: measurement))
  }

  /// Takes the fields of another reader, with what is wrong there, in place of the next `count` octets.
  mutating func adopt(_ other: BeaconReader, inPlaceOf count: Int) {
    guard !isCut, rest.count >= count else { return }
    let adopted = other.finished()
    rest = rest.dropFirst(count)
    fields += adopted.fields
    if let problem = adopted.problem { complain(problem) }
  }

  /// What only who has the sensor's key can read, with a counter of so many octets and a check of four behind it.
  /// - Parameter read: reads the octets under the encryption, if they were opened.
  mutating func sealed(
    _ name: String, counter: Int, _ opening: BeaconFrame.Opening?, _ read: (inout BeaconReader) -> Void
  ) {
    let length = max(0, left - counter - SealedMeasurements.check)
    var isOpened = false
    if case .plain(let octets)? = opening, octets.count == length {
      isOpened = true
      var measurements = BeaconReader(octets)
      read(&measurements)
      adopt(measurements, inPlaceOf: length)
    } else {
      field(name, length, Self.digits)
    }
    field("Counter", counter, isFraming: isOpened) { .integer(BTHomeObject.number($0, isSigned: false)) }
    field("Message integrity check", SealedMeasurements.check, isFraming: isOpened, Self.digits)
    if case .refused(let reason)? = opening { complain(reason) }
  }

  /// The fields, and what is wrong with the frame.
  func finished() -> (fields: [BeaconField], problem: String?) {
    var copy = self
    if !rest.isEmpty {
      copy.complain("\(Self.octets(rest.count)) more than the frame has")
      copy.append("Rest", rest.count, nil, false) { _ in .none }
    }
    return (copy.fields, copy.problem)
  }

  static func octets(_ count: Int) -> String { count == 1 ? "1 octet" : "\(count) octets" }

  // MARK: Values

  static func unsigned(_ octets: Octets) -> BeaconField.Value { .integer(number(octets)) }
  static func signed(_ octets: Octets) -> BeaconField.Value {
    .integer(Int(Int8(bitPattern: octets.first ?? 0)))
  }
  static func digits(_ octets: Octets) -> BeaconField.Value { .text(octets.hexadecimal) }
  static func code(_ octets: Octets) -> BeaconField.Value { .text("0x" + octets.hexadecimal.uppercased()) }
  static func nothing(_ octets: Octets) -> BeaconField.Value { .none }

  /// Of at most four octets.
  static func number(_ octets: Octets) -> Int { octets.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
}
