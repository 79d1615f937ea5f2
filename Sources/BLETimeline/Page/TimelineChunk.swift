/// Some of a page's rows in a row. A page has each in two elements: what the picture needs of all rows, which is read when the page opens,
/// and texts and octets, which are read when a row is shown.
struct TimelineChunk {
  /// The number of rows of each but the last.
  static let rowCount = 1_024

  private(set) var times: [Int] = []
  private var codes: [Int] = []
  /// Pairs: the place of a row in this chunk, and how many rows before it its cause is.
  private var causes: [Int] = []
  /// Texts and octets, each once.
  private var strings: [String] = []
  private var places: [String: Int] = [:]
  private var texts: [Int] = []
  private var octets: [Int] = []
  private var names: [Int] = []

  var isFull: Bool { times.count >= Self.rowCount }

  mutating func append(_ row: TimelineRow, number: Int, after delta: Int) {
    for cause in row.causes where cause < number { causes += [times.count, number - cause] }
    times.append(delta)
    codes.append(row.code)
    texts.append(place(of: row.text))
    octets.append(place(of: PageData.base64(row.octets)))
    names.append(place(of: row.peer))
  }

  private mutating func place(of text: String) -> Int {
    if let place = places[text] { return place }
    places[text] = strings.count
    strings.append(text)
    return strings.count - 1
  }

  /// The two elements.
  var elements: [UInt8] {
    var data = PageData()
    data.append(raw: "<script type=\"application/json\" class=\"rows\">{\"t\":")
    data.append(times)
    data.append(raw: ",\"c\":")
    data.append(codes)
    data.append(raw: ",\"j\":")
    data.append(causes)
    data.append(raw: "}</script>\n<script type=\"application/json\" class=\"texts\">{\"s\":")
    data.append(strings)
    data.append(raw: ",\"x\":")
    data.append(texts)
    data.append(raw: ",\"o\":")
    data.append(octets)
    data.append(raw: ",\"p\":")
    data.append(names)
    data.append(raw: "}</script>\n")
    return data.octets
  }
}

/// One event of a page.
struct TimelineRow {
  let kind: TimelineKind
  /// The number of the device, from 1; 0 for what concerns all.
  let device: Int
  var isSent = false
  var isError = false
  let text: String
  /// The name or the address of the other device.
  var peer = ""
  var octets: [UInt8] = []
  var causes: [Int] = []

  /// Everything that the picture needs, in one number.
  var code: Int { (device << 4 | kind.rawValue) << 2 | (isError ? 2 : 0) | (isSent ? 1 : 0) }
}
