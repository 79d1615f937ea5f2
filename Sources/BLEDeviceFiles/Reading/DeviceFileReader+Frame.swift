import BLESession
import BLEText
import Foundation

/// `frame`: the layout of a vendor's frames.
extension DeviceFileReader {
  func frame(_ json: PositionedJSON) -> FrameFormat? {
    guard var object = FileObject(json, "the frame", mistakes) else { return nil }
    let start = object.optional("start") { (json) throws(PositionedError) in try json.octets(0...16, "a start") }
    let fields = object.optional("fields") { (json) throws(PositionedError) -> [FrameFormat.Field?] in
      try json.list("a list of fields", 0...3) { (json) -> FrameFormat.Field? in self.frameField(json) }
    }
    let counts: FrameFormat.LengthCounts? = object.optional("length_counts") { (json) throws(PositionedError) in
      try json.word("what the length counts")
    }
    let check = object.optional("check") { (json) -> FrameCheck? in self.frameCheck(json) }
    let end = object.optional("end") { (json) throws(PositionedError) in try json.octets(0...16, "an end") }
    let longest = object.optional("longest_payload") { (json) throws(PositionedError) in
      try json.integer(0...4_096, "the longest payload")
    }
    object.finish()
    do {
      return try FrameFormat(
        start: start ?? Data(), fields: (fields ?? []).compactMap(\.self),
        lengthCounts: counts ?? .payload, check: check, end: end ?? Data(), maximumPayload: longest ?? 512)
    } catch {
      mistakes.note(PositionedError(json.position, error.localizedDescription))
      return nil
    }
  }

  private func frameField(_ json: PositionedJSON) -> FrameFormat.Field? {
    guard var object = FileObject(json, "a field of the frame", mistakes) else { return nil }
    let meaning: FrameFormat.Field.Meaning? = object.required("meaning") { (json) throws(PositionedError) in
      try json.word("what a field of the frame means")
    }
    let width = object.optional("octets") { (json) throws(PositionedError) in
      try json.integer(1...4, "the width of a field")
    }
    let order: ByteOrder? = object.optional("order") { (json) throws(PositionedError) in try json.word("an order") }
    object.finish()
    return meaning.map { FrameFormat.Field($0, width: width ?? 1, order: order ?? .littleEndian) }
  }

  private func frameCheck(_ json: PositionedJSON) -> FrameCheck? {
    guard var object = FileObject(json, "the check", mistakes) else { return nil }
    let algorithm = object.required("algorithm") { (json) throws(PositionedError) in try Self.algorithm(json) }
    let covers: FrameCheck.Coverage? = object.optional("covers") { (json) throws(PositionedError) in
      try json.word("what the check covers")
    }
    let order: ByteOrder? = object.optional("order") { (json) throws(PositionedError) in try json.word("an order") }
    object.finish()
    return algorithm.map {
      FrameCheck($0, covers: covers ?? .fieldsAndPayload, order: order ?? .littleEndian)
    }
  }

  private static func algorithm(_ json: PositionedJSON) throws(PositionedError) -> FrameCheck.Algorithm {
    let name = try json.text(longest: longestName, "a check's name")
    switch name.lowercased() {
    case "sum": return .sum
    case "complement": return .complement
    case "xor": return .exclusiveOr
    default:
      if let found = CyclicRedundancyCheck.named(name) { return .cyclicRedundancyCheck(found.name) }
      let known = ["sum", "complement", "xor"] + CyclicRedundancyCheck.named.map(\.name)
      let suggestion = Suggestion.sentence(for: name, among: known)
      throw PositionedError(
        json.position,
        "no check is called '\(name.inert)': expected sum, complement, xor or a name such as CRC-8/MAXIM-DOW\(suggestion)"
      )
    }
  }
}
