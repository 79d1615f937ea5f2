internal import CoreFoundation

/// The run loop of the main queue, whichever thread serves that queue.
enum MainRunLoop {
  private static let mark = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Returns the main run loop for the current one of a block on the main queue: on Apple's systems these are the same, on Linux
  /// only if the main thread serves the queue.
  static func of(_ runLoop: RunLoop) -> RunLoop {
    runLoop === RunLoop.current && DispatchQueue.getSpecific(key: mark) == true ? .main : runLoop
  }

  /// Whether the main thread is running it.
  static var isRunning: Bool { CFRunLoopCopyCurrentMode(CFRunLoopGetMain()) != nil }
}
