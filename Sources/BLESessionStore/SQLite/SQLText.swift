import Foundation

/// SQL that is made of literals in the source only, so that it can't contain a value. Values are bound.
package struct SQLText: ExpressibleByStringLiteral, Hashable {
  private(set) var text: String

  package init(stringLiteral literal: StaticString) {
    text = literal.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
  }

  package static func + (left: SQLText, right: SQLText) -> SQLText {
    var sum = left
    sum.text += right.text
    return sum
  }
}

/// A value to bind to a parameter.
package enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case octets(Data)

  package static func integer(_ value: Int?) -> SQLValue { value.map { .integer(Int64($0)) } ?? .null }
  package static func text(orNull value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
  package static func octets(orNull value: Data?) -> SQLValue { value.map { .octets($0) } ?? .null }
  package static func real(orNull value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }
  package static func identifier(_ value: UUID) -> SQLValue { .text(value.uuidString) }
  package static func time(_ value: Date) -> SQLValue { .integer(StoreTime.microseconds(of: value)) }
}
