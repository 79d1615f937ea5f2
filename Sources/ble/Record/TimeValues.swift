import Foundation

/// A span of time with a unit: `90s`, `30m`, `12h`, `7d`; without one, seconds.
struct Span: ArgumentValue, Equatable, Sendable {
  let seconds: Double

  /// The longest span: a century. A larger number is taken for a mistake.
  private static let limit = 3_155_760_000.0
  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

  init(argument: String) throws(ArgumentValueError) {
    let unit = argument.last.flatMap { Self.units[$0] }
    let number = unit == nil ? Substring(argument) : argument.dropLast()
    let isNumber = number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    guard isNumber, let value = Double(number), value > 0, value * (unit ?? 1) <= Self.limit else {
      throw ArgumentValueError("expected a time such as 90s, 30m, 12h or 7d")
    }
    seconds = value * (unit ?? 1)
  }
}

/// A number of octets with a unit: `500K`, `100M`, `2G`; without one, octets.
struct Size: ArgumentValue, Equatable, Sendable {
  let octets: Int

  private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

  init(argument: String) throws(ArgumentValueError) {
    let unit = argument.last.flatMap { Self.units[Character($0.uppercased())] }
    let number = unit == nil ? Substring(argument) : argument.dropLast()
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(number), value > 0,
      case let product = value.multipliedReportingOverflow(by: unit ?? 1), !product.overflow
    else { throw ArgumentValueError("expected a size such as 500K, 100M or 2G") }
    octets = product.partialValue
  }
}

/// A point in time: `2026-11-22`, `2026-11-22T10:30`, `2026-11-22T10:30:05.250Z`, with an offset such as `+01:00` instead of `Z`; without
/// a zone it is UTC. Or an age: `30m`, `12h`, `7d`.
struct Moment: ArgumentValue, Equatable, Sendable {
  let date: Date

  init(argument: String) throws(ArgumentValueError) {
    try self.init(argument: argument, now: Date())
  }

  init(argument: String, now: Date) throws(ArgumentValueError) {
    if let span = try? Span(argument: argument), argument.last?.isLetter == true {
      date = now.addingTimeInterval(-span.seconds)
      return
    }
    guard let date = Self.date(argument) else {
      throw ArgumentValueError(
        "expected a moment such as 2026-11-22, 2026-11-22T10:30 or 2026-11-22T10:30:05.250Z, or an age such as 12h")
    }
    self.date = date
  }

  private static func date(_ text: String) -> Date? {
    let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    let (_, year, month, day, hour, minute, second, fraction, zone) = match.output
    guard let offset = offset(zone ?? "Z") else { return nil }
    let components = DateComponents(
      calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: Int(year), month: Int(month), day: Int(day),
      hour: Int(hour ?? "0"), minute: Int(minute ?? "0"), second: Int(second ?? "0"))
    guard components.isValidDate, let date = components.date else { return nil }
    return date.addingTimeInterval((fraction.flatMap { Double("0\($0)") } ?? 0) - offset)
  }

  /// Seconds east of Greenwich.
  private static func offset(_ zone: Substring) -> Double? {
    if zone == "Z" { return 0 }
    guard let hours = Int(zone.dropFirst().prefix(2)), let minutes = Int(zone.suffix(2)), hours < 24, minutes < 60
    else {
      return nil
    }
    return Double((hours * 60 + minutes) * 60) * (zone.first == "-" ? -1 : 1)
  }
}
