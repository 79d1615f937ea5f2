internal import BLEAdapter
internal import BLECore

// The default implementations of optional delegate methods: they show that the delegate does not implement the method.

/// Calls callbacks that were replaced by newer ones, without the compiler's deprecation warnings.
protocol OlderCallbacks {
  func forwardRSSI(_ error: (any Error)?)
}

extension CBPeripheral: OlderCallbacks {
  /// The delegate does not implement the newer callback; it may implement the older.
  @available(*, deprecated)
  func forwardRSSI(_ error: (any Error)?) {
    context.watch?.unhandled("peripheral(_:didReadRSSI:error:)", ProgramSubject(peer: peerIdentifier, error: error))
    delegate?.peripheralDidUpdateRSSI(self, error: error)
  }

  /// Logs in Apple's words.
  func serviceChangeWasNotHandled() {
    context.watch?.unhandled("peripheral(_:didModifyServices:)", ProgramSubject(peer: peerIdentifier))
    context.adapter.log.log(
      .warning, "WARNING: The delegate for \(description) does not implement -[peripheral:didModifyServices:]")
  }

  /// A command whose result no delegate can receive is still carried out.
  func warnIfUnhandled(_ action: String, _ callback: String, name: String = #function) {
    guard delegate == nil else { return }
    context.watch?.misuse(.delegateMissing, ProgramSubject(peer: peerIdentifier), in: name)
    context.adapter.log.misuse(
      "\(action) \(description) while delegate is either nil or does not implement \(callback)")
  }
}
