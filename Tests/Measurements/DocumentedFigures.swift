internal import Foundation

/// A table of a page of the documentation whose rows are checked by a test: "| `name` | ... | published | here | tolerance |".
public struct DocumentedFigures {
  /// The last three columns of a row.
  public struct Row: Sendable {
    /// What the source says.
    public let published: Double
    /// What the page says that is measured here.
    public let here: Double
    /// How far what is measured may be from what is published.
    public let tolerance: Double

    /// Whether a measured value fits both columns; that of the page to two percent, or to one in its last digit.
    public func fits(_ measured: Double) -> Bool {
      abs(measured - published) <= tolerance + 1e-9 && abs(measured - here) <= max(abs(here) * 0.02, step)
    }

    let step: Double
  }

  /// By the name in the first column.
  public let rows: [String: Row]

  /// - Parameters:
  ///   - page: a file in `Docs`.
  ///   - heading: the line below which the table stands; it ends at the next heading.
  ///   - test: a file of the test, two or three folders below the package.
  public init(page: String, below heading: String, from test: String = #filePath) throws {
    var folder = URL(fileURLWithPath: test)
    while folder.path.count > 1, !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
      folder.deleteLastPathComponent()
    }
    let text = try String(contentsOfFile: folder.path + "/Docs/" + page, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let part = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("#") }
    var rows: [String: Row] = [:]
    for line in part where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let figures = cells.suffix(3).map { Double($0) }
      guard cells.count >= 4, let published = figures[0], let here = figures[1], let tolerance = figures[2] else {
        throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: "no figures in: \(line)"])
      }
      let digits = cells[cells.count - 2].split(separator: ".").dropFirst().first?.count ?? 0
      rows[cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`"))] = Row(
        published: published, here: here, tolerance: tolerance, step: (0..<digits).reduce(1) { step, _ in step / 10 })
    }
    self.rows = rows
  }
}
