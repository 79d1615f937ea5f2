internal import CoreFoundation

/// The run loop of the main queue, whichever thread serves that queue.
enum MainRunLoop {
  private static let mark = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// The main run loop in place of the current one of a block on the main queue: that is the same on Apple's systems, and on
  /// Linux only where the main thread serves the queue.
  static func of(_ runLoop: RunLoop) -> RunLoop {
    runLoop === RunLoop.current && DispatchQueue.getSpecific(key: mark) == true ? .main : runLoop
  }

  /// Whether the main thread is in it.
  static var isRunning: Bool { CFRunLoopCopyCurrentMode(CFRunLoopGetMain()) != nil }
}
