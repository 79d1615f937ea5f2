/// At least one element, of which the first needs no memory of its own: for lists that nearly always have one.
public struct OneOrMore<Element>: RandomAccessCollection {
  @usableFromInline let head: Element
  @usableFromInline let others: [Element]

  /// - Parameter others: the elements behind the first.
  @inlinable public init(_ first: Element, _ others: [Element] = []) {
    head = first
    self.others = others
  }

  /// `nil` if there is no element.
  public init?(_ elements: [Element]) {
    guard let first = elements.first else { return nil }
    self.init(first, Array(elements.dropFirst()))
  }

  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { others.count + 1 }
  @inlinable public subscript(position: Int) -> Element { position == 0 ? head : others[position - 1] }
}

extension OneOrMore: Sendable where Element: Sendable {}
