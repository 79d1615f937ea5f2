import BLEReports
import BLESession
import BLEText

/// One request that the server understands: what it is for, what its body has, what is done. The description of the interface (OpenAPI) is
/// made of the same declaration.
struct Route: Sendable {
  enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

  let method: Method
  /// With names of variable segments in braces: `/api/v1/devices/{identifier}`.
  let path: String
  let summary: String
  /// The members of the body; none where there is no body.
  let body: [BodyMember]
  let answer: @Sendable (Explorer, Call) async throws(APIError) -> WebResponse

  let segments: [Substring]

  init(
    _ method: Method, _ path: String, _ summary: String, body: [BodyMember] = [],
    _ answer: @escaping @Sendable (Explorer, Call) async throws(APIError) -> WebResponse
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.body = body
    self.answer = answer
    segments = path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The variable segments of a path that this route is for; `nil` for another path.
  func match(_ path: [Substring]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var found: [String: String] = [:]
    for (pattern, segment) in zip(segments, path) {
      if pattern.hasPrefix("{") {
        found[String(pattern.dropFirst().dropLast())] = String(segment)
      } else if pattern != segment {
        return nil
      }
    }
    return found
  }
}

/// A member of a request's body.
struct BodyMember: Sendable {
  enum Kind: Sendable {
    case text(longest: Int)
    case flag
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int>)
    case uuid
    case word([String])
    /// An object of texts and numbers under names that the route does not know, such as the fields of a command.
    case values(most: Int, longest: Int)
  }

  let name: String
  let kind: Kind
  let isRequired: Bool
  /// Whether it stays out of the log.
  let isSecret: Bool
  let meaning: String

  init(_ name: String, _ kind: Kind, isRequired: Bool = true, isSecret: Bool = false, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.isSecret = isSecret
    self.meaning = meaning
  }
}

/// A request for a route: its variable segments and the members of its body, which have been checked.
struct Call: Sendable {
  enum Value: Sendable {
    case text(String)
    case flag(Bool)
    case number(Double)
    case values([String: String])
  }

  let request: WebRequest
  let segments: [String: String]
  let members: [String: Value]

  func text(_ name: String) -> String? { if case .text(let text) = members[name] { text } else { nil } }
  func number(_ name: String) -> Double? { if case .number(let number) = members[name] { number } else { nil } }
  func integer(_ name: String) -> Int? { number(name).flatMap(Int.init(exactly:)) }
  func flag(_ name: String) -> Bool? { if case .flag(let flag) = members[name] { flag } else { nil } }
  func values(_ name: String) -> [String: String] {
    if case .values(let values) = members[name] { values } else { [:] }
  }

  /// - Throws: `invalid`, with place and expectation, for a body that is not what the route declares.
  init(_ request: WebRequest, _ segments: [String: String], for route: Route) throws(APIError) {
    self.request = request
    self.segments = segments
    if route.body.isEmpty && request.body.isEmpty {
      members = [:]
      return
    }
    do {
      members = try Self.read(request.body, route.body)
    } catch {
      throw APIError(.invalid, "line \(error.position.line), column \(error.position.column): \(error.message)")
    }
  }

  private static func read(_ octets: [UInt8], _ declared: [BodyMember]) throws(PositionedError) -> [String: Value] {
    var reader = try ObjectReader(PositionedJSONReader.read(octets: octets), "the body")
    var found: [String: Value] = [:]
    for member in declared {
      let json = member.isRequired ? try reader.required(member.name) : try reader.optional(member.name)
      if let json { found[member.name] = try read(json, member) }
    }
    if let unread = reader.unreadMembers.first { throw unread }
    return found
  }

  private static func read(_ json: PositionedJSON, _ member: BodyMember) throws(PositionedError) -> Value {
    switch member.kind {
    case .flag: return .flag(try json.boolean())
    case .number(let range): return .number(try json.number(in: range))
    case .integer(let range):
      guard case .number(let number) = json.content, let whole = Int(exactly: number), range.contains(whole) else {
        throw json.expected("a whole number, \(range.lowerBound) to \(range.upperBound)")
      }
      return .number(number)
    case .text(let longest): return .text(try json.text(longest: longest, "\"\(member.name)\""))
    case .uuid:
      let text = try json.text(longest: 36, "\"\(member.name)\"")
      guard BLEWebUUID.isValid(text) else { throw json.expected("a UUID such as 180F") }
      return .text(text)
    case .word(let words):
      let text = try json.text(longest: 64, "\"\(member.name)\"")
      guard words.contains(text) else {
        throw PositionedError(
          json.position,
          "expected \(words.joined(separator: ", "))\(Suggestion.sentence(for: text, among: words))")
      }
      return .text(text)
    case .values(let most, let longest): return .values(try json.values(most: most, longest: longest))
    }
  }
}

extension PositionedJSON {
  /// Numbers as their digits: what is made of them depends on the names.
  fileprivate func values(most: Int, longest: Int) throws(PositionedError) -> [String: String] {
    guard case .object(let members) = content else { throw expected("an object") }
    guard members.count <= most else { throw PositionedError(position, "expected at most \(most) members") }
    var found: [String: String] = [:]
    for member in members {
      guard case .number(let number) = member.value.content else {
        found[member.key] = try member.value.text(longest: longest, "\"\(member.key.inert)\"")
        continue
      }
      found[member.key] = Int(exactly: number).map { String($0) } ?? String(number)
    }
    return found
  }

  fileprivate func number(in range: ClosedRange<Double>) throws(PositionedError) -> Double {
    guard case .number(let number) = content, range.contains(number) else {
      throw expected("a number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
