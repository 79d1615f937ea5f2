/// The level of a log line, with the names that the Swift ecosystem uses.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The destination of log lines. To use a logging library, conform one type to this protocol.
public protocol LogSink: AnyObject, Sendable {
  /// Messages below this level are not even computed.
  var minimumLevel: LogLevel { get }
  func write(_ level: LogLevel, label: String, _ message: String)
}

/// Logs the messages of one subsystem.
public struct Logger: Sendable {
  public let label: String
  private let sink: (any LogSink)?

  public init(label: String, sink: (any LogSink)?) {
    self.label = label
    self.sink = sink
  }

  public static let silent = Logger(label: "", sink: nil)

  /// The same sink with another label.
  public func labelled(_ label: String) -> Logger { Logger(label: label, sink: sink) }

  public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    guard let sink, level >= sink.minimumLevel else { return }
    sink.write(level, label: label, message())
  }
}
