internal import CoreFoundation
internal import Synchronization

/// The run loops on which a stream's delegate is called.
///
/// One input source for all of them: the first run loop to perform it calls the delegate. CoreFoundation gives a thread only its
/// own run loop, so the source is added to another thread's by a timer.
///
/// The main run loop is that of the main queue, as on Apple's systems, also where no run loop serves that queue: in an
/// asynchronous `main`, in tests, after `dispatchMain()`. There a block on the main queue does the work of the source.
///
/// `@unchecked Sendable`: mutable state is guarded by the lock; sources and run loops may be used from any thread.
final class StreamSchedule: @unchecked Sendable {
  private struct Place {
    let runLoop: RunLoop
    let mode: RunLoop.Mode
    /// `nil` until its thread has set it.
    var inner: CFRunLoop?
  }

  private let lock = Mutex(())
  private var places: [Place] = []
  private var source: CFRunLoopSource?
  private weak var pipe: ChannelPipe?
  private var side = StreamSide.input
  private weak var stream: Stream?

  /// Called once, before the stream is used.
  func attach(_ stream: Stream, _ pipe: ChannelPipe, _ side: StreamSide) {
    self.stream = stream
    self.pipe = pipe
    self.side = side
  }

  var isEmpty: Bool { locked { places.isEmpty } }

  func add(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let runLoop = MainRunLoop.of(runLoop)
    let inner = Self.inner(runLoop)
    let isNew = locked {
      guard !places.contains(where: { $0.runLoop === runLoop && $0.mode == mode }) else { return false }
      places.append(Place(runLoop: runLoop, mode: mode, inner: inner))
      if source == nil { source = makeSource() }
      return true
    }
    guard isNew else { return }
    pipe?.setSchedule(self, side)
    if let inner {
      install(on: inner, runLoop, mode)
    } else {
      // Runs once, on the run loop's own thread.
      let place = Carried((runLoop, mode))
      let found = Timer(fire: Date(), interval: 0, repeats: false) { [weak self] _ in
        self?.install(on: CFRunLoopGetCurrent(), place.value.0, place.value.1)
      }
      runLoop.add(found, forMode: mode)
    }
  }

  private func install(on inner: CFRunLoop, _ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let source: CFRunLoopSource? = locked {
      // It may have been removed in the meantime.
      guard let index = places.firstIndex(where: { $0.runLoop === runLoop && $0.mode == mode }) else { return nil }
      places[index].inner = inner
      return self.source
    }
    guard let source else { return }
    CFRunLoopAddSource(inner, source, mode.inner)
    CFRunLoopWakeUp(inner)
  }

  func remove(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    let runLoop = MainRunLoop.of(runLoop)
    let (place, source) = locked {
      let index = places.firstIndex { $0.runLoop === runLoop && $0.mode == mode }
      return (index.map { places.remove(at: $0) }, self.source)
    }
    if let inner = place?.inner, let source { CFRunLoopRemoveSource(inner, source, mode.inner) }
    pipe?.releaseHolds(side)
  }

  func removeAll() {
    let (removed, source) = locked {
      defer {
        places = []
        self.source = nil
      }
      return (places, self.source)
    }
    guard let source else { return }
    for place in removed {
      if let inner = place.inner { CFRunLoopRemoveSource(inner, source, place.mode.inner) }
    }
  }

  /// Signals that there is an event. From any thread.
  func signal() {
    let (source, loops, isOnMain) = locked { (self.source, places.compactMap(\.inner), self.isOnMain) }
    guard let source else { return }
    CFRunLoopSourceSignal(source)
    for inner in loops { CFRunLoopWakeUp(inner) }
    if isOnMain { DispatchQueue.main.async { [self] in performForMainRunLoop() } }
  }

  /// Under the lock.
  private var isOnMain: Bool { places.contains { $0.runLoop === RunLoop.main } }

  /// On the main queue. Where a run loop serves the queue, it performs the source itself, in the requested modes.
  private func performForMainRunLoop() {
    guard !MainRunLoop.isRunning, locked({ isOnMain }) else { return }
    perform()
  }

  /// Whether one of the run loops is running, in a mode in which it performs the source.
  var isRunning: Bool {
    let (source, loops) = locked { (self.source, places.compactMap(\.inner)) }
    return loops.contains { inner in
      guard let mode = CFRunLoopCopyCurrentMode(inner) else { return false }
      return CFRunLoopContainsSource(inner, source, mode)
    }
  }

  /// On a run loop: delivers one event, as Foundation's streams do, so that other sources can run.
  private func perform() {
    guard let pipe, let stream else { return }
    if let (event, delegate) = pipe.takeEvent(side) { delegate?.stream(stream, handle: event) }
    pipe.signalStreams()
    pipe.finishTelling(side)
  }

  private func makeSource() -> CFRunLoopSource? {
    // The source retains this object, and a run loop retains the source while it performs it. A source is removed and never
    // invalidated, so that nothing is released while a run loop performs it.
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.retain = { info in
      info.map { UnsafeRawPointer(Unmanaged<StreamSchedule>.fromOpaque($0).retain().toOpaque()) }
    }
    context.release = { info in
      if let info { Unmanaged<StreamSchedule>.fromOpaque(info).release() }
    }
    context.perform = { info in
      if let info { Unmanaged<StreamSchedule>.fromOpaque(info).takeUnretainedValue().perform() }
    }
    return CFRunLoopSourceCreate(nil, 0, &context)
  }

  /// CoreFoundation's run loop, where this thread has access to it.
  private static func inner(_ runLoop: RunLoop) -> CFRunLoop? {
    if runLoop === RunLoop.current { return CFRunLoopGetCurrent() }
    return runLoop === RunLoop.main ? CFRunLoopGetMain() : nil
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.withLock { _ in Carried(body()) }.value
  }
}

extension RunLoop.Mode {
  /// CoreFoundation identifies its own two modes by their addresses.
  fileprivate var inner: CFString? {
    switch self {
    case .common: return kCFRunLoopCommonModes
    case .default: return kCFRunLoopDefaultMode
    default:
      let encodingUTF8: CFStringEncoding = 0x0800_0100
      return rawValue.withCString { CFStringCreateWithCString(nil, $0, encodingUTF8) }
    }
  }
}
