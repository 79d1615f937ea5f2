/// All mistakes in a file.
package struct FileMistakes: Error, Equatable, Sendable {
  /// In the order of the file, at least one.
  package let all: [PositionedError]

  /// One mistake that leaves nothing else to be read.
  package init(_ only: PositionedError) { all = [only] }

  /// Those of a list that has some.
  package init(_ list: MistakeList) { all = list.all }

  /// `lock.json:7:20: expected ...`, a line for each mistake.
  package func lines(in file: String) -> [String] {
    all.map { "\(file.inert):\($0.position.line):\($0.position.column): \($0.message)" }
  }
}
