import BLECore
import BLESession
import BLEWire
import Foundation

/// Values that the Bluetooth SIG has defined, in words (GATT Specification Supplement, chapter 3).
package enum AssignedValues {
  /// A characteristic's value as text.
  package static func describe(_ octets: [UInt8], of characteristic: String) -> String {
    guard let words = meaning(of: octets, in: characteristic) else { return ValueText(octets).description }
    return "\(words) (\(octets.hexadecimal))"
  }

  /// The meaning of a value; `nil` if the characteristic is not known here or the octets are invalid.
  package static func meaning(of octets: [UInt8], in characteristic: String) -> String? {
    guard let short = BLEUUID(characteristic)?.short, !octets.isEmpty else { return nil }
    if let quantity = quantities[short] { return quantity.words(octets) }
    if short == 0x2A37 { return heartRate(octets) }
    var reader = ValueFields(octets)
    return words(&reader, of: short)
  }

  private static func words(_ value: inout ValueFields, of characteristic: UInt16) -> String? {
    switch characteristic {
    case 0x2A01: value.number(.unsigned, 2).flatMap { UInt16(exactly: $0) }.flatMap(AssignedNumbers.appearance)
    case 0x2A04: connectionParameters(&value)
    case 0x2A05: handles(&value)
    case 0x2A06: choice(&value, ["no alert", "mild alert", "high alert"])
    case 0x2A08: dateTime(&value)
    case 0x2A1C, 0x2A1E: temperature(&value)
    case 0x2A1D:
      choice(
        &value,
        [
          1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastro-intestinal tract", 6: "mouth",
          7: "rectum", 8: "toe", 9: "eardrum",
        ])
    case 0x2A2B: currentTime(&value)
    case 0x2A35: bloodPressure(&value)
    case 0x2A38: choice(&value, ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"])
    case 0x2A50: plugAndPlay(&value)
    case 0x2A5B: cyclingSpeed(&value)
    case 0x2AA6: choice(&value, ["addresses are not resolved", "addresses are resolved"])
    default: nil
    }
  }

  private static func choice(_ value: inout ValueFields, _ names: [String]) -> String? {
    value.number(.unsigned, 1).flatMap { names.indices.contains(Int($0)) ? names[Int($0)] : nil }
  }

  private static func choice(_ value: inout ValueFields, _ names: [Int64: String]) -> String? {
    value.number(.unsigned, 1).flatMap { names[$0] }
  }

  private static func connectionParameters(_ value: inout ValueFields) -> String? {
    guard let least = value.number(.unsigned, 2), let most = value.number(.unsigned, 2),
      let latency = value.number(.unsigned, 2), let timeout = value.number(.unsigned, 2)
    else { return nil }
    func interval(_ number: Int64) -> String {
      number == 0xFFFF ? "any" : DecimalText(number * 125, exponent: -2).description
    }
    let supervision = timeout == 0xFFFF ? "any" : "\(timeout * 10) ms"
    return "interval \(interval(least)) to \(interval(most)) ms, latency \(latency), timeout \(supervision)"
  }

  private static func handles(_ value: inout ValueFields) -> String? {
    guard let first = value.number(.unsigned, 2), let last = value.number(.unsigned, 2) else { return nil }
    return "handles \(first) to \(last)"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func dateTime(_ value: inout ValueFields) -> String? {
    guard let year = value.number(.unsigned, 2) else { return nil }
    var parts: [Int64] = []
    for _ in 0..<5 {
      guard let part = value.number(.unsigned, 1) else { return nil }
      parts.append(part)
    }
    return "\(year)-\(two(parts[0]))-\(two(parts[1])) \(two(parts[2])):\(two(parts[3])):\(two(parts[4]))"
  }

  private static func currentTime(_ value: inout ValueFields) -> String? {
    guard let time = dateTime(&value), let day = value.number(.unsigned, 1) else { return nil }
    let days = ["", "Monday ", "Tuesday ", "Wednesday ", "Thursday ", "Friday ", "Saturday ", "Sunday "]
    return (days.indices.contains(Int(day)) ? days[Int(day)] : "") + time
  }

  private static func temperature(_ value: inout ValueFields) -> String? {
    guard let flags = value.number(.unsigned, 1), let measured = value.medical(4) else { return nil }
    var words = "\(measured) \(flags & 1 == 0 ? "°C" : "°F")"
    if flags & 2 != 0, let time = dateTime(&value) { words += " at \(time)" }
    return words
  }

  private static func bloodPressure(_ value: inout ValueFields) -> String? {
    guard let flags = value.number(.unsigned, 1), let systolic = value.medical(2), let diastolic = value.medical(2),
      let mean = value.medical(2)
    else { return nil }
    return "\(systolic)/\(diastolic) \(flags & 1 == 0 ? "mmHg" : "kPa"), mean \(mean)"
  }

  private static func heartRate(_ octets: [UInt8]) -> String? {
    guard let rate = HeartRate(Data(octets)) else { return nil }
    var words = "\(rate.beatsPerMinute) beats a minute"
    if rate.hasContact == false { words += ", no contact" }
    if let energy = rate.energyExpended { words += ", \(energy) kJ" }
    let intervals = rate.intervals.map { String(Int(($0 * 1_000).rounded())) }
    return words + (intervals.isEmpty ? "" : ", intervals \(intervals.joined(separator: " ")) ms")
  }

  private static func plugAndPlay(_ value: inout ValueFields) -> String? {
    guard let source = value.number(.unsigned, 1), let vendor = value.number(.unsigned, 2),
      let product = value.number(.unsigned, 2), let version = value.number(.unsigned, 2)
    else { return nil }
    let number = UInt16(truncatingIfNeeded: vendor)
    let name = source == 1 ? AssignedNumbers.company(number) : nil
    let maker = name ?? (source == 2 ? "USB vendor " : "vendor ") + numberText(number, digits: 4)
    let model = numberText(UInt16(truncatingIfNeeded: product), digits: 4)
    return "\(maker), product \(model), version \(version >> 8).\(version >> 4 & 0xF).\(version & 0xF)"
  }

  private static func cyclingSpeed(_ value: inout ValueFields) -> String? {
    guard let flags = value.number(.unsigned, 1) else { return nil }
    var parts: [String] = []
    if flags & 1 != 0 {
      guard let turns = value.number(.unsigned, 4), value.number(.unsigned, 2) != nil else { return nil }
      parts.append("\(turns) turns of the wheel")
    }
    if flags & 2 != 0, let turns = value.number(.unsigned, 2) { parts.append("\(turns) turns of the crank") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// Reads the fields of a value in order.
package struct ValueFields {
  private var rest: ArraySlice<UInt8>

  package init(_ octets: [UInt8]) { rest = octets[...] }

  private mutating func take(_ kind: NumberFormat.Kind, _ width: Int) -> Number? {
    guard rest.count >= width else { return nil }
    defer { rest = rest.dropFirst(width) }
    return NumberFormat(kind, width: width).number(Array(rest.prefix(width)))
  }

  /// An integer of at most 7 octets.
  package mutating func number(_ kind: NumberFormat.Kind, _ width: Int) -> Int64? {
    switch take(kind, width) {
    case .unsigned(let value): Int64(exactly: value)
    case .signed(let value): value
    default: nil
    }
  }

  package mutating func medical(_ width: Int) -> String? { take(.medical, width)?.description }
}
