import BLESession
import Foundation

/// Plays `crc-vectors/1`: cyclic redundancy checks by their parameters, and cases of CRC-8/MAXIM-DOW.
enum CheckVectors {
  static func play(_ document: JSONValue) -> [VectorOutcome] {
    var outcomes: [VectorOutcome] = []
    if let maxim = document["crc8_maxim_dow"] {
      outcomes += play(cases: maxim["cases"]?.array ?? [], of: maxim["parameters"])
    }
    for (index, entry) in (document["family"]?.array ?? []).enumerated() {
      outcomes.append(play(algorithm: entry, name: entry["name"]?.string ?? "family \(index)"))
    }
    return outcomes
  }

  /// Each case by the parameters that stand beside it, and by the algorithm that the library has under that name.
  private static func play(cases: [JSONValue], of parameters: JSONValue?) -> [VectorOutcome] {
    cases.enumerated().map { index, entry in
      let name = entry["note"]?.string ?? entry["data"]?.string ?? "case \(index)"
      var outcome = VectorOutcome(name: "CRC-8/MAXIM-DOW: \(name)")
      guard let parameters, let stated = algorithm(parameters, &outcome) else {
        outcome.notUnderstood("parameters")
        return outcome
      }
      guard let octets = octets(entry["data"]), let wanted = entry["crc"]?.string.flatMap({ UInt32($0, radix: 16) })
      else {
        outcome.notUnderstood("data or crc")
        return outcome
      }
      judgeCheck(parameters, stated, &outcome)
      outcome.expect("crc by the parameters", wanted: wanted, got: stated.value(of: octets))
      outcome.expect("crc by the name", wanted: wanted, got: CyclicRedundancyCheck.maximDallas8.value(of: octets))
      return outcome
    }
  }

  private static func play(algorithm entry: JSONValue, name: String) -> VectorOutcome {
    var outcome = VectorOutcome(name: name)
    guard let stated = algorithm(entry, &outcome) else { return outcome }
    judgeCheck(entry, stated, &outcome)
    // A file may hold algorithms that the library does not name: by their parameters they can be played all the same.
    guard let known = CyclicRedundancyCheck.named(name) else { return outcome }
    let octets = Array(UInt8.min...UInt8.max)
    outcome.expect("all octets, by the name", wanted: stated.value(of: octets), got: known.value(of: octets))
    return outcome
  }

  private static func judgeCheck(
    _ entry: JSONValue, _ algorithm: CyclicRedundancyCheck, _ outcome: inout VectorOutcome
  ) {
    guard let wanted = entry["check"]?.hexadecimalNumber else { return outcome.notUnderstood("check") }
    outcome.expect(
      "check", wanted: UInt32(truncatingIfNeeded: wanted), got: algorithm.value(of: Data("123456789".utf8)))
  }

  private static func algorithm(_ entry: JSONValue, _ outcome: inout VectorOutcome) -> CyclicRedundancyCheck? {
    guard let width = entry["width"]?.integer, let polynomial = number(entry["poly"]),
      let initial = number(entry["init"]),
      let final = number(entry["xorout"]), let reflectsInput = entry["refin"]?.boolean,
      let reflectsOutput = entry["refout"]?.boolean,
      let made = CyclicRedundancyCheck(
        name: entry["name"]?.string ?? "", width: width, polynomial: polynomial, initial: initial,
        reflectsInput: reflectsInput, reflectsOutput: reflectsOutput, finalExclusiveOr: final)
    else {
      outcome.notUnderstood("parameters")
      return nil
    }
    return made
  }

  private static func number(_ value: JSONValue?) -> UInt32? {
    value?.hexadecimalNumber.flatMap { UInt32(exactly: $0) }
  }

  private static func octets(_ value: JSONValue?) -> Data? {
    value?.string.flatMap { try? Hexadecimal.decode($0) }
  }
}
