/// The events and the links of a world that fails, as text to scale, a line each.
///
/// ```text
/// 0 s                                                      72.5 s
/// |                                                             |
///         ========                                                 the lamp moves out of range for 10 s
///    ------         ---------                                      link of phone to lamp
///                                                              X   it fails
/// ```
struct FailureTimeline {
  private static let width = 60
  private static let mostLines = 24

  let text: String

  /// - Parameter end: the world's time when it failed.
  init(_ events: [WorldEvent], _ links: [LinkSpan], end: Duration) {
    let last = max(WorldEvent.milliseconds(end), 1)
    func column(_ time: Duration) -> Int {
      Int(min(WorldEvent.milliseconds(time), last) * Int64(Self.width - 1) / last)
    }
    func line(_ spans: [(begin: Duration, end: Duration)], _ mark: Character, _ words: String) -> String {
      var cells = [Character](repeating: " ", count: Self.width)
      for span in spans {
        for index in column(span.begin)...max(column(span.begin), column(span.end)) { cells[index] = mark }
      }
      return "\(String(cells))  \(words)"
    }
    let endWords = WorldEvent.words(end)
    var lines = ["0 s" + String(repeating: " ", count: max(1, Self.width - 3 - endWords.count)) + endWords]
    for event in events where !event.happening.kind.isCircumstance {
      lines.append(line([(event.time, event.end)], event.happening.length == nil ? "|" : "=", event.happening.words))
    }
    var pairs: [(name: String, spans: [(begin: Duration, end: Duration)])] = []
    for link in links {
      let name = "link of \(link.central) to \(link.peripheral)"
      let span = (link.begin, link.end ?? end)
      if let index = pairs.firstIndex(where: { $0.name == name }) {
        pairs[index].spans.append(span)
      } else {
        pairs.append((name, [span]))
      }
    }
    lines += pairs.map { line($0.spans, "-", $0.name) }
    lines.append(line([(end, end)], "X", "it fails"))
    let shown = lines.prefix(Self.mostLines)
    text = shown.joined(separator: "\n") + (shown.count < lines.count ? "\n…" : "")
  }
}
