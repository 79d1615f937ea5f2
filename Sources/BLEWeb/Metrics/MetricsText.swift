/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText {
  package enum Kind: String { case counter, gauge, histogram }

  static let type = "text/plain; version=0.0.4; charset=utf-8"

  package typealias Labels = [String: String]

  package private(set) var text = ""

  /// Without any metric.
  package init() {}

  /// Adds a metric with its samples, also where there is none.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, value: Double)])
  {
    head(name, kind, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  /// Adds a metric with one sample.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    head(name, kind, help)
    line(name, [:], value)
  }

  mutating func add(_ name: String, _ help: String, _ histograms: [(label: (String, String), Histogram)]) {
    head(name, .histogram, help)
    for (label, histogram) in histograms {
      for (limit, count) in zip(Histogram.limits, histogram.buckets) {
        line(name + "_bucket", [label.0: label.1, "le": Self.number(limit)], Double(count))
      }
      line(name + "_bucket", [label.0: label.1, "le": "+Inf"], Double(histogram.count))
      line(name + "_sum", [label.0: label.1], histogram.sum)
      line(name + "_count", [label.0: label.1], Double(histogram.count))
    }
  }

  private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: Labels, _ value: Double) {
    text += name
    if !labels.isEmpty {
      text +=
        "{" + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        + "}"
    }
    text += " \(Self.number(value))\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n", "\r\n": result += "\\n"
      default: result.append(character)
      }
    }
  }
}
