/// How much a line matters, with the names that the Swift ecosystem uses.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Where log lines go. A user bridges to a logging library by conforming one type.
public protocol LogSink: AnyObject, Sendable {
  /// Lines below this level are not even put together.
  var minimumLevel: LogLevel { get }
  func write(_ level: LogLevel, label: String, _ message: String)
}

/// One subsystem's way to its log.
public struct Logger: Sendable {
  public let label: String
  private let sink: (any LogSink)?

  public init(label: String, sink: (any LogSink)?) {
    self.label = label
    self.sink = sink
  }

  public static let silent = Logger(label: "", sink: nil)

  /// The same sink under another label.
  public func labelled(_ label: String) -> Logger { Logger(label: label, sink: sink) }

  public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    guard let sink, level >= sink.minimumLevel else { return }
    sink.write(level, label: label, message())
  }
}
