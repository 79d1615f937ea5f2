import BLESession
import CoreBluetooth

/// The conditions of a query.
public struct StoreFilter: Sendable, Hashable {
  /// From this moment on.
  public var from: Date?
  /// Before this moment.
  public var until: Date?
  /// Rows of these devices; `nil` for all devices.
  public var devices: [UUID]?
  /// Rows of this session.
  public var session: StoredSession.ID?
  /// Values of these characteristics; `nil` for all. A path without a service matches any service; instances are not distinguished. For
  /// values only.
  public var paths: [CharacteristicPath]?
  /// Events of this kind. For events only.
  public var kind: String?
  /// The maximum number of rows: the newest are kept, and the oldest of these comes first.
  public var last: Int?

  /// Without arguments: all rows.
  public init(
    from: Date? = nil, until: Date? = nil, devices: [UUID]? = nil, session: StoredSession.ID? = nil,
    paths: [CharacteristicPath]? = nil, kind: String? = nil, last: Int? = nil
  ) {
    self.from = from
    self.until = until
    self.devices = devices
    self.session = session
    self.paths = paths
    self.kind = kind
    self.last = last
  }
}

/// A query under construction: its text consists of literals, and values are bound.
struct Query {
  private(set) var text: SQLText
  private(set) var values: [SQLValue] = []
  private var hasCondition = false

  init(_ text: SQLText) { self.text = text }

  mutating func add(_ condition: SQLText, _ more: [SQLValue]) {
    text = text + (hasCondition ? " AND " : " WHERE ") + condition
    values += more
    hasCondition = true
  }

  mutating func add(_ condition: SQLText, _ value: SQLValue?) {
    if let value { add(condition, [value]) }
  }

  /// Adds a condition: one of `choices`, if there are any. An empty list matches no row.
  mutating func add(_ beginning: SQLText, oneOf choices: [SQLValue]?) {
    guard let choices else { return }
    var list: SQLText = "("
    for index in choices.indices { list = list + (index == 0 ? "?" : ", ?") }
    add(beginning + " IN " + list + ")", choices)
  }

  /// Adds a condition: one of these characteristics.
  mutating func add(_ paths: [CharacteristicPath]?) {
    guard let paths else { return }
    var alternatives: SQLText = "(0"
    var values: [SQLValue] = []
    for path in paths {
      alternatives = alternatives + " OR (v.characteristic = ?"
      values.append(.text(path.characteristic.uuidString))
      if let service = path.service {
        alternatives = alternatives + " AND v.service = ?"
        values.append(.text(service.uuidString))
      }
      alternatives = alternatives + ")"
    }
    add(alternatives + ")", values)
  }

  /// Orders by time; with a limit, keeps the newest rows.
  mutating func order(by time: SQLText, _ number: SQLText, last: Int?) {
    guard let last else {
      text = text + " ORDER BY " + time + ", " + number
      return
    }
    text = "SELECT * FROM (" + text + " ORDER BY " + time + " DESC, " + number + " DESC LIMIT ?) ORDER BY time, id"
    values.append(.integer(max(0, last)))
  }
}
