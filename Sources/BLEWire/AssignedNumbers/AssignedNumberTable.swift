/// Names by number, kept as one text: a line for each, four hexadecimal digits and the name, ascending.
///
/// The text is parsed at the first lookup; before that a table costs nothing.
struct AssignedNumberTable: Sendable {
  private let numbers: [UInt16]
  private let names: [Substring]

  init(_ text: String) {
    let lines = text.split(separator: "\n")
    numbers = lines.map { UInt16($0.prefix(4), radix: 16) ?? 0 }
    names = lines.map { $0.dropFirst(5) }
  }

  subscript(number: UInt16) -> String? {
    var low = 0
    var high = numbers.count
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number ? String(names[low]) : nil
  }
}
