import BLEVirtualRadio

extension RSSITrace {
  /// The maximum length of a text, in octets.
  public static let textLimit = 64 << 20
  private static let lineLimit = 1_000

  /// Reads a trace from text: a line for each sample, the time in seconds and the RSSI in dBm, separated by a comma, a semicolon or a
  /// tab. Further columns are not looked at; empty lines and lines that begin with `#` neither, nor a first line of headings.
  /// - Throws: the line and the column of the first mistake, counted from 1.
  public init(csv text: String) throws(AirDescriptionError) {
    guard text.utf8.count <= Self.textLimit else {
      throw AirDescriptionError("trace", found: "\(text.utf8.count) octets", expected: "at most \(Self.textLimit)")
    }
    var samples: [Sample] = []
    var number = 0
    var isFirst = true
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard line.count <= Self.lineLimit else {
        throw AirDescriptionError(
          "line \(number)", found: "\(line.count) octets", expected: "at most \(Self.lineLimit)")
      }
      let content = Self.trimmed(line)
      guard let head = content.first, head != UInt8(ascii: "#") else { continue }
      defer { isFirst = false }
      if isFirst, Self.isHeading(head) { continue }
      let sample = try Self.sample(content, number, from: line.startIndex, in: text.utf8)
      if let last = samples.last, sample.time <= last.time {
        throw AirDescriptionError(
          "line \(number), column 1", found: "the time \(sample.time)", expected: "a time after \(last.time)")
      }
      guard samples.count < Self.sampleLimit else {
        throw AirDescriptionError(
          "line \(number)", found: "a further sample", expected: "at most \(Self.sampleLimit) samples")
      }
      samples.append(sample)
    }
    try self.init(samples)
  }

  private typealias Octets = Substring.UTF8View

  private static func isHeading(_ octet: UInt8) -> Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet & 0xDF || octet == UInt8(ascii: "\"")
  }

  private static func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\r") }

  private static func trimmed(_ octets: Octets) -> Octets {
    var rest = octets
    while let first = rest.first, isSpace(first) { rest = rest.dropFirst() }
    while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
    return rest
  }

  private static func sample(
    _ line: Octets, _ number: Int, from start: String.Index, in text: String.UTF8View
  ) throws(AirDescriptionError) -> Sample {
    let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    let fields = line.split(maxSplits: 2, omittingEmptySubsequences: false) { separators.contains($0) }
    func place(_ field: Octets) -> String {
      "line \(number), column \(text.distance(from: start, to: field.startIndex) + 1)"
    }
    guard fields.count >= 2 else {
      throw AirDescriptionError(
        place(line[line.endIndex...]), found: "the end of the line", expected: "a comma and the RSSI in dBm")
    }
    guard let seconds = self.number(fields[0]), abs(seconds) <= 1e9 else {
      throw AirDescriptionError(place(fields[0]), found: quoted(fields[0]), expected: "a time in seconds")
    }
    guard let level = self.number(fields[1]) else {
      throw AirDescriptionError(place(fields[1]), found: quoted(fields[1]), expected: "an RSSI in dBm")
    }
    try check(level, place(fields[1]))
    return Sample(.nanoseconds(Int64((seconds * 1e9).rounded())), level)
  }

  /// A decimal number; `nil` for what is none, or not finite.
  private static func number(_ field: Octets) -> Double? {
    let digits = trimmed(field)
    let signs: [UInt8] = [".", "-", "+", "e", "E"].map { UInt8(ascii: $0) }
    guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || signs.contains($0) }),
      let value = Double(Substring(digits)), value.isFinite
    else { return nil }
    return value
  }

  private static func quoted(_ field: Octets) -> String {
    let shown = trimmed(field).prefix(40)
    return "\"\(String(decoding: shown.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self))\""
  }
}
